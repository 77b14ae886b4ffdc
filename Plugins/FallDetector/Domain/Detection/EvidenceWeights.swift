/// How much each measurement of an impact counts for a fall, in log-odds.
public struct EvidenceWeights: Sendable, Hashable {
  /// The weight of one measurement.
  public struct Term: Sendable, Hashable {
    /// Log-odds for each unit above `neutral`.
    public var weight: Double
    /// The value that speaks neither for a fall nor against one.
    public var neutral: Double

    /// A weight.
    public init(weight: Double, neutral: Double) {
      self.weight = weight
      self.neutral = neutral
    }
  }

  /// Of the impact's impulse.
  public var impulse: Term
  /// Of the violence of the movement.
  public var shake: Term
  /// Of the speed of the fall.
  public var fallSpeed: Term
  /// Of the change of posture.
  public var posture: Term
  /// Of a posture that is as before.
  public var samePosture: Term
  /// Of the deviation after the impact.
  public var stillness: Term

  /// Weights.
  public init(
    impulse: Term, shake: Term, fallSpeed: Term, posture: Term, samePosture: Term, stillness: Term
  ) {
    self.impulse = impulse
    self.shake = shake
    self.fallSpeed = fallSpeed
    self.posture = posture
    self.samePosture = samePosture
    self.stillness = stillness
  }

  /// The weight of a measurement.
  public subscript(feature: ImpactEvidence.Feature) -> Term {
    switch feature {
    case .impulse: impulse
    case .shake: shake
    case .fallSpeed: fallSpeed
    case .posture: posture
    case .samePosture: samePosture
    case .stillness: stillness
    }
  }

  /// What a measurement of an impact adds to the log-odds. The height of a clipped impact is
  /// unknown, so it does not speak against a fall.
  public func contribution(
    of feature: ImpactEvidence.Feature, in evidence: ImpactEvidence
  ) -> Double {
    let term = self[feature]
    let contribution = term.weight * (evidence.value(of: feature) - term.neutral)
    let isHeight = feature == .impulse || feature == .shake
    return evidence.isClipped && isHeight ? max(0, contribution) : contribution
  }
}
