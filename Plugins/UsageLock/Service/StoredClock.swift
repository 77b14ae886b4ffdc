import KithStore
import KithTime

/// The trusted clock as a row.
struct StoredClock: StoredRecord {
  static let table = "clock"
  static let only = "clock"

  let clock: TrustedClock
  var id: String { Self.only }

  init(_ clock: TrustedClock) { self.clock = clock }

  init(_ row: RecordReader) throws {
    clock = TrustedClock(
      now: Instant(milliseconds: try row["now_ms"]), boot: try row["boot"],
      sinceBoot: .milliseconds(try row["since_boot_ms"] as Int64),
      wall: Instant(milliseconds: try row["wall_ms"]),
      unproven: .milliseconds(try row["unproven_ms"] as Int64))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("now_ms", clock.now.milliseconds)
    row.set("boot", clock.boot)
    row.set("since_boot_ms", clock.sinceBoot.milliseconds)
    row.set("wall_ms", clock.wall.milliseconds)
    row.set("unproven_ms", clock.unproven.milliseconds)
  }
}

extension Duration {
  /// In whole milliseconds.
  var milliseconds: Int64 {
    components.seconds * 1000 + components.attoseconds / 1_000_000_000_000_000
  }
}

extension Instant {
  /// As the contracts count: milliseconds since 1970-01-01T00:00:00Z.
  var contract: Int64 { Int64(milliseconds) }
}
