import FlagsContract
import KithStore

/// A change as a row. Rows are only added.
struct StoredChange: StoredRecord {
  /// What was done, in stored words.
  enum Kind: String, StoreConvertible {
    case put, removed, killed, released, frozen
    case segmentPut = "segment_put"

    var message: ChangeKind {
      switch self {
      case .put: .put
      case .removed: .removed
      case .killed: .killed
      case .released: .released
      case .frozen: .frozen
      case .segmentPut: .segmentPut
      }
    }
  }

  static let table = "change"
  static let idColumn = "revision"

  /// The revision that it made.
  let id: Int64
  let subject: String
  let kind: Kind
  let by: String
  let at: Int64
  let why: Sealed<String>
  let before: String?
  let after: String?

  var message: Change {
    Change(
      revision: UInt64(id), key: subject, kind: kind.message, by: by, atMs: at,
      why: why.intact ?? "", before: before ?? "", after: after ?? "")
  }
}

extension StoredChange {
  init(_ row: RecordReader) throws {
    self.init(
      id: try row["revision"], subject: try row["subject"], kind: try row["kind"],
      by: try row["made_by"], at: try row["at_ms"], why: try row["why"],
      before: try row["before"], after: try row["after"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("subject", subject)
    row.set("kind", kind)
    row.set("made_by", by)
    row.set("at_ms", at)
    try row.set("why", why)
    row.set("before", before)
    row.set("after", after)
  }
}
