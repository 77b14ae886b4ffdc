import Glibc
import KithSupervision

/// A process of a worker that runs, and all that the host holds for it.
struct RunningProcess {
  /// Who started it.
  enum Origin: Hashable {
    case thisHost
    /// An earlier host. This one adopted it at that time, in milliseconds since 1970.
    case earlierHost(adoptedAtMilliseconds: Int64)
  }

  /// How the process tells that it listens.
  enum ListenNotice {
    /// It writes to this pipe, and has written that much of its line.
    case awaited(Reactor.Watch, text: [UInt8])
    /// It has told so or closed the pipe, or an earlier host has read it.
    case over
  }

  let child: WorkerProcess
  let origin: Origin
  /// The calls that lead it; nil for a process of a worker that is no longer part of the product,
  /// of which nothing is asked.
  let link: WorkerLink?
  /// Its control groups.
  let groups: ProcessGroups
  /// The watch of its end.
  let exitWatch: Reactor.Watch
  /// What the next host is told of it.
  var record: ProcessRecords.Record
  var notice = ListenNotice.over
  /// What it reports of its health; nil when the host does not listen, not yet or no longer.
  var health: HealthWatch?
  /// Whether this host has sent it SIGKILL, or an earlier one may have.
  var wasKilled = false
  /// Whether its socket was removed, for which it is being replaced.
  var isUnreachable = false
  /// How many timer runs it had made when it was last asked; nil when an earlier host asked last.
  private var timerRuns: UInt64?

  init(
    _ child: WorkerProcess, _ origin: Origin, record: ProcessRecords.Record, link: WorkerLink?,
    groups: ProcessGroups, exitWatch: Reactor.Watch
  ) {
    self.child = child
    self.origin = origin
    self.link = link
    self.groups = groups
    self.exitWatch = exitWatch
    self.record = record
    if origin == .thisHost { timerRuns = 0 }
  }

  /// Which process of which worker.
  var incarnation: Incarnation { record.incarnation }
  /// Where it listens.
  var address: String { "ipc://\(record.socket)" }
  var pid: Int32 { child.identity.pid }

  /// When this host adopted it, in milliseconds since 1970; nil when this host started it.
  var adoptedAtMilliseconds: Int64? {
    if case .earlierHost(let time) = origin { time } else { nil }
  }

  /// Notes how far it has been led; nil when that is known already.
  mutating func advance(to phase: ProcessRecords.Record.Phase) -> ProcessRecords.Record? {
    guard record.phase != phase else { return nil }
    record.phase = phase
    if phase == .serving, record.readySince == nil { record.readySince = WallClock.milliseconds }
    return record
  }

  /// Notes how many timer runs it has made in all; answers how many of them are new since it was
  /// last asked, by whomever.
  mutating func newTimerRuns(_ total: UInt64) -> UInt64 {
    let before = timerRuns ?? total
    timerRuns = max(before, total)
    return max(before, total) - before
  }

  /// Ends it and all in its process group and its control groups, at once.
  mutating func kill() {
    wasKilled = true
    child.signal(SIGKILL)
    child.signalGroup(SIGKILL)
    groups.kill()
  }
}
