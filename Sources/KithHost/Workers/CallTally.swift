/// What became of a worker's calls since the host's start, as far as its processes are gone.
struct CallTally {
  /// Calls that ended in those processes.
  private(set) var ended: UInt64 = 0
  /// Calls in progress when a process had to end, its time to drain being over.
  private(set) var cutShort: UInt64 = 0
  /// Calls that were queued until the worker was ready.
  private(set) var queued: UInt32 = 0

  /// A caller waits until the worker is ready.
  mutating func queue() { queued += 1 }

  /// A process is gone that reported this last.
  mutating func add(_ last: HealthReportMessage) {
    ended += last.progress
    if last.isDraining { cutShort += UInt64(last.callsInProgress) }
  }
}
