import Logging
import Synchronization

/// From which level on a worker logs; the host may change it while the worker runs.
final class LogThreshold: Sendable {
  /// The level's place in `Logger.Level.allCases`.
  private let place: Atomic<Int>

  init(_ level: Logger.Level = .info) {
    place = Atomic(Self.place(of: level))
  }

  /// The lowest level that is written. Asked for at each record that is logged, so it costs one
  /// load.
  var level: Logger.Level {
    get { Logger.Level.allCases[place.load(ordering: .relaxed)] }
    set { place.store(Self.place(of: newValue), ordering: .relaxed) }
  }

  private static func place(of level: Logger.Level) -> Int {
    Logger.Level.allCases.firstIndex(of: level) ?? 0
  }
}
