import Glibc

/// How much of the machine others take while something is measured: their share of all cores' time,
/// the hypervisor's included.
package struct OtherWork {
  private let busyBefore = Self.busyTicks()
  private let ownBefore = Self.ownTicks()
  private let begin = ContinuousClock().now

  /// Begins to look.
  package init() {}

  /// The share since this value was made, 0 to 1. The processes that this one has started count as
  /// others until they have ended and been waited for.
  package func share() -> Double {
    let others = (Self.busyTicks() - busyBefore) - (Self.ownTicks() - ownBefore)
    let seconds = (ContinuousClock().now - begin) / .seconds(1)
    let available = seconds * Double(Machine.cores * sysconf(Int32(_SC_CLK_TCK)))
    return available > 0 ? min(1, max(0, Double(others) / available)) : 0
  }

  /// Runs a measurement and prints how much of the machine it did not have, so that its figures are
  /// read accordingly.
  package static func reported(_ measure: () async throws -> Void) async throws {
    let others = OtherWork()
    try await measure()
    let percent = (others.share() * 100).formatted()
    print("While this was measured, others took \(percent) % of the cores' time.\n")
  }

  /// What all cores have worked since the machine started.
  private static func busyTicks() -> Int {
    let line = (readFile("/proc/stat") ?? "").prefix { $0 != "\n" }
    // user nice system idle iowait irq softirq steal; what follows is contained in user and nice.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) }
    guard ticks.count >= 5 else { return 0 }
    return ticks.reduce(0, +) - ticks[3] - ticks[4]
  }

  /// What this process and those that it has waited for have worked.
  private static func ownTicks() -> Int {
    var own = tms()
    times(&own)
    return own.tms_utime + own.tms_stime + own.tms_cutime + own.tms_cstime
  }
}
