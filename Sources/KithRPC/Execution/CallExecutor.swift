import DequeModule
import Dispatch
import Glibc
import Synchronization

/// Runs handlers, and the tasks of callers who ask for it, on the very thread on which a transport
/// read their bytes.
///
/// Every hop to another thread costs tens of microseconds on an idle machine, and a local call has
/// little else to pay for. A transport's callback opens a *turn* on its thread; a job that is
/// enqueued on that thread during the turn is kept for it, and runs there when the transport has
/// asked for the next bytes. What is written meanwhile goes out when the turn is over, in one
/// write. A job that is enqueued anywhere else goes to the process's pool of threads.
///
/// So that nobody is starved:
/// - the transport reads on before a turn runs its jobs, so a turn delays no bytes, only jobs;
/// - a turn runs jobs for ``turnBudget`` and then hands the rest to the pool, where they run side
///   by side;
/// - a single job that computes for longer than ``slowJob``, or blocks for longer than
///   ``stuckJob``, shows that the work is heavy: for ``slowPeriod`` all jobs go to the pool, which
///   has as many threads as the machine has cores;
/// - a job that blocks its thread for longer than ``stuckJob`` keeps no other of its turn waiting:
///   those go to the pool at the next look, every ``stuckJob`` while turns run;
/// - at most ``maximumTurns`` turns run jobs at once, half of the threads that nng calls back on,
///   so that even handlers that block for ever leave threads that read.
///
/// A caller on the way of every microsecond runs its task here:
///
///     await withTaskExecutorPreference(CallExecutor.shared) { ... }
public final class CallExecutor: TaskExecutor {
  /// The executor of this process: one, so that a handler that calls another worker stays on
  /// whichever thread brings it on.
  public static let shared = CallExecutor()

  /// How long one turn runs jobs, in nanoseconds of the thread's own time: on a busy machine a
  /// thread may stand still for milliseconds, and that says nothing of the jobs.
  static let turnBudget: UInt64 = 250_000
  /// How long a job may compute before it counts as heavy, in nanoseconds of the thread's own time.
  static let slowJob: UInt64 = 1_000_000
  /// How long a job may take, computing or not, before it counts as heavy, in nanoseconds.
  static let stuckJob: UInt64 = 20_000_000
  /// How long jobs go to the pool after a heavy one, in nanoseconds.
  static let slowPeriod: UInt64 = 50_000_000
  /// How long a thread of the pool works before it lets other work have a turn, in nanoseconds.
  static let poolBudget: UInt64 = 1_000_000
  /// How long a frame that was written on a thread of the pool may wait for company.
  static let corkBudget: UInt64 = 100_000

  /// How many turns may run jobs at the same time: nng has two callback threads for each core.
  static let maximumTurns = max(1, min(coreCount, 8))
  static let coreCount = max(1, Int(sysconf(Int32(_SC_NPROCESSORS_ONLN))))

  /// The turns that run jobs.
  private struct Running {
    var turns: [TurnJobs] = []
    /// Whether somebody looks after ``stuckJob`` whether one of them is stuck.
    var isWatched = false
  }

  private let running = Mutex(Running())
  private let slowUntil = Atomic<UInt64>(0)
  private let pool = Mutex(Pool())

  private struct Pool {
    var jobs = Deque<UnownedJob>()
    var workers = 0

    /// Counts in as many new workers as there are jobs for, up to one for each core.
    mutating func admitWorkers(atMost count: Int) -> Int {
      let admitted = min(count, max(0, CallExecutor.coreCount - workers))
      workers += admitted
      return admitted
    }
  }

  private init() {}

  /// Takes a job: for this thread's turn when there is one, and for the pool otherwise.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    if let turn = Turn.current, turn.keepsJobs {
      turn.jobs.append(job)
    } else {
      hand(over: job)
    }
  }

  /// Opens a turn on this thread; ``endTurn()`` on the same thread must follow. Turns nest: the
  /// innermost ones leave their jobs to the outermost.
  func beginTurn() {
    let turn = Turn.ofThisThread()
    turn.depth += 1
    if turn.depth == 1 { turn.keepsJobs = true }
  }

  /// Runs the jobs of this thread's turn, within its budget, and writes what they have to say.
  func endTurn() {
    guard let turn = Turn.current, turn.depth > 0 else { return }
    guard turn.depth == 1 else {
      turn.depth -= 1
      return
    }
    if !turn.jobs.isEmpty { runJobs(of: turn) }
    turn.keepsJobs = false
    turn.flush()
    turn.depth = 0
  }

  private func runJobs(of turn: Turn) {
    var lap = nanoseconds(.monotonic)
    guard slowUntil.load(ordering: .relaxed) < lap, enterTurn(turn.jobs) else {
      return hand(over: turn.jobs.takeAll())
    }
    defer { leaveTurn(turn.jobs) }
    let start = nanoseconds(.thread)
    // The thread's own time costs a call into the kernel: it is asked for only when the wall clock
    // says that the budget may be used up.
    var check = lap + Self.turnBudget
    while let job = turn.jobs.next(at: lap) {
      run(job)
      let now = nanoseconds(.monotonic)
      defer { lap = now }
      guard now > check else { continue }
      let spent = nanoseconds(.thread) - start
      if now - lap > Self.slowJob && spent > Self.slowJob || now - lap > Self.stuckJob {
        slowUntil.store(now + Self.slowPeriod, ordering: .relaxed)
      }
      guard spent < Self.turnBudget else { return hand(over: turn.jobs.takeAll()) }
      check = now + Self.turnBudget - spent
    }
  }

  /// Counts a turn in, unless as many run as may.
  private func enterTurn(_ jobs: TurnJobs) -> Bool {
    let (isIn, needsWatch) = running.withLock { running in
      guard running.turns.count < Self.maximumTurns else { return (false, false) }
      running.turns.append(jobs)
      defer { running.isWatched = true }
      return (true, !running.isWatched)
    }
    if needsWatch { watchTurns() }
    return isIn
  }

  private func leaveTurn(_ jobs: TurnJobs) {
    jobs.runningSince.store(0, ordering: .relaxed)
    running.withLock { $0.turns.removeAll { $0 === jobs } }
  }

  /// Takes the jobs of turns that are stuck, after ``stuckJob`` and again as long as others run.
  private func watchTurns() {
    DispatchQueue.global().asyncAfter(deadline: .now() + .nanoseconds(Int(Self.stuckJob))) {
      let now = nanoseconds(.monotonic)
      let (stuck, goesOn) = self.running.withLock { running in
        let stuck = running.turns.filter { turn in
          let since = turn.runningSince.load(ordering: .relaxed)
          return since > 0 && now > since + Self.stuckJob
        }
        running.isWatched = running.turns.count > stuck.count
        return (stuck, running.isWatched)
      }
      for turn in stuck {
        self.slowUntil.store(now + Self.slowPeriod, ordering: .relaxed)
        self.hand(over: turn.takeAll())
      }
      if goesOn { self.watchTurns() }
    }
  }

  private func run(_ job: UnownedJob) {
    job.runSynchronously(on: asUnownedTaskExecutor())
  }

  // MARK: - The pool

  private func hand(over job: UnownedJob) {
    let needsWorker = pool.withLock { pool in
      pool.jobs.append(job)
      return pool.admitWorkers(atMost: 1) > 0
    }
    if needsWorker { startWorker() }
  }

  private func hand(over batch: Deque<UnownedJob>) {
    guard !batch.isEmpty else { return }
    let workers = pool.withLock { pool in
      pool.jobs.append(contentsOf: batch)
      return pool.admitWorkers(atMost: batch.count)
    }
    for _ in 0..<workers { startWorker() }
  }

  private func startWorker() {
    // Dispatch's global queue is the pool that Swift's own tasks run on: no threads are added.
    DispatchQueue.global().async { self.work() }
  }

  private func work() {
    let turn = Turn.ofThisThread()
    turn.depth += 1
    let start = nanoseconds(.monotonic)
    var corkedSince = start
    while let job = nextJob() {
      run(job)
      let now = nanoseconds(.monotonic)
      if now - corkedSince > Self.corkBudget {
        turn.flush()
        corkedSince = now
      }
      if now - start > Self.poolBudget {
        turn.depth -= 1
        turn.flush()
        return startWorker()
      }
    }
    turn.depth -= 1
    turn.flush()
  }

  private func nextJob() -> UnownedJob? {
    pool.withLock { pool in
      if let job = pool.jobs.popFirst() { return job }
      pool.workers -= 1
      return nil
    }
  }
}
