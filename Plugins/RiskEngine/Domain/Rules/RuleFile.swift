/// The versioned rule file as it is written: phrases by name, signals over them, and the caps of
/// groups.
public struct RuleFile: Codable, Sendable {
  /// The version of the rules.
  public var version: String
  /// The points at which the rules alone say "one in two".
  public var threshold: Double
  /// How many points change the rules' log-odds by one.
  public var slope: Double
  /// The largest sum that a group of signals can reach, by the group's name.
  public var groups: [String: Double]
  /// Phrases by the name of what they show: words; `a|b` is either, a trailing `?` makes a word
  /// optional.
  public var phrases: [String: [String]]
  /// The signals.
  public var signals: [SignalRule]
  /// Phrases that tell a category where no signal does: category to names of phrases.
  public var topics: [String: [String]]
  /// Frequent English words, parted by spaces; their share tells whether a text is English.
  public var commonWords: String
  /// More words, of four letters and more, parted by spaces: where words run together they are
  /// taken apart at these, too.
  public var frequentWords: String

  private enum CodingKeys: String, CodingKey {
    case version, threshold, slope, groups, phrases, signals, topics
    case commonWords = "common_words"
    case frequentWords = "frequent_words"
  }
}

/// A named signal. What it means to a person stands in the string catalogue under its name.
public struct SignalRule: Codable, Sendable {
  /// The stable name.
  public var id: String
  /// The group whose cap holds for it.
  public var group: String
  /// Its points: above zero speaks for a scam, below zero against.
  public var weight: Double
  /// The category that it speaks for.
  public var category: String?
  /// What must be found: names of phrases or of built-in observations; `a|b` is either.
  public var all: [String]
  /// How many words apart the parts may lie; 0 or absent is anywhere in the text.
  public var within: Int?
  /// What must not stand near.
  public var unless: [String]?
  /// How many words near is; 0 is anywhere in the text. 12 when absent.
  public var unlessWithin: Int?
  /// The score is at least this when the signal is found.
  public var floor: Double?

  private enum CodingKeys: String, CodingKey {
    case id, group, weight, category, all, within, unless, floor
    case unlessWithin = "unless_within"
  }
}

/// A part of the rule bundle that cannot be used, and why.
public struct RuleFileError: Error, Sendable, CustomStringConvertible {
  /// What is wrong and what was expected.
  public var description: String
}
