// Written by tools/eval-falls --write. Do not edit by hand.

extension EvidenceWeights {
  /// What ships: fitted on the recordings of 24 subjects. FIGURES.md has the method.
  public static let standard = EvidenceWeights(
    impulse: Term(weight: 2.459, neutral: -1.659),
    shake: Term(weight: 3.734, neutral: -0.118),
    fallSpeed: Term(weight: 8.324, neutral: 0.138),
    posture: Term(weight: 5.32, neutral: 0.474),
    samePosture: Term(weight: -7.236, neutral: 0.219),
    stillness: Term(weight: -1.354, neutral: -3.239))
}
