import FoundationEssentials
import GRDB
public import KithRPC
import KithSealing

/// The record by which a worker answers repeated calls, in its store.
///
///     let answers = StoredAnswers(in: store, now: { Int64(time(nil)) })
///     return [.billing(service).answeringRepeats(from: answers)]
///
/// A key is remembered for ``lifetime`` from its first call on. Neither key nor request is kept, only fingerprints of
/// them; the answer is sealed.
public struct StoredAnswers: AnswerRecord {
  static let migration = Store.Migration(
    "kith answers 1",
    creating: [
      Store.Table(
        "kith_answer",
        [
          // Fingerprint of method, caller and key.
          .bytes("id"),
          // Fingerprint of the request.
          .bytes("request"),
          // Seconds since 1970.
          .integer("expires"),
          // NULL from the call's begin to its end.
          .sealed("answer").optional,
        ], indexes: [Store.Index("kith_answer_expires", on: "expires")], clustered: true)
    ])

  /// How long a key is remembered.
  public let lifetime: Duration
  private let store: Store
  private let now: @Sendable () -> Int64

  /// A record.
  /// - Parameters:
  ///   - store: the worker's store.
  ///   - lifetime: how long a key is remembered; 24 hours unless given.
  ///   - now: wall time, in seconds since 1970; a key must be remembered over restarts of the machine too.
  public init(
    in store: Store, lifetime: Duration = .seconds(24 * 60 * 60),
    now: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    self.lifetime = lifetime
    self.now = now
  }

  /// Notes that a call begins, unless its key is known.
  public func begin(_ call: KeyedCall) async throws -> PriorAttempt {
    let now = now()
    let expires = now + lifetime.components.seconds
    return try await store.write { transaction in
      let prior = try Self.prior(call, now: now, transaction)
      if prior == .none {
        try transaction.database.execute(
          sql: "INSERT INTO kith_answer (id, request, expires) VALUES (?, ?, ?)",
          arguments: [
            Self.id(of: call, transaction), Self.request(of: call, transaction), expires,
          ])
      }
      return prior
    }
  }

  /// Notes how a call ended.
  public func finish(_ call: KeyedCall, answer: [UInt8]) async throws {
    try await store.write { transaction in
      let id = Self.id(of: call, transaction)
      let sealed = Data(try transaction.sealing.keys.seal(answer, at: Self.place(id)))
      try transaction.database.execute(
        sql: "UPDATE kith_answer SET answer_sealed = ? WHERE id = ?", arguments: [sealed, id])
    }
  }

  /// Forgets a call that has changed nothing.
  public func forget(_ call: KeyedCall) async throws {
    try await store.write { transaction in
      try transaction.database.execute(
        sql: "DELETE FROM kith_answer WHERE id = ?", arguments: [Self.id(of: call, transaction)])
    }
  }

  /// What is known of a call's key; what is too old to be known is forgotten first.
  static func prior(
    _ call: KeyedCall, now: Int64, _ transaction: WriteTransaction
  ) throws -> PriorAttempt {
    let (id, database) = (id(of: call, transaction), transaction.database)
    try database.execute(sql: "DELETE FROM kith_answer WHERE expires <= ?", arguments: [now])
    let row = try Row.fetchOne(
      database, sql: "SELECT request, answer_sealed FROM kith_answer WHERE id = ?",
      arguments: [id])
    guard let row else { return .none }
    guard row["request"] == request(of: call, transaction) else { return .otherRequest }
    guard let sealed: Data = row["answer_sealed"] else { return .unfinished }
    // A damaged answer is one that is not known; the call was carried out, and is not to be again.
    return transaction.sealing.open(Array(sealed), at: place(id)).map { .answered($0) }
      ?? .unfinished
  }

  static func request(of call: KeyedCall, _ transaction: WriteTransaction) -> Data {
    Data(transaction.sealing.fingerprint(call.request, of: "kith_answer.request"))
  }

  static func place(_ id: Data) -> SealedPlace {
    RowKey.place(table: "kith_answer", column: "answer_sealed", key: id.databaseValue)
  }

  static func id(of call: KeyedCall, _ transaction: WriteTransaction) -> Data {
    // Neither a method nor a caller holds a NUL, so that no two calls run together to the same bytes.
    let bytes = Array("\(call.method)\0\(call.caller)\0\(call.key)".utf8)
    return Data(transaction.sealing.fingerprint(bytes, of: "kith_answer.id"))
  }
}
