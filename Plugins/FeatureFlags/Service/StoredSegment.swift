import FeatureFlagsDomain
import KithJSON
import KithStore

/// A segment as a row.
struct StoredSegment: StoredRecord {
  static let table = "segment"

  /// The segment's name.
  let id: String
  var revision: Int64
  /// JSON: a list of conditions.
  var definition: String

  /// The segment ready to be evaluated.
  func segment() throws -> Segment {
    try FlagReader.segment(try JSONValue(parsing: definition))
  }
}

extension StoredSegment {
  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], revision: try row["revision"], definition: try row["definition"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("revision", revision)
    row.set("definition", definition)
  }
}
