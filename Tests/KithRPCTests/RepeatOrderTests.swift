import Synchronization
import Testing

@testable import KithRPC

/// What is noted of a call under an idempotency key, and when its caller hears of it.
@Suite(.timeLimit(.minutes(2)))
struct RepeatOrderTests {
  /// A record in memory that takes its time over the end of a call.
  private final class SlowRecord: AnswerRecord {
    /// Set when an end is to be noted, before it is.
    let isFinishing = Signal()
    /// Lets it be noted.
    let release = Signal()
    private let answers = Mutex<[String: [UInt8]]>([:])

    func begin(_ call: KeyedCall) async throws -> PriorAttempt {
      answers.withLock { $0[call.key].map { .answered($0) } ?? .none }
    }

    func finish(_ call: KeyedCall, answer: [UInt8]) async throws {
      isFinishing.set()
      await release.wait()
      answers.withLock { $0[call.key] = answer }
    }

    func forget(_ call: KeyedCall) async throws {
      isFinishing.set()
      await release.wait()
    }
  }

  private static let pay = MethodDescriptor(service: "test.Order", method: "Pay")
  private static let look = MethodDescriptor(
    service: "test.Order", method: "Look", idempotency: .noSideEffects)

  @Test(
    "the answer leaves only after its record is finished",
    arguments: [nil, .notFound, .unavailable] as [StatusCode?])
  func anAnswerLeavesOnlyAfterItsRecordIsFinished(_ failure: StatusCode?) async throws {
    let record = SlowRecord()
    let service = ServiceDefinition(
      name: "test.Order",
      methods: [
        .encodedUnary(Self.pay) { request, _ in
          if let failure { throw RPCError(failure, "no money") }
          return request
        },
        .encodedUnary(Self.look) { request, _ in request },
      ])
    let place = TransportKind.inProcess.makePlace()
    let server = RPCServer(services: [service.answeringRepeats(from: record)])
    try server.start(on: place.makeListener())
    defer { server.close() }
    let caller = try await RawCaller.connect(place)
    defer { caller.close() }
    caller.send(caller.call(1, Self.pay, [7], key: .random()))
    await record.isFinishing.wait()
    // Answers leave in the order in which they are ready: these would come behind the first one's.
    for number in 2...20 {
      caller.send(caller.call(number, Self.look, []))
      #expect(await caller.status(number)?.code == .ok)
    }
    #expect(caller.statusSoFar(1) == nil, "it is answered before its end is noted")
    record.release.set()
    #expect(await caller.status(1)?.code == failure ?? .ok)
  }
}
