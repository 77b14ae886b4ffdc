/// What the detector decided about a movement.
public struct Finding: Sendable, Hashable {
  /// What was decided.
  public enum Verdict: String, Sendable, Hashable, CaseIterable {
    /// A fall: the wearer is asked.
    case candidate
    /// The device fell, not its wearer.
    case deviceDrop
    /// A hard movement of daily life, with what spoke against a fall.
    case activity
    /// Lying still for a minute without an impact that was seen: the wearer is asked, and no one
    /// else is told.
    case possibleLongLie
  }

  /// What was decided.
  public var verdict: Verdict
  /// How sure the detector is that this was a fall, 0 to 1: the logistic function of the phases'
  /// weights minus the weights of the counter-evidence.
  public var score: Double
  /// Why, in plain words.
  public var reason: String
  /// The phases, in the order in which they began.
  public var phases: [Phase]
  /// What speaks against a fall.
  public var counterEvidence: [CounterEvidence]
  /// The instant of the impact, in nanoseconds of the device's monotonic clock.
  public var nanoseconds: Int64
  /// Whether the sensor could not show the impact's full height.
  public var isClipped: Bool
  /// The highest sample of the impact, in g; 0 without an impact.
  public var peakG: Double

  /// A finding.
  public init(
    verdict: Verdict, score: Double, reason: String, phases: [Phase] = [],
    counterEvidence: [CounterEvidence] = [], nanoseconds: Int64, isClipped: Bool = false,
    peakG: Double = 0
  ) {
    self.verdict = verdict
    self.score = score
    self.reason = reason
    self.phases = phases
    self.counterEvidence = counterEvidence
    self.nanoseconds = nanoseconds
    self.isClipped = isClipped
    self.peakG = peakG
  }
}
