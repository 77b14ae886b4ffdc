import Glibc
import KithSupervision

/// Workers that an earlier host left running when it was killed.
enum LeftoverProcesses {
  /// How long they may take to end by themselves.
  private static let grace = Duration.seconds(5)

  /// Ends them, all at the same time, and removes what they and their host left behind. Only for the holder of the root's
  /// lock. A process is touched only when pid, start time and boot id are those that were recorded.
  static func end(_ records: ProcessRecords) throws(SystemError) -> [Incarnation] {
    let found = try records.all().compactMap { record in
      EarlierProcess(record.identity).map { (record.incarnation, $0) }
    }
    for (_, process) in found { process.signal(SIGTERM) }
    let deadline = ContinuousClock.now + grace
    for (_, process) in found
    where !process.waitForEnd(atMost: max(.zero, deadline - .now)) {
      process.signal(SIGKILL)
      _ = process.waitForEnd(atMost: .seconds(1))
    }
    // Also when the worker had ended already: its host had not come to what the worker started.
    for record in try records.all() {
      MarkedProcesses(record.incarnation, runtimeDirectory: records.folder).end()
    }
    try records.clear()
    return found.map(\.0)
  }
}
