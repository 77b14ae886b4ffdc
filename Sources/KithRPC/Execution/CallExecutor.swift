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

  private let turnsRunning = Atomic<Int>(0)
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
    guard slowUntil.load(ordering: .relaxed) < lap, enterTurn() else {
      return hand(over: &turn.jobs)
    }
    defer { turnsRunning.subtract(1, ordering: .relaxed) }
    let start = nanoseconds(.thread)
    // The thread's own time costs a call into the kernel: it is asked for only when the wall clock
    // says that the budget may be used up.
    var check = lap + Self.turnBudget
    while let job = turn.jobs.popFirst() {
      run(job)
      let now = nanoseconds(.monotonic)
      defer { lap = now }
      guard now > check else { continue }
      let spent = nanoseconds(.thread) - start
      if now - lap > Self.slowJob && spent > Self.slowJob || now - lap > Self.stuckJob {
        slowUntil.store(now + Self.slowPeriod, ordering: .relaxed)
      }
      guard spent < Self.turnBudget else { return hand(over: &turn.jobs) }
      check = now + Self.turnBudget - spent
    }
  }

  private func enterTurn() -> Bool {
    if turnsRunning.add(1, ordering: .relaxed).newValue <= Self.maximumTurns { return true }
    turnsRunning.subtract(1, ordering: .relaxed)
    return false
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

  private func hand(over jobs: inout Deque<UnownedJob>) {
    guard !jobs.isEmpty else { return }
    let batch = jobs
    jobs.removeAll(keepingCapacity: true)
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
