import KithManifest
public import KithSupervision

/// A process of the simulated world, from the order to create it until its end was reported.
public struct SimulatedProcess: Hashable, Sendable {
  /// Which process.
  public var incarnation: Incarnation
  /// The definition that it was made from.
  public var revision: UInt64
  /// The step that the supervisor waits for; nil when none is under way.
  public var pending: StartStep?
  /// The step that succeeded last.
  public var reached: StartStep?
  /// Whether it was told to drain.
  public var isDraining = false
  /// Whether it was sent SIGTERM.
  public var isTerminated = false
  /// Whether it was sent SIGKILL.
  public var isKilled = false
  /// What it is ended for by its own fault; nil when it is not, or somebody has asked for another
  /// since.
  var fault: RestartPolicy.Cause?
  /// Whether somebody has asked for another since it began to be ended.
  var isForgiven = false
  /// The shortest time that it may be silent for; nil as long as it is on its way up.
  var watchdog: Duration?
  /// Whether an earlier host started it, and whether it would take it as its own when it is asked.
  var adoption: Adoption?

  /// What became of a process whose host died.
  enum Adoption: Hashable, Sendable {
    /// It serves on.
    case fit
    /// It was on its way up or out.
    case unfit
  }
  /// When it was ordered.
  var since: Moment
  /// What it last reported, and when.
  var progress: UInt64 = 0
  var lastProgress: Moment

  /// Whether there is a pid: signals can reach it.
  public var isBorn: Bool { reached != nil || adoption != nil }
  /// Whether it became ready.
  public var isReady: Bool { reached == StartStep.allCases.last }
  /// Whether the supervisor has begun to end it.
  public var isEnding: Bool { isDraining || isTerminated || isKilled }
}
