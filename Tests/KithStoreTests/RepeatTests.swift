import KithRPC
import KithStore
import KithTesting
import Synchronization
import Testing
import TestingContract

/// Calls under an idempotency key: carried out once, whatever ends in between.
@Suite(.timeLimit(.minutes(2)))
struct RepeatTests {
  @Test func aRepeatIsAnsweredFromTheRecordWordForWord() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      let first = try await client.pay("10", key: key)
      let second = try await client.pay("10", key: key)
      #expect(first.message == Array("payment 1 of 10".utf8))
      #expect(second.message == first.message)
      #expect(second.metadata == first.metadata && second.trailers == first.trailers)
      let other = try await client.pay("10", key: .random())
      #expect(other.message == Array("payment 2 of 10".utf8))
    }
    #expect(purse.payments.load(ordering: .relaxed) == 2)
  }

  @Test func theRecordOutlivesTheProcess() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { _ = try await $0.pay("10", key: key) }
    try await purse.serve { client in
      let repeated = try await client.pay("10", key: key)
      #expect(repeated.message == Array("payment 1 of 10".utf8))
    }
    #expect(purse.payments.load(ordering: .relaxed) == 1)
  }

  @Test func anAttemptWhoseEndIsUnknownIsNeverMadeAgain() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    // What a process leaves behind that dies within its handler.
    let began = try await purse.openRecord().begin(
      KeyedCall(
        method: Purse.pay.fullName, caller: "uid \(Own.userID)", key: key.text,
        request: Array("10".utf8)))
    #expect(began == .none)
    try await purse.serve { client in
      for _ in 0..<2 {
        let error = await client.failureOfPaying("10", key: key)
        #expect(error.code == .aborted && error.execution == .mayHaveRun, "\(error)")
      }
    }
    #expect(purse.payments.load(ordering: .relaxed) == 0)
  }

  @Test func aKeyStandsForOneRequest() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      _ = try await client.pay("10", key: key)
      let error = await client.failureOfPaying("11", key: key)
      #expect(error.code == .invalidArgument, "\(error)")
    }
    #expect(purse.payments.load(ordering: .relaxed) == 1)
  }

  /// As above, for a service that writes what it changes and what it answers in one.
  @Test func aKeyStandsForOneRequestWhereChangeAndAnswerAreOne() async throws {
    let folder = try TemporaryFolder()
    let store = try folder.store()
    let context = CallContext(method: Purse.pay, idempotencyKey: IdempotencyKey.random())
    let done = Atomic(0)
    func pay(_ what: String, now: Int = 0) async throws -> String {
      try await store.write(once: context, AppendRequest(entry: what), now: now) { _ in
        AppendRequest(entry: "\(done.add(1, ordering: .relaxed).newValue): \(what)")
      }.entry
    }
    #expect(try await pay("10") == "1: 10")
    #expect(try await pay("10") == "1: 10")
    let error = await #expect(throws: RPCError.self) { _ = try await pay("11") }
    #expect(error?.code == .invalidArgument)
    #expect(done.load(ordering: .relaxed) == 1)
    // It is forgotten with its time.
    let day = 24 * 60 * 60
    #expect(try await pay("10", now: day - 1) == "1: 10")
    #expect(try await pay("11", now: day) == "2: 11")
  }

  @Test(arguments: [StatusCode.failedPrecondition, .notFound, .internal, .unknown])
  func anErrorIsAnAnswerToo(_ code: StatusCode) async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      purse.failure.withLock { $0 = RPCError(code, "no money", trailers: ["more": "why"]) }
      _ = await client.failureOfPaying("10", key: key)
      purse.failure.withLock { $0 = nil }
      let repeated = await client.failureOfPaying("10", key: key)
      #expect(repeated.code == code && repeated.message == "no money")
      #expect(repeated.trailers == ["more": "why"])
    }
    #expect(purse.payments.load(ordering: .relaxed) == 0)
  }

  @Test(arguments: [
    StatusCode.unavailable, .resourceExhausted, .aborted, .cancelled, .deadlineExceeded,
  ])
  func aCallThatSaysItChangedNothingIsMadeAgain(_ code: StatusCode) async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      purse.failure.withLock { $0 = RPCError(code, "later") }
      let refused = await client.failureOfPaying("10", key: key)
      #expect(refused.code == code)
      purse.failure.withLock { $0 = nil }
      let answer1 = try await client.pay("10", key: key)
      #expect(answer1.message == Array("payment 1 of 10".utf8))
    }
  }

  @Test func repeatsThatComeTogetherAreCarriedOutOnce() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      let messages = try await withThrowingTaskGroup(of: [UInt8].self) { group in
        for _ in 0..<20 { group.addTask { try await client.pay("10", key: key).message } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(messages == [Array("payment 1 of 10".utf8)])
    }
    #expect(purse.payments.load(ordering: .relaxed) == 1)
  }

  @Test func whatWasDoneAfterItsCallerGaveUpIsRecorded() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      let (begun, tell) = AsyncStream.makeStream(of: Void.self)
      purse.meanwhile.withLock {
        $0 = {
          tell.yield()
          // Until the caller's cancellation has come, which this handler does not heed.
          let end = ContinuousClock.now + .seconds(60)
          while !Task.isCancelled, .now < end { await Task.yield() }
        }
      }
      let first = Task { try await client.pay("10", key: key) }
      for await _ in begun { break }
      first.cancel()
      _ = await first.result
      purse.meanwhile.withLock { $0 = nil }
      let answer1 = try await client.pay("10", key: key)
      #expect(answer1.message == Array("payment 1 of 10".utf8))
    }
    #expect(purse.payments.load(ordering: .relaxed) == 1)
  }

  @Test func aKeyIsForgottenWhenItsTimeIsOver() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      _ = try await client.pay("10", key: key)
      purse.clock.add(24 * 60 * 60 - 1, ordering: .relaxed)
      let answer1 = try await client.pay("10", key: key)
      #expect(answer1.message == Array("payment 1 of 10".utf8))
      purse.clock.add(1, ordering: .relaxed)
      let answer2 = try await client.pay("10", key: key)
      #expect(answer2.message == Array("payment 2 of 10".utf8))
    }
  }

  @Test func aWorkerWithoutARecordRefusesThePromise() async throws {
    let purse = try Purse()
    try await purse.serve(recording: false) { client in
      let error = await client.failureOfPaying("10", key: .random())
      #expect(error.code == .failedPrecondition && error.execution == .notStarted, "\(error)")
      // What does no harm twice needs no record.
      let looked = try await client.unary(
        Purse.look, encodedRequest: [], options: CallOptions(idempotencyKey: .random()))
      #expect(looked.message == Array("0".utf8))
    }
    #expect(purse.payments.load(ordering: .relaxed) == 0)
  }

  @Test func aCallIsNotBegunWhenTheRecordCannotBeWritten() async throws {
    let purse = try Purse()
    struct Broken: AnswerRecord {
      struct Full: Error {}
      func begin(_ call: KeyedCall) async throws -> PriorAttempt { throw Full() }
      func finish(_ call: KeyedCall, answer: [UInt8]) async throws { throw Full() }
      func forget(_ call: KeyedCall) async throws { throw Full() }
    }
    let served = purse.definition.answeringRepeats(from: Broken())
    try await Own.serving(served) { client in
      let error = await client.failureOfPaying("10", key: .random())
      #expect(error.code == .internal && error.execution == .notStarted, "\(error)")
    }
    #expect(purse.payments.load(ordering: .relaxed) == 0)
  }

  @Test func nothingPersonalIsReadableInTheFiles() async throws {
    let purse = try Purse()
    let key = try IdempotencyKey("a-key-that-names-Ada")
    try await purse.serve { client in
      _ = try await client.pay("Ada's rent", key: key)
      for name in TemporaryFolder.names(in: purse.folder.path) {
        let text = TemporaryFolder.text(of: "\(purse.folder.path)/\(name)") ?? ""
        #expect(!text.contains("Ada"), "\(name) holds what is personal")
        #expect(!text.contains("payment"), "\(name) holds an answer")
      }
    }
  }

  @Test func anIdempotencyKeyIsVisibleASCII() throws {
    for text in ["", "a b", "é", "line\nbreak", String(repeating: "a", count: 129)] {
      #expect(throws: RPCError.self) { try IdempotencyKey(text) }
    }
    let longest = try IdempotencyKey(String(repeating: "a", count: 128))
    #expect(longest.text.count == 128)
    #expect(Set((0..<100).map { _ in IdempotencyKey.random() }).count == 100)
  }
}
