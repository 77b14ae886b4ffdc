import Synchronization
import UsageLockDomain

/// An app that is taken to be in the foreground, in virtual time: for a test of a lock that takes
/// minutes where people's take days.
public final class SimulatedForeground: Sendable {
  private struct State {
    var app: String?
    var isStopped = false
  }

  static let program = "simulated"
  private let state = Mutex(State())

  /// None is in the foreground.
  public init() {}

  /// The app; nil for none.
  var app: String? {
    get { state.withLock(\.app) }
    set { state.withLock { $0 = State(app: newValue) } }
  }

  /// The app as a program that runs.
  var programs: [ProgramWatch.Program] {
    state.withLock { state in
      state.app.map {
        [ProgramWatch.Program(id: Self.program, names: [$0], isStopped: state.isStopped)]
      } ?? []
    }
  }

  /// Does to it what is done to programs.
  func carryOut(_ order: ProgramOrder) {
    state.withLock { state in
      switch order {
      case .freeze: state.isStopped = true
      case .resume: state.isStopped = false
      case .end, .kill: state = State()
      }
    }
  }
}
