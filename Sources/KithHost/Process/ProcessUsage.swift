import Glibc

/// What the kernel counts of a process.
struct ProcessUsage: Hashable, Sendable {
  /// Its resident memory.
  var residentBytes: UInt64
  /// The processor time that it has used, of all its threads, in user and in kernel mode.
  var processorMicroseconds: Int64
  /// How long ago the kernel started it.
  var uptimeMicroseconds: Int64

  /// The usage of a process; nil when there is none of this pid, or only what is left of one that
  /// has ended.
  init?(ofPid pid: Int32) {
    guard let identity = ProcessIdentity.current(ofPid: pid) else { return nil }
    residentBytes = ProcessIdentity.residentBytes(ofPid: pid)
    // Exact, where /proc counts in hundredths of a second.
    var clock = clockid_t()
    guard clock_getcpuclockid(pid, &clock) == 0, let used = Self.microseconds(of: clock),
      let sinceBoot = Self.microseconds(of: CLOCK_BOOTTIME)
    else { return nil }
    processorMicroseconds = used
    let ticksPerSecond = Int64(max(1, sysconf(Int32(_SC_CLK_TCK))))
    let started = Int64(identity.startTicks) * 1_000_000 / ticksPerSecond
    uptimeMicroseconds = max(0, sinceBoot - started)
  }

  private static func microseconds(of clock: clockid_t) -> Int64? {
    var time = timespec()
    guard clock_gettime(clock, &time) == 0 else { return nil }
    return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
  }
}
