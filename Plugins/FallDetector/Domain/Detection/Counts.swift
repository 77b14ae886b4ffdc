/// What each measurement of an impact counts for a fall (above 0) or against one, in log-odds.
struct Counts {
  /// What a dropped device takes from the score: no other evidence outweighs it.
  private static let dropWeight = 20.0

  let impulse: Double
  let shake: Double
  let fallSpeed: Double
  let posture: Double
  let stillness: Double
  /// For a blow that is too short to have stopped a body.
  let shortBlow: Double
  /// Whether the device fell freely for long, and then lay as still as a thing.
  let isDeviceDrop: Bool

  init(of evidence: ImpactEvidence, settings: DetectorSettings) {
    let weights = settings.weights
    impulse = weights.contribution(of: .impulse, in: evidence)
    shake = weights.contribution(of: .shake, in: evidence)
    fallSpeed = weights.contribution(of: .fallSpeed, in: evidence)
    posture =
      weights.contribution(of: .posture, in: evidence)
      + weights.contribution(of: .samePosture, in: evidence)
    stillness = weights.contribution(of: .stillness, in: evidence)
    let isShort =
      evidence.impulse < settings.bodyImpulse && evidence.fallSpeed < settings.bodyFallSpeed
      && !evidence.isClipped
    shortBlow = isShort ? -settings.shortBlowWeight : 0
    isDeviceDrop =
      evidence.weightlessSeconds >= settings.dropSeconds - 0.02
      && evidence.deviationAfter <= settings.perfectStillnessG
  }

  /// What a dropped device counts.
  var drop: Double { isDeviceDrop ? -Self.dropWeight : 0 }

  /// The sum: the score before the logistic function.
  var logOdds: Double {
    impulse + shake + fallSpeed + posture + stillness + shortBlow + drop
  }
}
