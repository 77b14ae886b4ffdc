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
      let (id, database) = (StoredAnswers.id(of: call, transaction), transaction.database)
      let fingerprint = Data(
        transaction.sealing.fingerprint(call.request, of: "kith_answer.request"))
      try database.execute(sql: "DELETE FROM kith_answer WHERE expires <= ?", arguments: [now])
      let row = try Row.fetchOne(
        database, sql: "SELECT request, answer_sealed FROM kith_answer WHERE id = ?",
        arguments: [id])
      if let row, let sealed: Data = row["answer_sealed"] {
        guard row["request"] == fingerprint else {
          throw RPCError.idempotencyKeyOfAnotherRequest
        }
        return try Answer(
          decoding: try transaction.sealing.keys.open(Array(sealed), at: StoredAnswers.place(id)))
      }
      let answer = try body(transaction)
      let sealed = Data(
        try transaction.sealing.keys.seal(try answer.encoded(), at: StoredAnswers.place(id)))
      try database.execute(
        sql:
          "INSERT OR REPLACE INTO kith_answer (id, request, expires, answer_sealed) VALUES (?, ?, ?, ?)",
        arguments: [id, fingerprint, expires, sealed])
      return answer
    }
  }
}
