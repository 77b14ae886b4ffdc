// Written by tools/eval-falls --write. Do not edit by hand.

extension EvidenceWeights {
  /// What ships: fitted on the recordings of 24 subjects. FIGURES.md has the method.
  public static let standard = EvidenceWeights(
    impulse: Term(weight: 2.525, neutral: -1.676),
    shake: Term(weight: 3.132, neutral: -0.115),
    fallSpeed: Term(weight: 6.807, neutral: 0.139),
    posture: Term(weight: 14.181, neutral: 0.437),
    stillness: Term(weight: -1.19, neutral: -3.241))
}
