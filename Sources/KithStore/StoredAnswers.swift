import FoundationEssentials
import GRDB
public import KithRPC

/// The record by which a worker answers repeated calls, in its store.
///
///     let answers = StoredAnswers(in: store, key: key, now: { Int64(time(nil)) })
///     return [.billing(service).answeringRepeats(from: answers)]
///
/// A key is remembered for ``lifetime`` from its first call on. Neither key nor request is kept, only fingerprints of
/// them under the sealing key; the answer is sealed.
public struct StoredAnswers: AnswerRecord {
  /// The migration that makes the table; one of those that the store is opened with.
  public static let migration = Store.Migration("kith answers 1") { database in
    try database.execute(
      sql: """
        CREATE TABLE kith_answer (
          -- Fingerprint of method, caller and key.
          id BLOB PRIMARY KEY NOT NULL,
          -- Fingerprint of the request.
          request BLOB NOT NULL,
          -- Seconds since 1970.
          expires INTEGER NOT NULL,
          -- Sealed; NULL from the call's begin to its end.
          answer BLOB
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX kith_answer_expires ON kith_answer (expires);
        """)
  }

  /// How long a key is remembered.
  public let lifetime: Duration
  private let store: Store
  private let key: SealingKey
  private let now: @Sendable () -> Int64

  /// A record.
  /// - Parameters:
  ///   - store: a store that was opened with ``migration``.
  ///   - key: what seals the answers.
  ///   - lifetime: how long a key is remembered; 24 hours unless given.
  ///   - now: wall time, in seconds since 1970; a key must be remembered over restarts of the machine too.
  public init(
    in store: Store, key: SealingKey, lifetime: Duration = .seconds(24 * 60 * 60),
    now: @escaping @Sendable () -> Int64
  ) {
    self.store = store
    self.key = key
    self.lifetime = lifetime
    self.now = now
  }

  /// Notes that a call begins, unless its key is known.
  public func begin(_ call: KeyedCall) async throws -> PriorAttempt {
    let (id, request) = (id(of: call), Data(key.fingerprint(call.request)))
    let now = now()
    let expires = now + lifetime.components.seconds
    let known = try await store.write { database -> Known? in
      try database.execute(sql: "DELETE FROM kith_answer WHERE expires <= ?", arguments: [now])
      try database.execute(
        sql:
          "INSERT INTO kith_answer (id, request, expires) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
        arguments: [id, request, expires])
      guard database.changesCount == 0 else { return nil }
      let row = try Row.fetchOne(
        database, sql: "SELECT request, answer FROM kith_answer WHERE id = ?", arguments: [id])
      return row.map { Known(request: $0["request"], answer: $0["answer"]) }
    }
    guard let known else { return .none }
    guard known.request == request else { return .otherRequest }
    guard let sealed = known.answer else { return .unfinished }
    return .answered(try key.open([UInt8](sealed), for: Self.place))
  }

  /// What the table holds of a key.
  private struct Known {
    var request: Data
    var answer: Data?
  }

  /// Notes how a call ended.
  public func finish(_ call: KeyedCall, answer: [UInt8]) async throws {
    let id = id(of: call)
    let sealed = Data(try key.seal(answer, for: Self.place))
    try await store.write { database in
      try database.execute(
        sql: "UPDATE kith_answer SET answer = ? WHERE id = ?", arguments: [sealed, id])
    }
  }

  /// Forgets a call that has changed nothing.
  public func forget(_ call: KeyedCall) async throws {
    let id = id(of: call)
    try await store.write { database in
      try database.execute(sql: "DELETE FROM kith_answer WHERE id = ?", arguments: [id])
    }
  }

  private static let place = "kith_answer"

  private func id(of call: KeyedCall) -> Data {
    // Neither a method nor a caller holds a NUL, so that no two calls run together to the same bytes.
    Data(key.fingerprint(Array("\(call.method)\0\(call.caller)\0\(call.key)".utf8)))
  }
}
