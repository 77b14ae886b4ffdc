import KithManifest
import KithPlanning
import KithSupervision

/// What the host knows of one worker: what its processes are made from, the processes, and what was
/// counted.
///
/// What is to be done with them is the supervisor's to decide (`WorkerSnapshot`).
struct HostedWorker {
  /// A process, until its last health report has come.
  private enum Process {
    /// It runs. Next: `ended`, or gone.
    case running(RunningProcess)
    /// It has ended, and its last health report is still to come. Next: gone.
    case ended(HealthWatch)
  }

  /// The state that the worker is in.
  struct Standing {
    let state: WorkerSnapshot.State
    let generation: UInt64
    /// Since when, in milliseconds since 1970.
    let since: Int64
  }

  /// The worker's name in the product.
  let name: String
  /// What its processes are made from, by revision. Empty for a worker that is no longer part of
  /// the product.
  private var definitions: [UInt64: PlannedWorker] = [:]
  /// Its processes, by generation.
  private var processes: [UInt64: Process] = [:]
  /// The generation that callers are told of; it may have ended in this moment.
  private(set) var published: UInt64?
  /// The state that it is in; nil until it was first noted.
  private(set) var standing: Standing?
  /// The process that ended last, and when in milliseconds since 1970.
  private var lastEnd: (generation: UInt64, milliseconds: Int64)?
  /// What was counted of its calls.
  var calls = CallTally()

  init(_ name: String) { self.name = name }

  // MARK: Definitions

  /// Has processes of that revision be made from this.
  mutating func define(_ worker: PlannedWorker, revision: UInt64) {
    definitions[revision] = worker
  }

  /// What processes of a revision are made from.
  func definition(_ revision: UInt64) -> PlannedWorker? { definitions[revision] }

  // MARK: Processes

  /// Those that run, the oldest first.
  var running: [RunningProcess] {
    processes.sorted { $0.key < $1.key }.compactMap {
      if case .running(let process) = $0.value { process } else { nil }
    }
  }

  /// A process that runs; nil for one that has ended.
  subscript(generation: UInt64) -> RunningProcess? {
    if case .running(let process) = processes[generation] { process } else { nil }
  }

  /// Adds a process that was started or adopted.
  mutating func add(_ process: RunningProcess) {
    processes[process.incarnation.generation] = .running(process)
  }

  /// Changes a process that runs; nil for one that has ended.
  mutating func update<Value>(
    _ generation: UInt64, _ change: (inout RunningProcess) -> Value
  ) -> Value? {
    guard case .running(var process) = processes[generation] else { return nil }
    defer { processes[generation] = .running(process) }
    return change(&process)
  }

  /// Notes that a process has ended, and when; answers what it was.
  mutating func end(_ generation: UInt64, at milliseconds: Int64) -> RunningProcess? {
    lastEnd = (generation, milliseconds)
    guard let process = self[generation] else { return nil }
    processes[generation] = process.health.map(Process.ended)
    return process
  }

  /// When a process ended, in milliseconds since 1970; known of the last one.
  func end(of generation: UInt64) -> Int64? {
    lastEnd.flatMap { $0.generation == generation ? $0.milliseconds : nil }
  }

  // MARK: Publishing

  /// The incarnation that callers are told of.
  var publishedIncarnation: Incarnation? {
    published.map { Incarnation(worker: name, generation: $0) }
  }

  /// The process that callers are told of; nil also when it has ended in this moment.
  var publishedProcess: RunningProcess? { published.flatMap { self[$0] } }

  /// Has callers be told of this process and no other.
  mutating func publish(_ generation: UInt64) { published = generation }

  /// Has callers no longer be told of this process.
  mutating func withdraw(_ generation: UInt64) {
    if published == generation { published = nil }
  }

  // MARK: Health

  /// The host listens to a process from now on, or again; nil for one that has ended.
  mutating func listen(to generation: UInt64) {
    _ = update(generation) { if $0.health == nil { $0.health = HealthWatch() } }
  }

  /// Takes a report; answers whether it is the first of its process.
  mutating func heard(_ report: HealthReportMessage, from generation: UInt64) -> Bool {
    guard var health = health(of: generation) else { return false }
    defer { set(health, of: generation) }
    return health.heard(report)
  }

  /// The stream of a process's reports has ended: decides what that means. When nothing more is to
  /// come, its calls are counted, and a process that has ended is forgotten.
  mutating func listeningEnded(
    _ end: WatchEnd, of generation: UInt64
  ) -> HealthWatch.Conclusion {
    let health = health(of: generation) ?? HealthWatch()
    let conclusion = health.conclusion(end, isRunning: self[generation] != nil)
    if conclusion != .listenAgain {
      if conclusion == .over, let last = health.last { calls.add(last) }
      set(nil, of: generation)
    }
    return conclusion
  }

  /// What a process reported last.
  func lastReport(of generation: UInt64) -> HealthReportMessage? { health(of: generation)?.last }

  /// Whether reports of processes before this one are still to come.
  func listensToProcesses(before generation: UInt64) -> Bool {
    processes.keys.contains { $0 < generation && health(of: $0) != nil }
  }

  private func health(of generation: UInt64) -> HealthWatch? {
    switch processes[generation] {
    case .running(let process): process.health
    case .ended(let health): health
    case nil: nil
    }
  }

  private mutating func set(_ health: HealthWatch?, of generation: UInt64) {
    switch processes[generation] {
    case .running: _ = update(generation) { $0.health = health }
    case .ended: processes[generation] = health.map(Process.ended)
    case nil: break
    }
  }

  // MARK: Standing

  /// Notes the state that the supervisor has the worker in, and since when.
  /// - Parameter stoppedAt: when its last process ended under an earlier host, in milliseconds
  ///   since 1970.
  mutating func note(_ snapshot: WorkerSnapshot, stoppedAt: Int64?) {
    let before = standing
    guard before?.state != snapshot.state || before?.generation != snapshot.generation else {
      return
    }
    var since = WallClock.milliseconds
    // One that was adopted has been ready for longer than its host, and one that was stopped has
    // been that.
    if snapshot.state == .ready, before?.state != .held,
      let ready = self[snapshot.generation]?.record.readySince
    {
      since = ready
    } else if snapshot.state == .stopped, before == nil, let stoppedAt {
      since = stoppedAt
    }
    standing = Standing(state: snapshot.state, generation: snapshot.generation, since: since)
  }
}
