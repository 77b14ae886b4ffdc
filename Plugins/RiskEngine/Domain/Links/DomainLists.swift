/// What is known of internet domains beside brands and popular sites, as it is written: lists of
/// words parted by spaces.
public struct DomainLists: Codable, Sendable {
  /// The version of the lists.
  public var version: String
  /// Top-level domains that make a word with a dot a link without a path or scheme.
  public var topLevel: String
  /// Those that are also English words: a link only with a path or scheme.
  public var ambiguousTopLevel: String
  /// Those that scams use far more than others.
  public var suspiciousTopLevel: String
  /// Endings that are open to all and are not one country's: where a name is taken that is a
  /// brand's elsewhere.
  public var genericEndings: String
  /// Endings that link shorteners like.
  public var shortenerEndings: String
  /// Services that hide where a link leads.
  public var shorteners: String
  /// Services where anybody puts up a page, beside those of the public suffix list's private
  /// section.
  public var freeHosts: String
  /// Those where a name is given only to the project that it belongs to.
  public var projectHosts: String
  /// Services where anybody gets an e-mail address.
  public var freeMail: String
  /// Domains and suffixes of public agencies.
  public var official: String
  /// Words that look-alike domains add to a brand's name.
  public var lureWords: String
  /// Those of them that also count beside a short name or an ordinary word.
  public var strongLureWords: String

  private enum CodingKeys: String, CodingKey {
    case version, shorteners, official
    case topLevel = "top_level"
    case ambiguousTopLevel = "ambiguous_top_level"
    case suspiciousTopLevel = "suspicious_top_level"
    case genericEndings = "generic_endings"
    case shortenerEndings = "shortener_endings"
    case freeHosts = "free_hosts"
    case freeMail = "free_mail"
    case projectHosts = "project_hosts"
    case lureWords = "lure_words"
    case strongLureWords = "strong_lure_words"
  }
}
