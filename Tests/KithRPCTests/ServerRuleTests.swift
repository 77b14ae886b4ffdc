import KithWire
import Synchronization
import Testing

@testable import KithRPC

/// What a server answers at its limits and to frames out of turn, rule by rule.
@Suite(.timeLimit(.minutes(2)))
struct ServerRuleTests {
  private static let unary = MethodDescriptor(service: "a.B", method: "One")
  private static let stream = MethodDescriptor(
    service: "a.B", method: "Many", shape: .bidirectional)

  private static func id(_ number: UInt32) -> UInt32 { MessageHeader.idMark | number }

  private func start(
    _ table: inout ServerCallTable<Int>, _ number: UInt32, _ method: MethodDescriptor = unary
  ) -> ServerCallTable<Int>.Reaction {
    table.receive(
      Self.id(number), CallerFrame(start: CallerFrame.Start(), message: [1]), .allowed(method),
      now: .now)
  }

  @Test func aConnectionHasAsManyCallsAsItsLimitSaysAndNotOneMore() {
    var table = ServerCallTable<Int>(limits: RPCLimits(maximumCallsPerConnection: 2))
    let allowed = [start(&table, 1), start(&table, 2)]
    #expect(allowed.allSatisfy { $0.start != nil })
    let refused = start(&table, 3)
    #expect(refused.start == nil && refused.ending?.status?.code == .resourceExhausted)
    #expect(refused.ending?.status?.error?.execution == .notStarted)
  }

  @Test func aConnectionHasAsManyStreamsAsItsLimitSaysAndNotOneMore() throws {
    var table = ServerCallTable<Int>(limits: RPCLimits(maximumStreamsPerConnection: 1))
    let first = try #require(start(&table, 1, Self.stream).start)
    let refused = start(&table, 2, Self.stream)
    #expect(refused.start == nil && refused.ending?.status?.code == .resourceExhausted)
    let unary = start(&table, 3)
    #expect(unary.start != nil, "a unary call is no stream")
    _ = table.finish(first)
    let next = start(&table, 4, Self.stream)
    #expect(next.start != nil)
  }

  @Test func aSecondStartIsDroppedAndAFrameOfNoCallToo() {
    var table = ServerCallTable<Int>(limits: .standard)
    _ = start(&table, 1)
    let again = start(&table, 1)
    #expect(again.start == nil && again.ending == nil && table.count == 1)
    for frame in [
      CallerFrame(message: [1]), CallerFrame(isHalfClose: true), CallerFrame(cancel: ""),
    ] {
      let reaction = table.receive(Self.id(9), frame, .allowed(Self.unary), now: .now)
      #expect(reaction.start == nil && reaction.ending == nil && reaction.frames.isEmpty)
    }
  }

  @Test func theIdOfTheConnectionIsNoCalls() {
    var table = ServerCallTable<Int>(limits: .standard)
    let reaction = start(&table, 0)
    #expect(reaction.start == nil && reaction.ending?.status?.code == .invalidArgument)
  }

  @Test func aDeadlineThatHasPassedStartsNothing() {
    for microseconds: Int64 in [0, -1, .min] {
      var table = ServerCallTable<Int>(limits: .standard)
      let start = CallerFrame.Start(timeoutMicroseconds: microseconds)
      let reaction = table.receive(
        Self.id(1), CallerFrame(start: start, message: []), .allowed(Self.unary), now: .now)
      #expect(reaction.start == nil && reaction.ending?.status?.code == .deadlineExceeded)
      #expect(reaction.ending?.status?.error?.execution == .notStarted)
    }
  }

  @Test func aDeadlineIsPassedAtItsMomentAndNotBefore() throws {
    var table = ServerCallTable<Int>(limits: .standard)
    let start = CallerFrame.Start(timeoutMicroseconds: 5)
    let reaction = table.receive(
      Self.id(1), CallerFrame(start: start, message: []), .allowed(Self.unary),
      now: Moment(nanoseconds: 1_000))
    let call = try #require(reaction.start)
    #expect(call.deadline == Moment(nanoseconds: 6_000) && reaction.alarm == call.deadline)
    let early = table.expire(Moment(nanoseconds: 5_999))
    #expect(early.isEmpty)
    let due = table.expire(Moment(nanoseconds: 6_000))
    #expect(due.first?.ending?.status?.code == .deadlineExceeded)
  }

  @Test func noHandlerBeginsOnceTheDeadlineHasPassed() async throws {
    let place = TransportKind.inProcess.makePlace()
    let begun = Atomic(0)
    let server = RPCServer(
      services: [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(EchoService.say) { _, _ in
              begun.add(1, ordering: .relaxed)
              return []
            }
          ])
      ],
      identify: { _, _, _ in
        // Longer than any of the calls has: their time is over before there is a handler for them.
        let begin = ContinuousClock.now
        while ContinuousClock.now - begin < .microseconds(20) {}
        return .stranger
      })
    try server.start(on: place.makeListener())
    let caller = try await RawCaller.connect(place)
    defer {
      caller.close()
      server.close()
    }
    for number in 1...50 { caller.send(caller.call(number, EchoService.say, [], timeout: 1)) }
    var codes: Set<StatusCode> = []
    for number in 1...50 { codes.insert(await caller.status(number)?.code ?? .ok) }
    #expect(codes == [.deadlineExceeded])
    await server.waitUntilIdle()
    #expect(begun.load(ordering: .relaxed) == 0)
  }

  @Test func aHalfCloseBehindAMessageEndsTheStreamOfRequests() throws {
    var table = ServerCallTable<Int>(limits: .standard)
    let call = try #require(start(&table, 1, Self.stream).start)
    _ = table.receive(
      Self.id(1), CallerFrame(isHalfClose: true), .allowed(Self.stream), now: .now)
    guard case .message? = table.read(call, 1).wakes.first?.wakeup,
      case .end? = table.read(call, 2).wakes.first?.wakeup
    else {
      Issue.record("the message that came before the half-close is read, then the end")
      return
    }
    _ = table.receive(Self.id(1), CallerFrame(message: [2]), .allowed(Self.stream), now: .now)
    guard case .end? = table.read(call, 3).wakes.first?.wakeup else {
      Issue.record("nothing comes behind the end")
      return
    }
  }

  // MARK: - Services

  @Test func ofTwoServicesOfOneNameTheFirstStands() async throws {
    let place = TransportKind.inProcess.makePlace()
    func service(_ answer: UInt8, _ methods: [String]) -> ServiceDefinition {
      ServiceDefinition(
        name: "test.Echo",
        methods: methods.map {
          .encodedUnary(MethodDescriptor(service: "test.Echo", method: $0)) { _, _ in [answer] }
        })
    }
    let server = RPCServer(services: [service(1, ["Say"])])
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    defer {
      client.close()
      server.close()
    }
    server.add([service(2, ["Say", "More"])])
    let answer = try await client.say()
    #expect(answer == [1])
    let more = await client.failure(of: MethodDescriptor(service: "test.Echo", method: "More"))
    #expect(more.code == .unimplemented)
  }

  @Test func ofTwoMethodsOfOneNameTheFirstStands() async throws {
    let place = TransportKind.inProcess.makePlace()
    let server = RPCServer(services: [
      ServiceDefinition(
        name: "test.Echo",
        methods: [
          .encodedUnary(EchoService.say) { _, _ in [1] },
          .encodedUnary(EchoService.say) { _, _ in [2] },
        ])
    ])
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    defer {
      client.close()
      server.close()
    }
    let answer = try await client.say()
    #expect(answer == [1])
  }

  // MARK: - Idleness

  @Test func idlenessBesidesSomeIsNotIdlenessOfAll() async throws {
    let echo = EchoService()
    try await withEcho(.inProcess, echo) { client, server, _ in
      let held = (0..<2).map { _ in
        Task { try await client.unary(EchoService.hold, encodedRequest: []) }
      }
      while echo.calls.load(ordering: .relaxed) < 2 { await Task.yield() }
      await server.waitUntilIdle(besides: 2)
      let one = Signal()
      let waiter = Task {
        await server.waitUntilIdle(besides: 1)
        one.set()
      }
      for _ in 0..<20 { _ = try await client.say() }
      #expect(!one.isSet, "two run, and one was to be left")
      echo.release.set()
      await waiter.value
      for call in held { _ = try await call.value }
    }
  }

  // MARK: - Time

  @Test func theTimeOfACallIsTheShorterOfItsOwnAndThatOfTheCallItIsMadeFor() {
    let context = CallContext(
      method: Self.unary, deadline: ContinuousClock.now + .seconds(1_000), traceparent: "outer")
    let outer = context.moment
    let now = Moment.now
    #expect(CallOptions().within(context, now: now).deadline == outer)
    let short = CallOptions(timeout: .seconds(1)).within(context, now: now).deadline
    #expect(short == now.advanced(by: .seconds(1)))
    #expect(CallOptions(timeout: .seconds(9_000)).within(context, now: now).deadline == outer)
    let alone = CallOptions(timeout: .seconds(9_000), inheritsContext: false)
    #expect(alone.within(context, now: now).deadline == now.advanced(by: .seconds(9_000)))
    #expect(alone.within(context, now: now).options.traceparent.isEmpty)
    #expect(CallOptions().within(context, now: now).options.traceparent == "outer")
  }

  // MARK: - Metadata

  @Test func metadataOfExactlyTheLimitIsTaken() throws {
    let metadata: Metadata = ["key": "value"]
    try metadata.check(limit: metadata.size)
    let error = #expect(throws: RPCError.self) { try metadata.check(limit: metadata.size - 1) }
    #expect(error?.code == .resourceExhausted)
    try Metadata([.init(key: String(repeating: "k", count: 128), value: .text(""))]).check(
      limit: 999)
    #expect(throws: RPCError.self) {
      try Metadata([.init(key: String(repeating: "k", count: 129), value: .text(""))])
        .check(limit: 999)
    }
  }

  @Test func aKeyHas128VisibleCharactersAtMost() throws {
    _ = try IdempotencyKey(String(repeating: "k", count: 128))
    for text in ["", String(repeating: "k", count: 129), "a b", "a\u{7F}", "\u{E9}"] {
      #expect(throws: RPCError.self) { _ = try IdempotencyKey(text) }
    }
    _ = try IdempotencyKey("!~")
  }
}
