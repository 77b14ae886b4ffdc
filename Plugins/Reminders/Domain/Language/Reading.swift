/// What a text says about time, and what is left of it.
public struct Reading: Sendable, Hashable {
  /// Once, or again and again.
  public enum Meaning: Sendable, Hashable {
    case once(LocalMoment)
    case recurring(Schedule)
  }

  /// How sure it is.
  public enum Certainty: Sendable, Hashable {
    /// The words say it.
    case certain
    /// The words fit another time too (`alternatives`): "at 8" may be morning or evening. Ask, or
    /// take it and say so.
    case ambiguous
  }

  /// The time; where the words fit several, the likeliest.
  public let meaning: Meaning
  /// Whether it may be another.
  public let certainty: Certainty
  /// The other times that the words fit.
  public let alternatives: [Meaning]
  /// The text without the words that say when: "take the blue pill".
  public let text: String
  /// The words that say when, as UTF-8 byte offsets of the text that was read, ascending.
  public let spans: [Range<Int>]
}
