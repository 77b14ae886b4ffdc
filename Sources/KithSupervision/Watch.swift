/// Whether a process gets on with its work: hears its reports, and says when their absence means
/// that it is stuck.
///
/// The time without progress is measured in two halves, each ended by a look of the supervisor. A
/// look that comes late proves that the supervisor itself did not run (the machine was suspended,
/// the host stopped, the system overloaded): in that time reports may have come that it has not
/// read yet, so that half does not count and begins anew. A worker is thus never blamed for what
/// its host slept through.
struct Watch: Hashable, Sendable {
  /// Half of the time after which a process without progress is stuck; nil when it is not watched.
  private(set) var half: Duration?
  /// The progress that was reported last.
  private(set) var progress: UInt64?
  /// How many halves have passed without any.
  private(set) var silentHalves = 0
  /// When the present half ends.
  private(set) var nextLook: Moment?

  /// A watch that begins now.
  init(_ watchdog: Duration?, at now: Moment) {
    half = watchdog.map { $0 / 2 }
    nextLook = half.map { now + $0 }
  }

  /// Whether it has shown progress of late.
  var isLive: Bool { silentHalves == 0 }

  /// Takes a report.
  mutating func heard(_ report: HealthReport, at now: Moment) {
    if let progress, report.progress <= progress { return }
    progress = report.progress
    silentHalves = 0
    nextLook = half.map { now + $0 }
  }

  /// Gives up watching: the process has no way to report.
  mutating func stop() {
    half = nil
    nextLook = nil
    silentHalves = 0
  }

  /// Takes note of the time; true when the process is stuck.
  mutating func look(at now: Moment) -> Bool {
    guard let half, let due = nextLook, due <= now else { return false }
    if now - due <= half / 4 { silentHalves += 1 }
    nextLook = now + half
    return silentHalves >= 2
  }
}
