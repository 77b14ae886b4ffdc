// Written by tools/eval-falls --write. Do not edit by hand.

extension EvidenceWeights {
  /// What ships.
  public static let standard = EvidenceWeights(
    impulse: Term(weight: 2.4, neutral: -1.9),
    shake: Term(weight: 3.1, neutral: -0.3),
    fallSpeed: Term(weight: 7.1, neutral: 0.1),
    posture: Term(weight: 13.7, neutral: 0.45),
    stillness: Term(weight: -1.2, neutral: -2.5))
}
