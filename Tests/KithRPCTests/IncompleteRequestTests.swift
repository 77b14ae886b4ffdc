import KithWire
import Synchronization
import Testing

@testable import KithRPC

/// Requests that are begun and not completed: what they cost, and whom they hold up.
@Suite(.timeLimit(.minutes(2)))
struct IncompleteRequestTests {
  /// The transports whose streams go in large pieces: in those of three bytes so much would take
  /// minutes.
  static let kinds: [TransportKind] = [.inProcess, .nng, .tls]

  /// Takes a caller whose call has the right metadata for an operator.
  private static let identify: RPCServer.Identify = { _, metadata, _ throws(RPCError) in
    metadata["proof"] == "good" ? .operator : .stranger
  }

  /// Runs `body` with a server of `echo`, a budget of its own, and who was told of broken
  /// connections.
  private func withServer(
    _ kind: TransportKind, _ echo: EchoService = EchoService(), limits: RPCLimits = .standard,
    budget: MessageBudget = MessageBudget(),
    _ body: (TransportPlace, RPCServer, AsyncStream<RPCError>) async throws -> Void
  ) async throws {
    let place = kind.makePlace()
    let (broken, continuation) = AsyncStream<RPCError>.makeStream()
    let server = RPCServer(
      services: [echo.definition], limits: limits, budget: budget, identify: Self.identify,
      brokenConnection: { _, error in continuation.yield(error) })
    try server.start(on: place.makeListener())
    defer { server.close() }
    try await body(place, server, broken)
  }

  /// A call of somebody else, which is answered whatever the others do.
  private func say(_ place: TransportPlace) async throws -> [UInt8] {
    let client = RPCClient(connector: place.connector)
    defer { client.close() }
    return try await client.say(options: CallOptions(timeout: .seconds(60)))
  }

  /// Waits until the server has seen all of what was sent so far on a caller's connection, save
  /// what it began and did not complete.
  private func settle(_ caller: RawCaller, number: Int) async {
    caller.send(caller.call(number, EchoService.say, []))
    _ = await caller.status(number)
  }

  // MARK: - Time

  @Test(arguments: TransportKind.allCases)
  func aStartWithoutItsMessageDoesNotOutliveItsDeadline(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withServer(kind, echo) { place, _, _ in
      let caller = try await RawCaller.connect(place)
      defer { caller.close() }
      caller.send(caller.call(1, EchoService.say, nil, timeout: 20_000))
      let status = await caller.status(1)
      #expect(status?.code == .deadlineExceeded)
      #expect(status?.error?.execution == .notStarted)
      #expect(echo.calls.load(ordering: .relaxed) == 0)
    }
  }

  @Test(arguments: kinds)
  func aStartWithoutADeadlineEndsWhenItsMessageDoesNotCome(_ kind: TransportKind) async throws {
    try await withServer(kind, limits: RPCLimits(messageTimeout: .milliseconds(20))) {
      place, _, _ in
      let caller = try await RawCaller.connect(place)
      defer { caller.close() }
      caller.send(caller.call(1, EchoService.say, nil))
      #expect(await caller.status(1)?.code == .deadlineExceeded)
      caller.send(caller.call(2, EchoService.say, [1]))
      #expect(await caller.status(2)?.code == .ok, "the connection goes on")
    }
  }

  @Test(arguments: TransportKind.allCases)
  func aFrameThatStopsHalfwayEndsItsConnection(_ kind: TransportKind) async throws {
    try await withServer(kind, limits: RPCLimits(messageTimeout: .milliseconds(20))) {
      place, _, broken in
      let caller = try await RawCaller.connect(place)
      caller.send(caller.call(1, EchoService.say, [1, 2, 3]).dropLast())
      await caller.ended.wait()
      let error = await broken.first { _ in true }
      #expect(error?.code == .deadlineExceeded && error?.message.contains("frame") == true)
    }
  }

  @Test(arguments: TransportKind.allCases)
  func aFrameInPiecesIsCompleteInTheEnd(_ kind: TransportKind) async throws {
    try await withServer(kind, limits: RPCLimits(messageTimeout: .seconds(100))) { place, _, _ in
      let caller = try await RawCaller.connect(place)
      defer { caller.close() }
      for number in 1...20 {
        let bytes = caller.call(number, EchoService.say, [UInt8](repeating: 1, count: 50))
        for piece in stride(from: 0, to: bytes.count, by: 7) {
          caller.send(bytes[piece..<min(piece + 7, bytes.count)])
        }
        #expect(await caller.status(number)?.code == .ok)
      }
    }
  }

  // MARK: - Places

  @Test(arguments: TransportKind.allCases)
  func requestsThatAreNotCompleteDoNotLockAWorker(_ kind: TransportKind) async throws {
    let limits = RPCLimits(maximumCallsPerConnection: 16, maximumCallsPerServer: 16)
    try await withServer(kind, limits: limits) { place, server, _ in
      var callers: [RawCaller] = []
      defer { for caller in callers { caller.close() } }
      for _ in 0..<4 {
        let caller = try await RawCaller.connect(place)
        for number in 1...15 { caller.send(caller.call(number, EchoService.say, nil)) }
        await settle(caller, number: 16)
        callers.append(caller)
      }
      #expect(server.callsInProgress >= 60, "they hold up an orderly end")
      try #require(try await say(place) == [1, 2, 3])
      // The connection that is full of them is refused more, and nobody else is.
      callers[0].send(callers[0].call(20, EchoService.say, nil))
      callers[0].send(callers[0].call(21, EchoService.say, []))
      #expect(await callers[0].status(21)?.code == .resourceExhausted)
    }
  }

  @Test(arguments: TransportKind.allCases)
  func anEndWaitsForRequestsThatAreUnderWay(_ kind: TransportKind) async throws {
    try await withServer(kind) { place, server, _ in
      let caller = try await RawCaller.connect(place)
      defer { caller.close() }
      caller.takeParts()
      let parts = caller.parts(1, EchoService.say, [UInt8](repeating: 5, count: 70_000))
      #expect(parts.count == 2)
      caller.send(parts[0])
      await settle(caller, number: 2)
      server.beginGracefulShutdown()
      // The other call is over for its caller a moment before the server has counted it.
      while server.callsInProgress != 1 { await Task.yield() }
      caller.send(parts[1])
      #expect(await caller.status(1)?.code == .ok, "it was begun before the end")
      await server.waitUntilIdle()
      #expect(server.callsInProgress == 0)
    }
  }

  // MARK: - Memory

  @Test(arguments: kinds)
  func aFrameOverTheBudgetEndsItsCallAndNothingElse(_ kind: TransportKind) async throws {
    let budget = MessageBudget(maximumBytes: 1 << 20)
    try await withServer(kind, budget: budget) { place, _, _ in
      let caller = try await RawCaller.connect(place)
      let large = caller.call(1, EchoService.say, [UInt8](repeating: 1, count: 8 << 20))
      caller.send(large.prefix(4 << 20))
      let status = await caller.status(1)
      #expect(status?.code == .resourceExhausted && status?.error?.execution == .notStarted)
      #expect(budget.bytesTaken <= budget.maximumBytesOfStrangers)
      try #require(try await say(place) == [1, 2, 3])
      // The rest of it is thrown away, and the connection goes on.
      caller.send(large.dropFirst(4 << 20))
      caller.send(caller.call(2, EchoService.say, [1]))
      #expect(await caller.status(2)?.code == .ok)
      caller.close()
    }
  }

  @Test(arguments: kinds)
  func partsOverTheBudgetEndTheirCallAndNothingElse(_ kind: TransportKind) async throws {
    let budget = MessageBudget(maximumBytes: 1 << 20)
    try await withServer(kind, budget: budget) { place, _, _ in
      let caller = try await RawCaller.connect(place)
      caller.takeParts()
      for number in 1...40 {
        let parts = caller.parts(number, EchoService.say, [UInt8](repeating: 1, count: 100_000))
        caller.send(parts[0])
      }
      caller.send(caller.call(50, EchoService.say, [1]))
      #expect(await caller.status(50)?.code == .ok)
      let refused = (1...40).filter { caller.statusSoFar($0)?.code == .resourceExhausted }
      #expect(!refused.isEmpty && refused.count < 40)
      #expect(budget.bytesTaken <= budget.maximumBytesOfStrangers && budget.bytesTaken > 0)
      try #require(try await say(place) == [1, 2, 3])
      caller.close()
    }
    while budget.bytesTaken > 0 { await Task.yield() }
  }

  @Test(arguments: kinds)
  func manyConnectionsTakeNoMoreThanOneBudget(_ kind: TransportKind) async throws {
    let budget = MessageBudget(maximumBytes: 2 << 20)
    try await withServer(kind, budget: budget) { place, _, _ in
      var callers: [RawCaller] = []
      var refused = 0
      for _ in 0..<12 {
        let caller = try await RawCaller.connect(place)
        caller.takeParts()
        let parts = caller.parts(1, EchoService.say, [UInt8](repeating: 1, count: 400_000))
        for part in parts.dropLast() { caller.send(part) }
        await settle(caller, number: 2)
        if caller.statusSoFar(1)?.code == .resourceExhausted { refused += 1 }
        #expect(budget.bytesTaken <= budget.maximumBytesOfStrangers)
        callers.append(caller)
      }
      #expect(refused >= 8 && refused < 12)
      try #require(try await say(place) == [1, 2, 3])
      for caller in callers { caller.close() }
    }
    while budget.bytesTaken > 0 { await Task.yield() }
  }

  @Test(arguments: kinds)
  func aCallerThatHasProvedItselfTakesOfTheWhole(_ kind: TransportKind) async throws {
    let budget = MessageBudget(maximumBytes: 1 << 20, maximumBytesOfStrangers: 0)
    try await withServer(kind, budget: budget) { place, _, _ in
      let request = [UInt8](repeating: 1, count: 300_000)
      let stranger = try await RawCaller.connect(place)
      stranger.send(stranger.call(1, EchoService.say, request))
      #expect(await stranger.status(1)?.code == .resourceExhausted)
      stranger.send(stranger.call(2, EchoService.say, [], metadata: ["proof": "good"]))
      #expect(await stranger.status(2)?.code == .ok)
      stranger.send(stranger.call(3, EchoService.say, request))
      #expect(await stranger.status(3)?.code == .ok)
      stranger.close()
    }
    while budget.bytesTaken > 0 { await Task.yield() }
  }

  @Test(arguments: kinds)
  func largeRequestsOfHandlersThatRunAreOfTheBudgetToo(_ kind: TransportKind) async throws {
    let echo = EchoService()
    let budget = MessageBudget(maximumBytes: 2 << 20)
    try await withServer(kind, echo, budget: budget) { place, _, _ in
      let caller = try await RawCaller.connect(place)
      defer { caller.close() }
      let request = [UInt8](repeating: 1, count: 600_000)
      caller.send(caller.call(1, EchoService.hold, request))
      await echo.started.wait()
      #expect(budget.bytesTaken >= request.count - ConnectionCharge.free)
      caller.send(caller.call(2, EchoService.say, request))
      #expect(await caller.status(2)?.code == .resourceExhausted)
      echo.release.set()
      #expect(await caller.status(1)?.code == .ok)
      while budget.bytesTaken > 0 { await Task.yield() }
      caller.send(caller.call(3, EchoService.say, request))
      #expect(await caller.status(3)?.code == .ok)
    }
  }
}
