import KithRPC

/// What a run has shown.
struct Report {
  /// How long it took.
  let seconds: Double
  /// The calls.
  let tally: Tally
  /// How often the worker was killed.
  let workerKills: Int
  /// How often the second client was killed.
  let clientKills: Int
  /// The memory of each role.
  let memory: [(role: String, curve: MemoryCurve)]

  /// Prints it beside what stands in the worker's list; whether nothing was lost, doubled or
  /// unexplained.
  func print(entries list: String) -> Bool {
    let entries = Entries(list, acknowledged: tally.acknowledged)
    let lost = tally.lost + entries.missing.map { "entry \($0) was acknowledged and is not there" }
    row("ran", "\(Int(seconds.rounded())) s")
    row("killed", "worker \(workerKills) times, second client \(clientKills) times")
    row("calls", "\(tally.made)")
    for (shape, count) in tally.begun.sorted(by: { $0.key < $1.key }) {
      row("  \(shape)", "\(count)")
    }
    row("succeeded", "\(tally.succeeded)")
    row("failed by design", "\(tally.failed.values.reduce(0, +))")
    for (code, count) in tally.failed.sorted(by: { $0.key < $1.key }) {
      row("  \(StatusCode(rawValue: code))", "\(count)")
    }
    row("gone with a client", "\(tally.unended)")
    row("entries written", "\(entries.count), of them acknowledged \(tally.acknowledged.count)")
    row("failed otherwise", tally.odd)
    row("lost", lost)
    row("doubled", entries.doubled.map { "entry \($0)" })
    for (role, curve) in memory {
      row(
        "RSS of \(role)",
        "peak \(Self.mebibytes(curve.peak)), at a quarter \(Self.mebibytes(curve.atQuarter)), "
          + "at the end \(Self.mebibytes(curve.atEnd))")
    }
    return lost.isEmpty && entries.doubled.isEmpty && tally.odd.isEmpty
  }

  private func row(_ name: String, _ value: String) {
    let padding = String(repeating: " ", count: max(0, 24 - name.count))
    Swift.print("\(name)\(padding)\(value)")
  }

  /// A number, and the first few of what it counts.
  private func row(_ name: String, _ items: [String]) {
    row(name, "\(items.count)")
    for item in items.prefix(10) { Swift.print("    \(item)") }
  }

  private static func mebibytes(_ kibibytes: Int?) -> String {
    guard let kibibytes else { return "unknown" }
    return "\((Double(kibibytes) / 102.4).rounded() / 10) MiB"
  }
}
