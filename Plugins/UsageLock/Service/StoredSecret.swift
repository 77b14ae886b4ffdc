import KithStore

/// What the tokens of emergency passes are signed with, as a row.
struct StoredSecret: StoredRecord {
  static let table = "secret"
  static let only = "pass"

  let bytes: Sealed<[UInt8]>
  var id: String { Self.only }

  init(_ row: RecordReader) throws { bytes = try row["key"] }

  /// A secret of 256 random bits.
  private init() {
    var random = SystemRandomNumberGenerator()
    bytes = Sealed((0..<32).map { _ in UInt8.random(in: .min ... .max, using: &random) })
  }

  func write(to row: inout RecordWriter) throws { try row.set("key", bytes) }

  /// The tokens of the secret, which is made when it is first needed.
  static func tokens(_ transaction: WriteTransaction) throws -> PassToken {
    if let known = try transaction.record(Self.self, id: only) {
      return PassToken(try known.bytes.value)
    }
    let fresh = StoredSecret()
    try transaction.save(fresh)
    return PassToken(try fresh.bytes.value)
  }
}
