import Glibc
import HostContract
import HostileCalls
import KithTesting
import Testing

/// A worker that tries to get out of its sandbox, in a real product, started by whoever runs the
/// tests.
///
/// Each probe does no harm should it succeed. The table of the page on security has its row.
@Suite struct HostileWorkerTests {
  /// A line of the worker's report.
  private struct Line {
    var name: String
    var tried: String
    var gained: Bool
    var how: String

    init?(_ text: Substring) {
      let parts = text.split(separator: "\t").map(String.init)
      guard parts.count == 4 else { return nil }
      (name, tried, gained, how) = (parts[0], parts[1], parts[2] != "nothing", parts[3])
    }
  }

  private static let openFiles = 128
  private static let processes = 64

  private static func setup(
    bait: String, abstractName: String, stranger: Int32
  ) -> ProductSetup {
    var setup = ProductSetup(
      product: """
        product: test
        title: Test
        posture: personal
        workers:
          even: {}
          reminders: {}
          hostile:
            config:
              bait: \(bait)
              abstract_name: \(abstractName)
              stranger: "\(stranger)"

        """,
      plugins: [
        Setups.plugin(
          name: "even", executable: "misbehaving-worker", provides: "kith.testing.v1.Once",
          postures: "personal"),
        ProductSetup.Plugin(
          manifest: """
            plugin: hostile
            version: 1.0.0
            executable: hostile-worker
            provides: []
            requires: [kith.testing.v1.Once]
            postures: [personal]
            restart: { intensity: 0, period: 30s }
            start_timeout: 60s
            limits: { open_files: \(openFiles), processes: \(processes) }
            config:
              bait: { type: string, doc: "A folder outside, with things to take." }
              abstract_name: { type: string, doc: "A socket outside, without a path." }
              stranger: { type: string, doc: "The pid of a process outside." }
              open_files: { type: string, default: "\(openFiles)", doc: "Its limit." }
              processes: { type: string, default: "\(processes)", doc: "Its limit." }

            """, scripts: [ProductSetup.Script(name: "spare", text: "#!/bin/sh\n")]),
      ])
    // So that what it may write ends somewhere, and is nobody else's.
    if geteuid() == 0 { setup = setup.smallDisk(of: "hostile", mebibytes: 8) }
    return setup
  }

  @Test func gainsNothing() async throws {
    let outside = try TemporaryFolder()
    try outside.write("a secret", to: "secret")
    try outside.write("another", to: "other")
    let foreign = hostile_listen("\(outside.path)/foreign.sock", 0)
    let abstractName = "kith-\(getpid())-\(outside.path.suffix(6))"
    let abstract = hostile_listen(abstractName, 1)
    try #require(foreign >= 0 && abstract >= 0)
    defer {
      close(foreign)
      close(abstract)
    }
    // The test's own way there, or nothing would be proved by a worker that finds none.
    for (path, isAbstract) in [("\(outside.path)/foreign.sock", 0 as Int32), (abstractName, 1)] {
      let connection = hostile_connect(path, isAbstract)
      #expect(connection >= 0)
      close(connection)
    }
    let before = TemporaryFolder.names(in: outside.path)
    let stranger = try Program("sleep", ["600"]).start()
    let setup = Self.setup(bait: outside.path, abstractName: abstractName, stranger: stranger.pid)

    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let worker = try await product.worker("hostile")
      let lines =
        (TemporaryFolder.text(of: "\(product.folder.path)/r/workers/hostile/report") ?? "")
        .split(separator: "\n").compactMap(Line.init)
      #expect(lines.count >= 30, "\(worker)")
      for line in lines {
        #expect(!line.gained, "\(line.name) (\(line.tried)): \(line.how)")
      }
      let rows = try Self.rowsOfThePage()
      #expect(Set(lines.map(\.name)) == Set(rows), "the table of probes in Security.md")

      // What is outside is as it was, and what was tried on is alive.
      #expect(TemporaryFolder.names(in: outside.path) == before)
      #expect(TemporaryFolder.text(of: "\(outside.path)/secret") == "a secret")
      #expect(!stranger.hasEnded)
      #expect(try await product.worker("even").state == .ready)
      #expect(try await product.worker("even").generation == 1)

      // What it said would turn a terminal over to it, shown as it was.
      for command in [["logs", "hostile"], ["status"], ["top", "--once"], ["logs", "kithd"]] {
        let shown = try await Program.built(
          "kith", command + ["--root", "\(product.folder.path)/r"]
        ).run()
        let orders = shown.output.unicodeScalars.filter {
          ($0.value < 0x20 && $0 != "\n") || (0x7F...0x9F).contains($0.value)
        }
        #expect(orders.isEmpty, "\(command): \(shown.output.debugDescription)")
      }
    }
    stranger.signal(SIGKILL)
    _ = await stranger.exitCode()
  }

  /// The first column of the table in the page on security.
  private static func rowsOfThePage() throws -> [String] {
    let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
    let page = try #require(
      TemporaryFolder.text(of: "/\(root)/Sources/KithHost/KithHost.docc/Security.md"))
    let section = try #require(
      page.split(separator: "\n## ").first { $0.hasPrefix("What was tried") })
    return section.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst()
      .compactMap { $0.split(separator: "|").first?.trimming() }
  }
}

extension Substring {
  fileprivate func trimming() -> String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
