import KithStore

/// A process of this machine that was frozen, as a row: the next generation lets it go on.
struct StoredFrozenProgram: StoredRecord {
  static let table = "frozen"

  /// As the watch names it.
  let id: String
  /// How often it went on by another's hand.
  let times: Int

  init(id: String, times: Int) {
    self.id = id
    self.times = times
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    times = try row["times"]
  }

  func write(to row: inout RecordWriter) throws { row.set("times", times) }
}
