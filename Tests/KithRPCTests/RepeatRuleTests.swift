import Synchronization
import Testing

@testable import KithRPC

/// The rules of calls under an idempotency key, one by one.
@Suite(.timeLimit(.minutes(2)))
struct RepeatRuleTests {
  private static let pay = MethodDescriptor(service: "test.Rule", method: "Pay")
  private static let look = MethodDescriptor(
    service: "test.Rule", method: "Look", idempotency: .noSideEffects)

  /// A store that keeps answers in memory, as a handler tells it.
  private final class Answers: AnswerKeeper {
    let calls = Mutex<[KeyedCall]>([])

    /// What a write of the handler does about its call.
    func write(_ context: CallContext, _ request: [UInt8], keeping answer: [UInt8]?) throws {
      try ChangingCall.current?.beginWrite(to: self)
      if let call = context.keyedCall(request) { calls.withLock { $0.append(call) } }
      if let answer { ChangingCall.current?.keep(answer) }
    }
  }

  /// Runs `body` with a client of a service that keeps its answers.
  private func withService(
    _ answers: Answers, keeping answer: [UInt8]? = nil, _ body: (RPCClient) async throws -> Void
  ) async throws {
    let service = ServiceDefinition(
      name: "test.Rule",
      methods: [
        .encodedUnary(Self.pay) { request, context in
          try answers.write(context, request, keeping: answer)
          return request
        },
        .encodedUnary(Self.look) { request, _ in
          try ChangingCall.current?.checkPlainWrite(to: answers)
          return request
        },
      ])
    let place = TransportKind.inProcess.makePlace()
    let server = RPCServer(services: [service.keepingAnswers(in: answers)])
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    defer {
      client.close()
      server.close()
    }
    try await body(client)
  }

  private func options(_ key: String, user: [String] = []) throws -> CallOptions {
    var metadata = Metadata()
    for name in user { metadata.append(name, forKey: CallContext.userKey) }
    return CallOptions(
      metadata: metadata, idempotencyKey: try IdempotencyKey(key), retry: .never)
  }

  @Test func keysOfDifferentPersonsDoNotMeet() async throws {
    let answers = Answers()
    try await withService(answers, keeping: [1]) { client in
      for user in [[], ["ada"], ["bo"], ["ada", "bo"], ["ada"]] {
        _ = try await client.unary(
          Self.pay, encodedRequest: [1], options: try options("k", user: user))
      }
    }
    let callers = answers.calls.withLock { $0.map(\.caller) }
    #expect(Set(callers).count == 4 && callers[1] == callers[4])
    #expect(callers.allSatisfy { $0.hasPrefix("uid \(RPCTestSystem.userID)") })
    #expect(
      answers.calls.withLock { $0.allSatisfy { $0.method == "test.Rule/Pay" && $0.key == "k" } })
  }

  @Test func aCallUnderAKeyIsAnsweredWithWhatWasKept() async throws {
    try await withService(Answers(), keeping: [7, 7]) { client in
      let kept = try await client.unary(
        Self.pay, encodedRequest: [1], options: try options("k"))
      #expect(kept.message == [7, 7])
      let plain = try await client.unary(Self.pay, encodedRequest: [1])
      #expect(plain.message == [1])
    }
  }

  @Test func aCallUnderAKeyThatKeepsNoAnswerIsAnError() async throws {
    try await withService(Answers()) { client in
      let error = await client.failure(of: Self.pay, options: try options("k"))
      #expect(error.code == .internal && error.execution == .mayHaveRun)
      _ = try await client.unary(Self.pay, encodedRequest: [])
    }
  }

  /// A write beside the door is refused, until the handler has ended; another store is nobody's
  /// concern.
  @Test func aWriteWithoutItsAnswerIsRefusedWhileItsHandlerRuns() throws {
    let (answers, others) = (Answers(), Answers())
    let call = ChangingCall(Self.pay, answers)
    #expect(throws: RPCError.self) { try call.checkPlainWrite(to: answers) }
    try call.checkPlainWrite(to: others)
    try call.beginWrite(to: answers)
    try call.beginWrite(to: others)
    #expect(throws: RPCError.self) { try call.beginWrite(to: answers) }
    call.end()
    try call.checkPlainWrite(to: answers)
  }

  /// A method that may be repeated as it is writes as it likes.
  @Test func whatMayBeRepeatedIsNotConcerned() async throws {
    let answers = Answers()
    try await withService(answers) { client in
      _ = try await client.unary(Self.look, encodedRequest: [], options: try options("k"))
    }
    #expect(answers.calls.withLock { $0.isEmpty })
  }

  @Test func aWorkerThatKeepsNoAnswersRefusesAKeyAndStartsNothing() async throws {
    let echo = EchoService()
    try await withEcho(.inProcess, echo) { client, _, _ in
      let error = await client.failure(of: EchoService.fail, options: try options("k"))
      #expect(error.code == .failedPrecondition && error.execution == .notStarted)
      _ = try await client.say(options: try options("k"))
    }
  }
}
