import Crypto
import KithStore

/// What signs passes, as a row.
struct StoredPassKey: StoredRecord {
  static let table = "pass_key"
  static let only = "ed25519"

  private let bytes: Sealed<[UInt8]>
  var id: String { Self.only }

  init(_ key: Curve25519.Signing.PrivateKey) { bytes = Sealed(Array(key.rawRepresentation)) }
  init(_ row: RecordReader) throws { bytes = try row["key"] }
  func write(to row: inout RecordWriter) throws { try row.set("key", bytes) }

  /// The key.
  func key() throws -> Curve25519.Signing.PrivateKey {
    try Curve25519.Signing.PrivateKey(rawRepresentation: try bytes.value)
  }
}
