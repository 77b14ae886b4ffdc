/// What is known of internet domains, as it is written. Lists are words parted by spaces.
public struct DomainLists: Codable, Sendable {
  /// The version of the lists.
  public var version: String
  /// Top-level domains that make a word with a dot a link.
  public var topLevel: String
  /// Those among them that are also English words: a link only with a path or scheme.
  public var ambiguousTopLevel: String
  /// Those that scams use far more than others.
  public var suspiciousTopLevel: String
  /// Suffixes of two labels under which names are registered: `co.uk`.
  public var suffixes: String
  /// Services that hide where a link leads.
  public var shorteners: String
  /// Services where anybody puts up a page under the service's name.
  public var freeHosts: String
  /// Well-known domains that are not those of a known sender.
  public var popular: String
  /// Services where anybody gets an e-mail address.
  public var freeMail: String
  /// Domains and suffixes of public agencies.
  public var official: String
  /// Words that look-alike domains add to a brand's name.
  public var lureWords: String

  private enum CodingKeys: String, CodingKey {
    case version, suffixes, shorteners, popular, official
    case topLevel = "top_level"
    case ambiguousTopLevel = "ambiguous_top_level"
    case suspiciousTopLevel = "suspicious_top_level"
    case freeHosts = "free_hosts"
    case freeMail = "free_mail"
    case lureWords = "lure_words"
  }
}
