import Glibc

/// The machine that the figures are of, for the head of the output: a figure from a loaded machine
/// says little of the program.
package enum Machine {
  /// Prints what the machine is and how busy it is with other work, and what that means for the
  /// figures.
  package static func printHead() async throws {
    let loads = (readFile("/proc/loadavg") ?? "").split(separator: " ").prefix(3)
    let others = OtherWork()
    try await Task.sleep(for: .milliseconds(500))
    let busy = others.share()
    print(
      """
      Machine: \(cores) \(cores == 1 ? "core" : "cores"), \(processor), Linux \(kernel)
      Load average at start: \(loads.joined(separator: " ")); others take \((busy * 100).formatted()) % \
      of the cores' time
      """)
    // The load average also holds the build that came just before; what counts is who works now.
    if busy > 0.1 {
      print("Others are at work here: times are too long; only ratios within a table mean much.")
    }
    print("")
  }

  package static let cores = max(1, sysconf(Int32(_SC_NPROCESSORS_ONLN)))

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
}
