import DeliveryContract
import Synchronization

/// Hands messages over to the delivery worker, many at a time, so that one that takes long holds up
/// no other.
final class StepSender: Sendable {
  /// One attempt of a step.
  struct Job: Sendable {
    let incident: String
    let number: Int
    /// Names the right to the attempt.
    let token: String
    let request: SendRequest
  }

  private struct State {
    var count = 0
    var hasEnded = false
    var waiters: [(most: Int, continuation: CheckedContinuation<Void, Never>)] = []
  }

  /// How many attempts are made at a time.
  static let most = 128

  private let state = Mutex(State())
  private let jobs: AsyncStream<Job>
  private let submitted: AsyncStream<Job>.Continuation

  init() { (jobs, submitted) = AsyncStream.makeStream() }

  /// Makes attempts until the task is cancelled.
  func run(_ attempt: @escaping @Sendable (Job) async -> Void) async {
    await withDiscardingTaskGroup { group in
      for await job in jobs {
        group.addTask {
          await attempt(job)
          self.end(1)
        }
      }
    }
    // The rights of what is left run out.
    state.withLock { $0.hasEnded = true }
    end(0)
  }

  /// Begins attempts.
  func submit(_ new: [Job]) {
    let isTaken = state.withLock { state in
      if !state.hasEnded { state.count += new.count }
      return !state.hasEnded
    }
    guard isTaken else { return }
    for job in new { submitted.yield(job) }
  }

  /// How many further attempts can be made at once; waits until there is one.
  func room() async -> Int {
    await wait(most: Self.most - 1)
    return max(Self.most - state.withLock(\.count), 1)
  }

  /// Waits until no attempt is being made.
  func idle() async { await wait(most: 0) }

  private func wait(most: Int) async {
    await withCheckedContinuation { continuation in
      let isOver = state.withLock { state in
        if state.count <= most || state.hasEnded { return true }
        state.waiters.append((most, continuation))
        return false
      }
      if isOver { continuation.resume() }
    }
  }

  private func end(_ number: Int) {
    let woken = state.withLock { state in
      state.count -= number
      let (count, hasEnded) = (state.count, state.hasEnded)
      let woken = state.waiters.filter { $0.most >= count || hasEnded }
      state.waiters.removeAll { $0.most >= count || hasEnded }
      return woken.map(\.continuation)
    }
    for continuation in woken { continuation.resume() }
  }
}
