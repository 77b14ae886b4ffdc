import BenchmarkKit
import Glibc
import KithRPC
import KithTesting
import KithTime
import TestingContract

/// The test kit: how long a product takes from nothing to ready in it, and a test with a crash and
/// three days in it.
@main
struct KitBench {
  private static let rounds = 20
  private static let clock = ContinuousClock()

  static func main() async throws {
    try await Machine.printHead()
    var boots: [Double] = []
    var tests: [Double] = []
    for _ in 0..<rounds {
      let begin = clock.now
      try await RunningProduct.run(setup) { product in
        try await product.settle()
        boots.append((clock.now - begin) / .milliseconds(1))
      }
      tests.append(try await clock.measure { try await test() } / .milliseconds(1))
    }
    print("A product of three workers in the test kit, \(rounds) rounds")
    var table = Table("", "asked", "p50", "max", "")
    for (name, floor, figures) in [
      ("boot, until all are ready, ms", Floor.below(300), boots),
      ("a test with a kill and three virtual days, ms", .below(1000), tests),
    ] {
      table.add(
        name, floor.text, figures.median.formatted(decimals: 0),
        (figures.max() ?? .nan).formatted(decimals: 0),
        floor.isKept(by: figures.median) ? "kept" : "MISSED")
    }
    print(table.text)
  }

  /// From nothing to the checks of the end: a day's entry, a kill, a day; three times.
  private static func test() async throws {
    try await RunningProduct.run(setup.starting(at: Instant("2026-03-07T12:00:00Z"))) { product in
      try await product.settle()
      let diary = OnceClient(product.client(of: "diary"))
      let retold = product.account(of: AppendRequest.self, by: "family") { $0.entry }
      for day in ["Saturday", "Sunday", "Monday"] {
        let call = CallOptions(waitForReady: true, idempotencyKey: .random())
        _ = try await diary.append(AppendRequest(entry: day), options: call)
        retold.acknowledged(day)
        if day == "Sunday" { try await product.suffer(.kill("diary")) }
        try await product.clock.advance(by: .seconds(24 * 3600))
      }
    }
  }

  /// One worker that tells, one that follows it, and the risk engine.
  private static var setup: ProductSetup {
    func plugin(_ name: String, _ more: String) -> ProductSetup.Plugin {
      ProductSetup.Plugin(
        manifest: """
          plugin: \(name)
          version: 1.0.0
          executable: misbehaving-worker
          config:
            at_start: { type: string, default: nothing, doc: "What it does at its start." }
            mood: { type: string, default: calm, doc: "What it answers." }
          \(more)
          """)
    }
    return ProductSetup(
      workers: ["risk-engine": "risk-engine", "diary": "diary", "family": "family"],
      posture: .personal,
      plugins: [
        plugin("diary", "provides: [kith.testing.v1.Once]"),
        plugin("family", "requires: [kith.testing.v1.Once]"),
      ]
    ).configuring("family", ["at_start": "follow"])
  }
}
