import Glibc
import KithSupervision

/// What an earlier host left when it was killed.
struct EarlierProcesses {
  /// Those that run: pid, start time and boot id are as recorded.
  var running: [(record: ProcessRecords.Record, process: WorkerProcess)] = []
  /// Those that have ended since.
  var ended: [ProcessRecords.Record] = []
  /// Those whose output has not all been logged.
  var spooled: Set<Incarnation> = []
  /// The files that should have told of one, and could not be read: what they told of was ended.
  var damaged: [String] = []

  /// The highest generation of each worker that is told of.
  var generations: [String: UInt64] {
    let all = running.map(\.record.incarnation) + ended.map(\.incarnation) + spooled
    return Dictionary(all.map { ($0.worker, $0.generation) }, uniquingKeysWith: max)
  }

  /// Looks for them, and ends what nobody leads: descendants of processes that are gone, and
  /// processes that their host did not come to record. Only for the holder of the root's lock.
  ///
  /// May take some milliseconds: it reads /proc.
  static func find(_ records: ProcessRecords) throws(SystemError) -> EarlierProcesses {
    var found = EarlierProcesses()
    let read = try records.all()
    found.damaged = read.damaged
    let all = read.records.sorted { $0.incarnation.generation > $1.incarnation.generation }
    var counts: [String: Int] = [:]
    for record in all {
      // A host leads at most two of a worker.
      if counts[record.incarnation.worker, default: 0] < 2,
        let process = WorkerProcess(earlier: record.identity)
      {
        counts[record.incarnation.worker, default: 0] += 1
        found.running.append((record, process))
      } else {
        found.ended.append(record)
      }
    }
    MarkedProcesses.endAll(
      runtimeDirectory: records.runtimeDirectory,
      besides: Set(found.running.map(\.record.incarnation)))
    found.spooled = try records.spooled()
    try records.clear(besides: found.running.map(\.record))
    return found
  }
}
