import BenchmarkKit
import GRDB
import KithSealing
import KithStore
import Synchronization

/// Durable inserts of 200 bytes: through a store, and through GRDB alone with a transaction for
/// each.
struct WriteBenchmark {
  let folder: String
  let duration: Duration

  private static let payload = String(repeating: "x", count: 200)
  private static let schema =
    "CREATE TABLE row (id INTEGER PRIMARY KEY NOT NULL, text TEXT NOT NULL) STRICT"
  private static let insertion = "INSERT INTO row (text) VALUES (?)"

  func run() async throws {
    let file = KeyRingFile(path: "\(folder)/\(KeyRingFile.name)")
    try file.makeIfMissing()
    let store = try Store(
      path: "\(folder)/\(Store.fileName)", keys: try SealingKeys(file: file, worker: "bench"),
      migrations: [
        Store.Migration("1", creating: [Store.Table("row", [.number("id"), .text("text")])])
      ])
    let write: @Sendable () async throws -> Void = {
      try await store.write { transaction in
        _ = try transaction.execute("INSERT INTO row (text) VALUES (\(Self.payload))")
      }
    }
    let pool = try DatabasePool(path: "\(folder)/plain.sqlite")
    try await pool.writeWithoutTransaction { database in
      try database.execute(sql: "PRAGMA synchronous = FULL; \(Self.schema)")
    }
    let plain: @Sendable () async throws -> Void = {
      try await pool.write { database in
        try database.cachedStatement(sql: Self.insertion).execute(arguments: [Self.payload])
      }
    }

    print("Durable writes, each caller with its next one as soon as the last is done:\n")
    var table = Table(
      "callers", "store/s", "p50 ms", "p99 ms", "plain GRDB/s", "p50 ms", "p99 ms", "times",
      "floor", "")
    for callers in [1, 8, 64, 256] {
      let grouped = try await LoadGenerator.run(inFlight: callers, for: duration, write)
      let single = try await LoadGenerator.run(inFlight: callers, for: duration, plain)
      let floor = callers == 64 ? Floor.above(3_000) : nil
      table.add(
        ["\(callers)"] + Self.cells(grouped) + Self.cells(single)
          + [(grouped.callsPerSecond / single.callsPerSecond).formatted(decimals: 1)]
          + [floor?.text ?? "", floor.map { $0.cells(for: grouped.callsPerSecond)[1] } ?? ""])
    }
    print(table.text + "\n")

    print("1,000 durable writes a second, begun on time whether or not those before are done:\n")
    var paced = Table("", "begun/s", "p50 ms", "p99 ms", "floor of p99", "")
    let floor = Floor.below(20)
    let atPace = try await LoadGenerator.paced(1_000, for: duration, write)
    paced.add(
      "store", atPace.callsPerSecond.formatted(), Self.milliseconds(atPace.p50),
      Self.milliseconds(atPace.p99), floor.text, floor.cells(for: atPace.p99 / 1_000)[1])
    let single = try await LoadGenerator.paced(1_000, for: duration, plain)
    paced.add(
      "plain GRDB", single.callsPerSecond.formatted(), Self.milliseconds(single.p50),
      Self.milliseconds(single.p99), "", "")
    print(paced.text + "\n")

    let stored = try await store.read {
      try $0.rows("SELECT count(*) AS number FROM row")[0]["number"] as Int
    }
    print("\(Double(stored).formatted()) rows in the store.\n")
  }

  private static func cells(_ sample: LoadGenerator.Sample) -> [String] {
    [sample.callsPerSecond.formatted(), milliseconds(sample.p50), milliseconds(sample.p99)]
  }

  private static func milliseconds(_ microseconds: Double) -> String {
    (microseconds / 1_000).formatted(decimals: 2)
  }
}
