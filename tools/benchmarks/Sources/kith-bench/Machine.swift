import Glibc

/// The machine that the figures are of, for the head of the output: a figure from a loaded machine says little of the program.
enum Machine {
  /// Prints what the machine is and how busy it is with other work, and what that means for the figures.
  static func printHead() async throws {
    let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))
    let loads = (readFile("/proc/loadavg") ?? "").split(separator: " ").prefix(3)
    let busy = try await busyShare()
    print(
      """
      Machine: \(cores) \(cores == 1 ? "core" : "cores"), \(processor), Linux \(kernel)
      Load average at start: \(loads.joined(separator: " ")); \
      busy with other work now: \((busy * 100).formatted()) %
      """)
    // The load average also holds the build that came just before; what counts is who works now.
    if busy > 0.1 {
      print("Others are at work here: times are too long; only ratios within a table mean much.")
    }
    print("")
  }

  private static var processor: String {
    for line in (readFile("/proc/cpuinfo") ?? "").split(separator: "\n")
    where line.hasPrefix("model name") {
      return line.drop { $0 != ":" }.dropFirst(2).description
    }
    return "processor not known"
  }

  private static var kernel: String {
    (readFile("/proc/sys/kernel/osrelease") ?? "").filter { $0 != "\n" }
  }

  /// The share of all cores' time that was worked over half a second in which this process only waits.
  private static func busyShare() async throws -> Double {
    let before = cpuTimes()
    try await Task.sleep(for: .milliseconds(500))
    let after = cpuTimes()
    let total = after.total - before.total
    return total > 0 ? 1 - Double(after.idle - before.idle) / Double(total) : 0
  }

  /// The machine's time since it started, in ticks: all of it, and what was idle or waited for a disk.
  private static func cpuTimes() -> (total: Int, idle: Int) {
    let line = (readFile("/proc/stat") ?? "").prefix { $0 != "\n" }
    // user nice system idle iowait irq softirq steal; what follows is contained in user and nice.
    let ticks = line.split(separator: " ").dropFirst().prefix(8).compactMap { Int($0) }
    guard ticks.count >= 5 else { return (0, 0) }
    return (ticks.reduce(0, +), ticks[3] + ticks[4])
  }
}
