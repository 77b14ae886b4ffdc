import FamilyAlertsDomain
import KithStore
import KithTime

/// The trusted time as a row.
struct StoredTime: StoredRecord {
  static let table = "trusted_time"
  let id = "now"
  let time: TrustedTime

  init(_ time: TrustedTime) { self.time = time }

  init(_ row: RecordReader) throws {
    time = TrustedTime(
      boot: try row["boot"], instant: Instant(milliseconds: try row["instant_ms"]),
      sinceBoot: .milliseconds(try row["since_boot_ms"] as Int))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("boot", time.boot)
    row.set("instant_ms", time.instant.milliseconds)
    row.set("since_boot_ms", Int(time.sinceBoot / .milliseconds(1)))
  }
}
