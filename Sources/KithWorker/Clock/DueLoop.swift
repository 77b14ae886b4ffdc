import KithTime
import Logging
import Synchronization

/// The timer of one work: asks it when it is due next, and runs it then, one run at a time.
final class DueLoop: Sendable {
  /// More runs at one moment are work that is never done.
  static let mostRunsAtOnce = 100_000
  /// After how long the wall clock is looked at again, which may have been set meanwhile.
  private static let longestNap = Duration.seconds(5)
  private static let pauses = (shortest: Duration.seconds(1), longest: Duration.seconds(60))

  /// Signalled when the data have changed.
  let dataChanged = AsyncSignal()
  private let work: any DueWork
  private let faces: ClockFaces
  private let logger: Logger
  private let completedRuns = Mutex<UInt64>(0)
  private let running = AsyncMutex()

  init(_ work: any DueWork, faces: ClockFaces, logger: Logger) {
    self.work = work
    self.faces = faces
    self.logger = logger
  }

  /// Does all that is due now; answers when something will be next.
  func settle() async throws -> Instant? {
    try await running.withLock {
      for _ in 0..<Self.mostRunsAtOnce {
        guard let due = try await self.work.nextDue() else { return nil }
        let now = self.faces.now
        guard due <= now else { return due }
        try Task.checkCancellation()
        try await self.work.run(at: now)
        self.completedRuns.withLock { $0 += 1 }
      }
      throw DueWorkError()
    }
  }

  /// How many runs there have been.
  var runs: UInt64 { completedRuns.withLock(\.self) }

  /// Does what is due whenever it is, until the task is cancelled.
  func drive() async {
    var pause = Self.pauses.shortest
    while !Task.isCancelled {
      do {
        let due = try await settle()
        pause = Self.pauses.shortest
        await dataChanged.wait(atMost: nap(until: due))
      } catch {
        guard !Task.isCancelled else { return }
        logger.error(
          "due work failed",
          metadata: ["error": "\(type(of: error))", "next_attempt_in": "\(pause)"])
        await dataChanged.wait(atMost: pause)
        pause = min(pause * 2, Self.pauses.longest)
      }
    }
  }

  /// How long to wait; nil for no limit, where only the signal can bring news.
  private func nap(until due: Instant?) -> Duration? {
    guard let due, !faces.isVirtual else { return nil }
    return min(max(due - faces.now, .milliseconds(1)), Self.longestNap)
  }
}

/// Work that is due however often it is run.
struct DueWorkError: Error, CustomStringConvertible {
  var description: String {
    "due work is still due after \(DueLoop.mostRunsAtOnce) runs: nextDue() must be later after run(at:)"
  }
}
