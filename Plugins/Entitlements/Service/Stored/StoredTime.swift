import EntitlementsDomain
import KithStore
import KithTime

/// The latest moment that is known to have been, as a row.
struct StoredTime: StoredRecord {
  static let table = "clock"
  static let only = "latest"

  let time: LatestTime
  var id: String { Self.only }

  init(_ time: LatestTime) { self.time = time }

  init(_ row: RecordReader) throws {
    time = LatestTime(latest: Instant(milliseconds: try row["latest_ms"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("latest_ms", time.latest.milliseconds)
  }
}
