import FoundationEssentials
import GRDB
public import KithRPC
import KithSealing
public import KithWire

extension Store {
  /// Writes what a call changes, once for its idempotency key: the change, and the answer by which repeats are answered, are
  /// one transaction. Whatever is killed when, either both are there or neither, and a repeat does what is left to do.
  ///
  ///     func createReminder(_ request: CreateReminderRequest, context: CallContext) async throws -> Reminder {
  ///       try await store.write(once: context, request, now: clock.now.seconds) { transaction in ... }
  ///     }
  ///
  /// The service is to be marked ``ServiceDefinition/keepingOwnRecord()``. A call without a key is carried out as ever. Neither
  /// key nor request is kept, only fingerprints of them; the answer is sealed. What `body` throws is not kept: nothing was
  /// changed, and a repeat is tried anew.
  /// - Parameters:
  ///   - request: what was asked for; the same key with another request is refused.
  ///   - now: wall time in seconds since 1970, by which the key is forgotten.
  ///   - lifetime: how long the key is remembered from its first call on.
  /// - Throws: as ``write(_:)`` does; INVALID_ARGUMENT where the key was used for another request.
  public func write<Answer: WireMessage>(
    once context: CallContext, _ request: some WireMessage, now: Int,
    lifetime: Duration = .seconds(24 * 60 * 60),
    _ body: @escaping @Sendable (WriteTransaction) throws -> Answer
  ) async throws -> Answer {
    guard let call = context.keyedCall(try request.encoded()) else { return try await write(body) }
    let expires = Int64(now) + lifetime.components.seconds
    return try await write { transaction in
      switch try StoredAnswers.prior(call, now: Int64(now), transaction) {
      case .answered(let answer): return try Answer(decoding: answer)
      case .otherRequest: throw RPCError.idempotencyKeyOfAnotherRequest
      // Nothing was changed without its answer.
      case .none, .unfinished: break
      }
      let answer = try body(transaction)
      let id = StoredAnswers.id(of: call, transaction)
      let sealed = Data(
        try transaction.sealing.keys.seal(try answer.encoded(), at: StoredAnswers.place(id)))
      try transaction.database.execute(
        sql:
          "INSERT OR REPLACE INTO kith_answer (id, request, expires, answer_sealed) VALUES (?, ?, ?, ?)",
        arguments: [id, StoredAnswers.request(of: call, transaction), expires, sealed])
      return answer
    }
  }
}
