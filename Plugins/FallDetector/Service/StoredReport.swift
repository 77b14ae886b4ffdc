import KithAccess
import KithStore

/// An event or a batch that was taken, with what was answered: whatever comes again under its id
/// has no further effect.
struct StoredReport {
  let id: String
  let user: UserID
  /// When it was taken, by the worker's wall clock.
  let atMilliseconds: Int
  /// A `ReportResponse`.
  let answer: Sealed<[UInt8]>

  /// The key of an event that a device named.
  static func id(of event: String, _ user: UserID) -> String { "\(user.text)/\(event)" }

  /// The key of a batch of samples.
  static func id(of session: String, _ sequence: UInt64, _ user: UserID) -> String {
    "\(user.text)/\(session)/\(sequence)"
  }
}

extension StoredReport: UserRecord {
  static let table = "report"

  init(_ row: RecordReader) throws {
    self.init(
      id: try row["id"], user: try row.user(), atMilliseconds: try row["at_ms"],
      answer: try row["answer"])
  }

  func write(to row: inout RecordWriter) throws {
    row.set("at_ms", atMilliseconds)
    try row.set("answer", answer)
  }
}
