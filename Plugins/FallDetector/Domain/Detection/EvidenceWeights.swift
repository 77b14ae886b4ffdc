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
  /// Of the deviation after the impact.
  public var stillness: Term

  /// Weights.
  public init(impulse: Term, shake: Term, fallSpeed: Term, posture: Term, stillness: Term) {
    self.impulse = impulse
    self.shake = shake
    self.fallSpeed = fallSpeed
    self.posture = posture
    self.stillness = stillness
  }

  /// The weight of a measurement.
  public subscript(feature: ImpactEvidence.Feature) -> Term {
    switch feature {
    case .impulse: impulse
    case .shake: shake
    case .fallSpeed: fallSpeed
    case .posture: posture
    case .stillness: stillness
    }
  }

  /// What each measurement of an impact adds to the log-odds; what was not measured adds nothing.
  public func contributions(
    of evidence: ImpactEvidence
  ) -> [ImpactEvidence.Feature: Double] {
    var contributions: [ImpactEvidence.Feature: Double] = [:]
    for (feature, value) in evidence.features {
      contributions[feature] = self[feature].weight * (value - self[feature].neutral)
    }
    return contributions
  }
}
