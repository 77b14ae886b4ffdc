import KithTesting

/// What a process has in memory.
struct Memory: Sendable {
  /// Its resident set at a moment, in KiB.
  let now: Int
  /// The most that it has been.
  let peak: Int

  /// Of a process; nil when it is gone.
  init?(of pid: Int32) {
    guard let status = TemporaryFolder.text(of: "/proc/\(pid)/status") else { return nil }
    func kibibytes(_ field: String) -> Int? {
      status.split(separator: "\n").first { $0.hasPrefix("\(field):") }?
        .split(whereSeparator: { $0 == " " || $0 == "\t" }).dropFirst().first.flatMap { Int($0) }
    }
    guard let now = kibibytes("VmRSS"), let peak = kibibytes("VmHWM") else { return nil }
    self.now = now
    self.peak = peak
  }
}

/// The memory of one role over the run, in KiB; several processes have it one after the other.
struct MemoryCurve: Sendable {
  /// The most that any of them has been.
  private(set) var peak = 0
  /// What was seen first after a quarter of the run.
  private(set) var atQuarter: Int?
  /// What was seen last.
  private(set) var atEnd: Int?

  /// Adds what was seen when so much of the run was over, from 0 to 1.
  mutating func add(_ memory: Memory, at part: Double) {
    peak = max(peak, memory.peak)
    if part >= 0.25, atQuarter == nil { atQuarter = memory.now }
    atEnd = memory.now
  }
}
