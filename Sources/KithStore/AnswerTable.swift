import KithRPC
import KithSealing

/// The answers of calls under idempotency keys.
enum AnswerTable {
  static let name = "kith_answer"

  static let migration = Store.Migration(
    "kith answers 1",
    creating: [
      Store.Table(
        name,
        [
          // Fingerprint of method, caller and key.
          .bytes("id"),
          // Fingerprint of the request.
          .bytes("request"),
          // Seconds since 1970.
          .integer("expires"),
          // NULL in rows of earlier versions, from a call's begin to its end.
          .sealed("answer").optional,
        ], indexes: [Store.Index("kith_answer_expires", on: "expires")], clustered: true)
    ])

  static func request(of call: KeyedCall, _ sealing: StoreSealing) -> [UInt8] {
    sealing.fingerprint(call.request, of: "kith_answer.request")
  }

  static func place(_ id: [UInt8]) -> SealedPlace {
    RowKey.place(table: name, column: "answer_sealed", key: .bytes(id))
  }

  static func id(of call: KeyedCall, _ sealing: StoreSealing) -> [UInt8] {
    // Neither a method nor a caller holds a NUL, so that no two calls run together to the same
    // bytes.
    let bytes = Array("\(call.method)\0\(call.caller)\0\(call.key)".utf8)
    return sealing.fingerprint(bytes, of: "kith_answer.id")
  }
}

extension WriteTransaction {
  /// The answer that is kept for a call's key; nil if there is none. Keys whose time is over are
  /// forgotten first.
  /// - Throws: INVALID_ARGUMENT if the key stands for another request; ABORTED if its answer is
  ///   damaged or was never kept.
  func answer(of call: KeyedCall, now: Int64) throws -> [UInt8]? {
    try execute("DELETE FROM kith_answer WHERE expires <= \(now)")
    let id = AnswerTable.id(of: call, sealing)
    let rows = try rows("SELECT request, answer_sealed FROM kith_answer WHERE id = \(id)")
    guard let row = rows.first else { return nil }
    guard try row["request"] == AnswerTable.request(of: call, sealing) else {
      throw RPCError.idempotencyKeyOfAnotherRequest
    }
    // The call was carried out, and is not to be again though nobody knows its answer.
    guard let sealed: [UInt8] = try row["answer_sealed"],
      let answer = sealing.open(sealed, at: AnswerTable.place(id))
    else { throw RPCError.idempotencyKeyOfLostAnswer }
    return answer
  }

  /// Keeps the answer of a call.
  /// - Parameter expires: when its key is forgotten, in seconds since 1970.
  func keep(_ answer: [UInt8], of call: KeyedCall, until expires: Int64) throws {
    let id = AnswerTable.id(of: call, sealing)
    let sealed = try sealing.keys.seal(answer, at: AnswerTable.place(id))
    try execute(
      """
      INSERT INTO kith_answer (id, request, expires, answer_sealed)
      VALUES (\(id), \(AnswerTable.request(of: call, sealing)), \(expires), \(sealed))
      """)
  }
}
