public import KithTime

/// Work that becomes due at times that the worker's own data say: reminders to be sent, records to
/// be forgotten.
///
/// It keeps no timers, so that there is none to lose: what is due next is asked of the data again
/// after each run, whenever ``WorkerClock/dataChanged()`` was called, when a clock was set, and
/// when the worker starts.
public protocol DueWork: Sendable {
  /// When there is something to do next, by the wall clock; nil for never. What lies in the past is
  /// due now.
  func nextDue() async throws -> Instant?

  /// Does what is due at this moment, so that ``nextDue()`` is later afterwards. One run at a time.
  func run(at now: Instant) async throws
}
