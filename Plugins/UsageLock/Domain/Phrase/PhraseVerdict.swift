/// Whether a text is the sentence of a gate, and what is wrong with it.
public struct PhraseVerdict: Sendable, Hashable {
  /// Why a text was refused.
  public enum Problem: String, Sendable, Hashable, CaseIterable {
    /// It says no where the sentence does not, or the other way round.
    case negation
    /// It has another number.
    case wrongNumber
    /// It lacks words of the sentence.
    case missingWords
    /// It has words that the sentence has not.
    case extraWords
    /// It is too far from the sentence, letter by letter.
    case tooDifferent
  }

  /// Why it was refused; nil when it was accepted.
  public var problem: Problem?
  /// The words of the sentence that were not heard, in its order.
  public var missedWords: [String]
  /// How many letters are different.
  public var distance: Int
  /// How many may be.
  public var allowedDistance: Int

  /// Whether the text is the sentence.
  public var isAccepted: Bool { problem == nil }
}
