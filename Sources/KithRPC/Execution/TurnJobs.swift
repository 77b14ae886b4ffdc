import DequeModule
import Synchronization

/// The jobs of one thread's turn.
///
/// The thread adds and takes them; while one of them blocks the thread, another thread takes the
/// rest.
final class TurnJobs: Sendable {
  private let jobs = Mutex(Deque<UnownedJob>())
  /// When the job that runs began, in nanoseconds of the monotonic clock; zero while none does.
  let runningSince = Atomic<UInt64>(0)

  var isEmpty: Bool { jobs.withLock(\.isEmpty) }

  func append(_ job: UnownedJob) {
    jobs.withLock { $0.append(job) }
  }

  /// The next job, which begins now.
  func next(at now: UInt64) -> UnownedJob? {
    let job = jobs.withLock { $0.popFirst() }
    runningSince.store(job == nil ? 0 : now, ordering: .relaxed)
    return job
  }

  /// Takes all that wait.
  func takeAll() -> Deque<UnownedJob> {
    jobs.withLock { jobs in
      defer { jobs.removeAll(keepingCapacity: true) }
      return jobs
    }
  }
}
