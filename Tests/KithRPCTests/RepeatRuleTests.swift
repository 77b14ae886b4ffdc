import Synchronization
import Testing

@testable import KithRPC

/// The rules of calls under an idempotency key, one by one.
@Suite(.timeLimit(.minutes(2)))
struct RepeatRuleTests {
  private static let pay = MethodDescriptor(service: "test.Rule", method: "Pay")
  private static let look = MethodDescriptor(
    service: "test.Rule", method: "Look", idempotency: .noSideEffects)

  /// What a record was asked for.
  private final class Notes: AnswerRecord {
    struct Full: Error {}
    struct Broken: RPCErrorConvertible { var rpcError: RPCError }

    let begun = Mutex<[KeyedCall]>([])
    let finished = Mutex<[KeyedCall: [UInt8]]>([:])
    let forgotten = Atomic(0)
    /// What the record knows of every key.
    let prior: PriorAttempt?
    private let breaks: Broken?

    init(prior: PriorAttempt? = nil, breaks: Broken? = nil) {
      self.prior = prior
      self.breaks = breaks
    }

    func begin(_ call: KeyedCall) async throws -> PriorAttempt {
      if let breaks { throw breaks }
      begun.withLock { $0.append(call) }
      return prior ?? finished.withLock { $0[call].map { .answered($0) } ?? .none }
    }

    func finish(_ call: KeyedCall, answer: [UInt8]) async throws {
      finished.withLock { $0[call] = answer }
    }

    func forget(_ call: KeyedCall) async throws { forgotten.add(1, ordering: .relaxed) }
  }

  /// Runs `body` with a client of a service whose record is `notes`; `runs` counts its handler.
  private func withService(
    _ notes: Notes, failure: RPCError? = nil, _ body: (RPCClient, Counter) async throws -> Void
  ) async throws {
    let count = Counter()
    let service = ServiceDefinition(
      name: "test.Rule",
      methods: [
        .encodedUnary(Self.pay) { request, _ in
          count.value.add(1, ordering: .relaxed)
          if let failure { throw failure }
          return request
        },
        .encodedUnary(Self.look) { request, _ in
          count.value.add(1, ordering: .relaxed)
          return request
        },
      ])
    let place = TransportKind.inProcess.makePlace()
    let server = RPCServer(services: [service.answeringRepeats(from: notes)])
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    defer {
      client.close()
      server.close()
    }
    try await body(client, count)
  }

  /// How often a handler ran.
  private final class Counter: Sendable {
    let value = Atomic(0)
    var runs: Int { value.load(ordering: .relaxed) }
  }

  private func options(_ key: String, user: [String] = []) throws -> CallOptions {
    var metadata = Metadata()
    for name in user { metadata.append(name, forKey: CallContext.userKey) }
    return CallOptions(
      metadata: metadata, idempotencyKey: try IdempotencyKey(key), retry: .never)
  }

  @Test(arguments: StatusCode.allCases.dropFirst())
  func onlyWhatChangedNothingIsForgotten(_ code: StatusCode) async throws {
    let isForgotten =
      [.cancelled, .deadlineExceeded, .unavailable, .resourceExhausted, .aborted].contains(code)
    let notes = Notes()
    try await withService(notes, failure: RPCError(code, "so")) { client, count in
      for _ in 0..<2 {
        let error = await client.failure(of: Self.pay, options: try options("k"))
        #expect(error.code == code)
      }
      #expect(count.runs == (isForgotten ? 2 : 1))
      #expect(notes.forgotten.load(ordering: .relaxed) == (isForgotten ? 2 : 0))
      #expect(notes.finished.withLock { $0.count } == (isForgotten ? 0 : 1))
    }
  }

  @Test func keysOfDifferentPersonsDoNotMeet() async throws {
    let notes = Notes()
    try await withService(notes) { client, count in
      for user in [[], ["ada"], ["bo"], ["ada", "bo"], ["ada"]] {
        _ = try await client.unary(
          Self.pay, encodedRequest: [1], options: try options("k", user: user))
      }
      #expect(count.runs == 4)
    }
    let callers = notes.begun.withLock { $0.map(\.caller) }
    #expect(Set(callers).count == 4 && callers[1] == callers[4])
    #expect(callers.allSatisfy { $0.hasPrefix("uid \(RPCTestSystem.userID)") })
    #expect(
      notes.begun.withLock { $0.allSatisfy { $0.method == "test.Rule/Pay" && $0.key == "k" } })
  }

  @Test(arguments: [
    (PriorAttempt.unfinished, StatusCode.aborted, CallExecution.mayHaveRun),
    (.otherRequest, .invalidArgument, .unspecified),
  ])
  func anAttemptThatIsNotCarriedOutAgainSaysWhy(
    _ prior: PriorAttempt, _ code: StatusCode, _ execution: CallExecution
  ) async throws {
    let notes = Notes(prior: prior)
    try await withService(notes) { client, count in
      let error = await client.failure(of: Self.pay, options: try options("k"))
      #expect(error.code == code && error.execution == execution)
      #expect(count.runs == 0)
    }
  }

  @Test(arguments: [
    (StatusCode.resourceExhausted, StatusCode.resourceExhausted), (.unavailable, .internal),
  ])
  func withoutARecordTheCallIsNotBegun(_ breaks: StatusCode, _ code: StatusCode) async throws {
    let notes = Notes(breaks: Notes.Broken(rpcError: RPCError(breaks, "the disk")))
    try await withService(notes) { client, count in
      let error = await client.failure(of: Self.pay, options: try options("k"))
      #expect(error.code == code && error.execution == .notStarted)
      #expect(count.runs == 0)
    }
  }

  @Test func callsWithoutAKeyAndThoseThatMayBeRepeatedAreNotNoted() async throws {
    let notes = Notes()
    try await withService(notes) { client, count in
      _ = try await client.unary(Self.pay, encodedRequest: [])
      _ = try await client.unary(Self.look, encodedRequest: [], options: try options("k"))
      #expect(count.runs == 2)
    }
    #expect(notes.begun.withLock { $0.isEmpty })
  }

  @Test func aWorkerWithoutARecordRefusesAKeyAndStartsNothing() async throws {
    let echo = EchoService()
    try await withEcho(.inProcess, echo) { client, _, _ in
      let error = await client.failure(of: EchoService.fail, options: try options("k"))
      #expect(error.code == .failedPrecondition && error.execution == .notStarted)
      _ = try await client.say(options: try options("k"))
    }
  }

  // MARK: - Turns

  /// The order in which turns came.
  private final class Order: Sendable {
    private let state = Mutex<[Int]>([])
    var numbers: [Int] { state.withLock { $0 } }
    func add(_ number: Int) { state.withLock { $0.append(number) } }
  }

  @Test func whoWaitsForAKeyGetsItInTheOrderOfArrival() async throws {
    let turns = KeyedTurns<String>()
    let order = Order()
    let inside = Signal()
    let leave = Signal()
    let hold: @Sendable () async throws -> Void = {
      try await turns.run("k") {
        inside.set()
        await leave.wait()
      }
    }
    let first = Task { try await hold() }
    await inside.wait()
    var waiting: [Task<Void, any Error>] = []
    for number in 0..<8 {
      let turn: @Sendable () async throws -> Void = {
        try await turns.run("k") { order.add(number) }
      }
      waiting.append(Task { try await turn() })
      while turns.waiting(for: "k") <= number { await Task.yield() }
    }
    let keys = try await turns.run("other") { turns.count }
    #expect(keys == 2, "another key is free")
    waiting[3].cancel()
    _ = await waiting[3].result
    leave.set()
    try await first.value
    for (number, task) in waiting.enumerated() where number != 3 { try await task.value }
    #expect(order.numbers == [0, 1, 2, 4, 5, 6, 7])
    #expect(turns.count == 0)
  }

  @Test func aKeyIsFreeAgainAfterAnError() async throws {
    let turns = KeyedTurns<String>()
    do {
      try await turns.run("k") { throw Notes.Full() }
      Issue.record("the error is told")
    } catch {
      #expect(error is Notes.Full)
    }
    #expect(turns.count == 0)
    let answer = try await turns.run("k") { 7 }
    #expect(answer == 7)
  }
}
