/// How exactly a sentence has to be said.
public enum Strictness: String, Sendable, Hashable, CaseIterable {
  /// Nearly to the letter; as a recogniser hears a clear voice; as it hears one in a noisy room.
  case strict, normal, lenient

  /// How many letters of a sentence of 58 letters may be different.
  private var lettersOf58: Int {
    switch self {
    case .strict: 2
    case .normal: 5
    case .lenient: 9
    }
  }

  /// How many letters of a sentence may be different.
  /// - Parameter letters: the sentence's letters and digits.
  func allowedDistance(letters: Int) -> Int { max(1, (letters * lettersOf58 + 57) / 58) }

  /// How many required words may be missing.
  var allowedMisses: Int { self == .strict ? 0 : 1 }
}
