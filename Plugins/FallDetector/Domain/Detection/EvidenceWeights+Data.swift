// Written by tools/eval-falls --write. Do not edit by hand.

extension EvidenceWeights {
  /// What ships: fitted on the recordings of 24 subjects. FIGURES.md has the method.
  public static let standard = EvidenceWeights(
    impulse: Term(weight: 2.332, neutral: -1.658),
    shake: Term(weight: 3.583, neutral: -0.12),
    fallSpeed: Term(weight: 8.915, neutral: 0.134),
    posture: Term(weight: 5.398, neutral: 0.474),
    samePosture: Term(weight: -6.857, neutral: 0.21),
    stillness: Term(weight: -1.418, neutral: -3.22))
}
