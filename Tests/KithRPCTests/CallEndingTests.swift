import Dispatch
import KithRPC
import Synchronization
import Testing

/// Deadlines, cancellation, limits and endings, over every transport.
@Suite(.timeLimit(.minutes(2)))
struct CallEndingTests {
  // MARK: - Deadlines

  @Test("deadline travels", arguments: TransportKind.allCases)
  func theDeadlineTravelsAndShrinks(_ kind: TransportKind) async throws {
    let seen = Mutex<Duration?>(nil)
    let echo = EchoService { context in seen.withLock { $0 = context.remainingTime } }
    try await withEcho(kind, echo) { client, _, _ in
      _ = try await client.unary(
        EchoService.describe, encodedRequest: [], options: CallOptions(timeout: .seconds(100)))
      let remaining = try #require(seen.withLock { $0 })
      #expect(remaining > .zero && remaining < .seconds(100))
      _ = try await client.unary(EchoService.describe, encodedRequest: [])
      #expect(seen.withLock { $0 } == nil)
    }
  }

  @Test("deadline exceeded", arguments: TransportKind.allCases)
  func aPassedDeadlineCancelsTheHandler(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, _, _ in
      // Connected before, so that the time is the handler's alone.
      _ = try await client.say()
      let error = await client.failure(
        of: EchoService.wait, options: CallOptions(timeout: .milliseconds(30)))
      #expect(error.code == .deadlineExceeded)
      await echo.cancelled.wait()
    }
  }

  @Test("negative deadline", arguments: TransportKind.allCases)
  func aCallWithoutTimeLeftIsNotSent(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, _ in
      _ = try await client.say()
      for timeout in [Duration.zero, .seconds(-1)] {
        let error = await client.failure(
          of: EchoService.say, options: CallOptions(timeout: timeout))
        #expect(error.code == .deadlineExceeded && error.execution == .notStarted)
      }
      #expect(echo.calls.load(ordering: .relaxed) == 1)
    }
  }

  @Test("infinite deadline", arguments: TransportKind.allCases)
  func aDeadlineBeyondAllTimeIsNone(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, _, _ in
      let options = CallOptions(timeout: .seconds(Int64.max / 2))
      try #require(try await client.say(options: options) == [1, 2, 3])
    }
  }

  // MARK: - Cancellation

  @Test("cancel after accept", arguments: TransportKind.allCases)
  func cancellingTheCallerReachesTheHandler(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, _ in
      let caller = Task { await client.failure(of: EchoService.wait) }
      await echo.started.wait()
      caller.cancel()
      #expect(await caller.value.code == .cancelled)
      await echo.cancelled.wait()
      server.beginGracefulShutdown()
      await server.waitUntilIdle()
      #expect(server.callsInProgress == 0)
    }
  }

  @Test("cancel before invoke", arguments: TransportKind.allCases)
  func aCallerThatIsCancelledAlreadySendsNothing(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, _, _ in
      _ = try await client.say()
      let gate = Signal()
      let caller = Task {
        await gate.wait()
        return await client.failure(of: EchoService.say)
      }
      caller.cancel()
      gate.set()
      #expect(await caller.value.code == .cancelled)
      _ = try await client.say()
      #expect(echo.calls.load(ordering: .relaxed) == 2)
    }
  }

  @Test("cancel at any moment", arguments: TransportKind.allCases)
  func cancellationsAtAnyMomentEndEachCallOnce(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, server, _ in
      await withTaskGroup(of: Void.self) { group in
        for round in 0..<300 {
          group.addTask {
            let caller = Task { try await client.say([UInt8(round & 255)]) }
            if round % 3 == 0 { await Task.yield() }
            caller.cancel()
            _ = await caller.result
          }
        }
      }
      try #require(try await client.say() == [1, 2, 3])
      server.beginGracefulShutdown()
      await server.waitUntilIdle()
      #expect(server.callsInProgress == 0)
    }
  }

  // MARK: - Limits

  @Test("max concurrent calls of a connection", arguments: TransportKind.allCases)
  func callsBeyondAConnectionsLimitAreRefused(_ kind: TransportKind) async throws {
    let echo = EchoService()
    let limits = RPCLimits(maximumCallsPerConnection: 1)
    try await withEcho(kind, echo, limits: limits, clientLimits: .standard) { client, _, _ in
      let held = Task { try await client.unary(EchoService.hold, encodedRequest: [4]) }
      await echo.started.wait()
      let error = await client.failure(of: EchoService.say)
      #expect(error.code == .resourceExhausted && error.message.contains("connection"))
      echo.release.set()
      let answer = try await held.value.message
      #expect(answer == [4])
      try #require(try await client.say() == [1, 2, 3])
    }
  }

  @Test("server resource quota", arguments: TransportKind.allCases)
  func callsBeyondAServersLimitAreRefusedOnAnyConnection(_ kind: TransportKind) async throws {
    let echo = EchoService()
    let limits = RPCLimits(maximumCallsPerServer: 1)
    try await withEcho(kind, echo, limits: limits) { client, server, place in
      let other = RPCClient(connector: place.connector)
      let held = Task { try await client.unary(EchoService.hold, encodedRequest: [4]) }
      await echo.started.wait()
      #expect(server.callsInProgress == 1)
      let error = await other.failure(of: EchoService.say)
      #expect(error.code == .resourceExhausted && error.message.contains("worker"))
      echo.release.set()
      _ = try await held.value
      #expect(try await other.say() == [1, 2, 3])
      other.close()
    }
  }

  @Test("max concurrent calls of a client", arguments: TransportKind.allCases)
  func theClientKeepsItsOwnLimit(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo, clientLimits: RPCLimits(maximumCallsPerConnection: 1)) {
      client, _, _ in
      let held = Task { try await client.unary(EchoService.hold, encodedRequest: []) }
      await echo.started.wait()
      let error = await client.failure(of: EchoService.say)
      #expect(error.code == .resourceExhausted && error.execution == .notStarted)
      echo.release.set()
      _ = try await held.value
    }
  }

  @Test("max message length, request", arguments: TransportKind.allCases)
  func aMessageOverTheLimitIsRefusedOnEitherSide(_ kind: TransportKind) async throws {
    let small = RPCLimits(maximumMessageBytes: 100)
    try await withEcho(kind, limits: small) { client, server, _ in
      let answer = try await client.say([UInt8](repeating: 1, count: 100))
      #expect(answer.count == 100)
      let error = await client.failure(of: EchoService.say, [UInt8](repeating: 1, count: 101))
      #expect(error.code == .resourceExhausted && error.execution == .notStarted)
      #expect(server.callsEnded == 1)
    }
    try await withEcho(kind, limits: small, clientLimits: .standard) { client, _, _ in
      let error = await client.failure(of: EchoService.say, [UInt8](repeating: 1, count: 101))
      #expect(error.code == .resourceExhausted && error.message.contains("100"))
      try #require(try await client.say() == [1, 2, 3])
    }
  }

  @Test("max message length, answer", arguments: TransportKind.allCases)
  func anAnswerOverTheLimitIsRefused(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let server = RPCServer(
      services: [
        ServiceDefinition(
          name: "test.Echo",
          methods: [.encodedUnary(EchoService.say) { _, _ in [UInt8](repeating: 0, count: 101) }])
      ], limits: RPCLimits(maximumMessageBytes: 100))
    try server.start(on: place.makeListener())
    let error = await RPCClient(connector: place.connector).failure(of: EchoService.say)
    #expect(error.code == .resourceExhausted)
    server.close()
  }

  @Test("large metadata", arguments: TransportKind.allCases)
  func metadataOverTheLimitIsRefusedOnEitherSide(_ kind: TransportKind) async throws {
    let small = RPCLimits(maximumMetadataBytes: 200)
    let metadata: Metadata = ["k": String(repeating: "v", count: 200)]
    try await withEcho(kind, limits: small) { client, _, _ in
      let error = await client.failure(
        of: EchoService.say, options: CallOptions(metadata: metadata))
      #expect(error.code == .resourceExhausted)
    }
    try await withEcho(kind, limits: small, clientLimits: .standard) { client, _, _ in
      let error = await client.failure(
        of: EchoService.say, options: CallOptions(metadata: metadata))
      #expect(error.code == .resourceExhausted)
    }
    let tooMuch = EchoService { $0.responseMetadata = metadata }
    try await withEcho(kind, tooMuch, limits: small) { client, _, _ in
      #expect(await client.failure(of: EchoService.describe).code == .internal)
    }
  }

  // MARK: - Endings

  @Test("disappearing server", arguments: TransportKind.allCases)
  func callsInFlightFailWhenTheServerDisappears(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, _ in
      async let first = client.failure(of: EchoService.wait)
      async let second = client.failure(of: EchoService.wait)
      await echo.started.wait()
      server.close()
      for error in await [first, second] {
        #expect(error.code == .unavailable)
        #expect(error.execution != .unspecified)
      }
      await echo.cancelled.wait()
    }
  }

  @Test("disappearing server, execution unknown", arguments: TransportKind.allCases)
  func aCallThatWasSentMayHaveRun(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, _ in
      let caller = Task { await client.failure(of: EchoService.wait) }
      await echo.started.wait()
      server.close()
      let error = await caller.value
      #expect(error.code == .unavailable && error.execution == .mayHaveRun)
      #expect(error.message.contains("may have been carried out"))
    }
  }

  @Test("fail fast", arguments: TransportKind.allCases)
  func withoutAServerACallFailsAtOnce(_ kind: TransportKind) async throws {
    let client = RPCClient(connector: kind.makePlace().connector)
    let error = await client.failure(of: EchoService.say)
    #expect(error.code == .unavailable)
  }

  @Test("wait for ready", arguments: TransportKind.allCases)
  func aCallThatWaitsForReadinessIsHeldUntilThereIsAServer(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let client = RPCClient(connector: place.connector)
    let caller = Task { try await client.say([6], options: CallOptions(waitForReady: true)) }
    #expect(await client.failure(of: EchoService.say).code == .unavailable)
    let server = RPCServer(services: [EchoService().definition])
    try server.start(on: place.makeListener())
    try #require(try await caller.value == [6])
    server.close()
  }

  @Test("wait for ready, deadline and cancellation", arguments: TransportKind.allCases)
  func waitingForReadinessEndsWithTheDeadlineOrTheCaller(_ kind: TransportKind) async throws {
    let client = RPCClient(connector: kind.makePlace().connector)
    let error = await client.failure(
      of: EchoService.say, options: CallOptions(timeout: .milliseconds(40), waitForReady: true))
    #expect(error.code == .deadlineExceeded && error.execution == .notStarted)

    let caller = Task {
      await client.failure(of: EchoService.say, options: CallOptions(waitForReady: true))
    }
    caller.cancel()
    #expect(await caller.value.code == .cancelled)
  }

  @Test("reconnect", arguments: TransportKind.allCases)
  func theClientConnectsAnewAfterADeath(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let client = RPCClient(connector: place.connector)
    for round in 0..<5 {
      let server = try await place.startServer([EchoService().definition])
      let options = CallOptions(timeout: .seconds(60), waitForReady: true)
      // The call may be on its way to the dead server before the client knows of the death: it may
      // be repeated, and is.
      try #require(try await client.say([UInt8(round)], options: options) == [UInt8(round)])
      server.close()
    }
  }

  @Test("graceful server shutdown", arguments: TransportKind.allCases)
  func aGracefulShutdownEndsWhatRunsAndTurnsTheRestAway(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, place in
      let held = Task { try await client.unary(EchoService.hold, encodedRequest: [4]) }
      await echo.started.wait()
      server.beginGracefulShutdown()
      let error = await client.failure(of: EchoService.say)
      #expect(error.code == .unavailable && error.execution == .notStarted)
      let newcomer = RPCClient(connector: place.connector)
      #expect(await newcomer.failure(of: EchoService.say).code == .unavailable)
      #expect(server.callsInProgress == 1)
      echo.release.set()
      await server.waitUntilIdle()
      let answer = try await held.value.message
      #expect(answer == [4])
      #expect(server.callsInProgress == 0 && server.callsEnded == 1)
    }
  }

  @Test("transparent retry of a refused call", arguments: TransportKind.allCases)
  func aCallTurnedAwayByAShutdownMovesToTheNextServerIfItWaits(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, place in
      _ = try await client.say()
      server.beginGracefulShutdown()
      let next = RPCServer(services: [EchoService().definition])
      try next.start(on: place.makeListener())
      let answer = try await client.say(
        [9], options: CallOptions(timeout: .seconds(60), waitForReady: true))
      #expect(answer == [9])
      #expect(next.callsEnded == 1)
      next.close()
    }
  }

  @Test("graceful shutdown given up", arguments: TransportKind.allCases)
  func waitingForIdlenessCanBeGivenUp(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, server, _ in
      let held = Task { try await client.unary(EchoService.hold, encodedRequest: []) }
      await echo.started.wait()
      let waiter = Task { await server.waitUntilIdle() }
      waiter.cancel()
      await waiter.value
      #expect(server.callsInProgress == 1)
      echo.release.set()
      _ = try await held.value
    }
  }

  @Test("shutdown finishes calls", arguments: TransportKind.allCases)
  func aClosedClientMakesNoCalls(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withEcho(kind, echo) { client, _, _ in
      let caller = Task { await client.failure(of: EchoService.wait) }
      await echo.started.wait()
      client.close()
      #expect(await caller.value.code == .unavailable)
      #expect(await client.failure(of: EchoService.say).code == .unavailable)
      // The worker learns of it by the end of the connection.
      await echo.cancelled.wait()
    }
  }

  @Test("server cancelled", arguments: TransportKind.allCases)
  func serveReturnsWhenItsTaskIsCancelled(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let server = RPCServer(services: [EchoService().definition])
    let serving = Task { try await server.serve(on: place.makeListener()) }
    let client = RPCClient(connector: place.connector)
    _ = try await client.say(options: CallOptions(timeout: .seconds(60), waitForReady: true))
    serving.cancel()
    try await serving.value
    #expect(await client.failure(of: EchoService.say).code == .unavailable)
  }

  @Test("call credentials refused", arguments: TransportKind.allCases)
  func aPeerThatIsNotAuthorizedGetsNoConnection(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let server = RPCServer(services: [EchoService().definition], authorize: { _ in false })
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    #expect(await client.failure(of: EchoService.say).code == .unavailable)
    server.close()
  }
}
