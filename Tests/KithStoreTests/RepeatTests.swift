import KithRPC
import KithTesting
import Synchronization
import Testing
import TestingContract

@testable import KithStore

/// Calls under an idempotency key: carried out once, whatever ends in between.
@Suite(.timeLimit(.minutes(2)))
struct RepeatTests {
  @Test func aRepeatIsAnsweredWithWhatWasKept() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      let first = try await client.pay("10", key: key)
      let second = try await client.pay("10", key: key)
      #expect(first == "payment 1 of 10" && second == first)
      let paid1 = try await client.pay("10", key: .random())
      #expect(paid1 == "payment 2 of 10")
    }
    #expect(try await purse.payments == 2)
  }

  @Test func theAnswersOutliveTheProcess() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    for _ in 0..<2 {
      try await purse.serve { client in
        let paid2 = try await client.pay("10", key: key)
        #expect(paid2 == "payment 1 of 10")
      }
    }
    #expect(try await purse.payments == 1)
  }

  @Test func aKeyStandsForOneRequest() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      _ = try await client.pay("10", key: key)
      let error = await client.failureOfPaying("11", key: key)
      #expect(error.code == .invalidArgument, "\(error)")
    }
    #expect(try await purse.payments == 1)
  }

  /// An error takes the change back: there is nothing that a repeat could do twice.
  @Test(arguments: StatusCode.allCases.dropFirst())
  func aCallThatFailedIsMadeAgain(_ code: StatusCode) async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      purse.failure.withLock { $0 = RPCError(code, "later") }
      #expect(await client.failureOfPaying("10", key: key).code == code)
      purse.failure.withLock { $0 = nil }
      let paid3 = try await client.pay("10", key: key)
      #expect(paid3 == "payment 1 of 10")
    }
    #expect(try await purse.payments == 1)
  }

  @Test func repeatsThatComeTogetherAreCarriedOutOnce() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      let messages = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<20 { group.addTask { try await client.pay("10", key: key) } }
        return try await group.reduce(into: Set()) { $0.insert($1) }
      }
      #expect(messages == ["payment 1 of 10"])
    }
    #expect(try await purse.payments == 1)
  }

  @Test func aKeyIsForgottenWhenItsTimeIsOver() async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      _ = try await client.pay("10", key: key)
      purse.clock.add(24 * 60 * 60 - 1, ordering: .relaxed)
      let paid4 = try await client.pay("10", key: key)
      #expect(paid4 == "payment 1 of 10")
      purse.clock.add(1, ordering: .relaxed)
      let paid5 = try await client.pay("10", key: key)
      #expect(paid5 == "payment 2 of 10")
    }
  }

  // MARK: The one way to write

  @Test(arguments: [IdempotencyKey.random(), nil])
  func aHandlerThatWritesWithoutItsAnswerChangesNothing(_ key: IdempotencyKey?) async throws {
    let purse = try Purse()
    purse.way.withLock { $0 = .plain }
    try await purse.serve { client in
      let error = await client.failureOfPaying("10", key: key)
      #expect(error.code == .internal && error.message.contains("test.Purse/Pay"), "\(error)")
    }
    #expect(try await purse.payments == 0)
  }

  @Test func aHandlerThatKeepsNoAnswerIsAnError() async throws {
    let purse = try Purse()
    purse.way.withLock { $0 = .not }
    try await purse.serve { client in
      let error = await client.failureOfPaying("10", key: .random())
      #expect(error.code == .internal && error.execution == .mayHaveRun, "\(error)")
      let paid6 = try await client.pay("10", key: nil)
      #expect(paid6 == "nothing")
    }
  }

  @Test(arguments: [IdempotencyKey.random(), nil])
  func aHandlerWritesOnce(_ key: IdempotencyKey?) async throws {
    let purse = try Purse()
    purse.way.withLock { $0 = .twice }
    try await purse.serve { client in
      #expect(await client.failureOfPaying("10", key: key).code == .internal)
    }
    #expect(try await purse.payments == 1)
  }

  /// The first answer and its repeats are the same, whatever the handler makes of what it wrote.
  @Test func whatIsAnsweredIsWhatWasKept() async throws {
    let purse = try Purse()
    purse.way.withLock { $0 = .keptAndChanged }
    let key = IdempotencyKey.random()
    try await purse.serve { client in
      for _ in 0..<2 {
        let paid = try await client.pay("10", key: key)
        #expect(paid == "payment 1 of 10")
      }
    }
  }

  @Test func whatAHandlerLeftRunningWritesAsItLikes() async throws {
    let purse = try Purse()
    let store = try purse.openStore()
    let begun = Mutex<Task<Void, any Error>?>(nil)
    let (ended, end) = AsyncStream.makeStream(of: Void.self)
    let service = ServiceDefinition(
      name: "test.Purse",
      methods: [
        .encodedUnary(Purse.pay) { request, _ in
          begun.withLock { task in
            task = Task {
              for await _ in ended { break }
              try await store.write { try $0.execute("INSERT INTO payment (what) VALUES ('x')") }
            }
          }
          return request
        }
      ]
    ).keepingAnswers(in: store)
    try await Own.serving(service) { client in
      _ = try await client.unary(Purse.pay, encodedRequest: [])
      end.yield()
      try await begun.withLock { $0 }?.value
    }
    #expect(try await purse.payments == 1)
  }

  @Test func aWorkerThatKeepsNoAnswersRefusesThePromise() async throws {
    let purse = try Purse()
    try await purse.serve(keeping: false) { client in
      let error = await client.failureOfPaying("10", key: .random())
      #expect(error.code == .failedPrecondition && error.execution == .notStarted, "\(error)")
      // What does no harm twice needs no record.
      let looked = try await client.unary(
        Purse.look, encodedRequest: [], options: CallOptions(idempotencyKey: .random()))
      #expect(looked.message == [1])
    }
    #expect(try await purse.payments == 0)
  }

  // MARK: What is kept

  /// A row without an answer was left by an earlier version, whose handler may have run.
  @Test(arguments: [nil, [1, 0, 0, 0, 1, 0xA5, 0xA5]] as [[UInt8]?])
  func aLostAnswerIsNoReasonToDoItTwice(_ answer: [UInt8]?) async throws {
    let purse = try Purse()
    let key = IdempotencyKey.random()
    try await purse.serve { _ = try await $0.pay("10", key: key) }
    let store = try purse.openStore()
    try await store.write { try $0.execute("UPDATE kith_answer SET answer_sealed = \(answer)") }
    try store.close()
    try await purse.serve { client in
      for _ in 0..<2 {
        let error = await client.failureOfPaying("10", key: key)
        #expect(error.code == .aborted && error.execution == .mayHaveRun, "\(error)")
      }
    }
    #expect(try await purse.payments == 1)
  }

  @Test func nothingPersonalIsReadableInTheFiles() async throws {
    let purse = try Purse()
    let key = try IdempotencyKey("a-key-that-names-Ada")
    purse.way.withLock { $0 = .kept }
    let store = try purse.openStore()
    let call = KeyedCall(
      method: "test.Purse/Pay", caller: "uid 1", key: key.text, request: Array("Ada's rent".utf8))
    try await store.write { try $0.keep(Array("payment".utf8), of: call, until: 1) }
    for name in TemporaryFolder.names(in: purse.folder.path) {
      let text = TemporaryFolder.text(of: "\(purse.folder.path)/\(name)") ?? ""
      #expect(!text.contains("Ada"), "\(name) holds what is personal")
      #expect(!text.contains("payment 1"), "\(name) holds an answer")
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
