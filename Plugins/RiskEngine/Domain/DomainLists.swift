/// What is known of internet domains, as it is written. Lists are words parted by spaces.
public struct DomainLists: Codable, Sendable {
  /// A company or an agency that scammers pose as.
  public struct Brand: Codable, Sendable {
    /// The labels that name it: `paypal`.
    public var labels: String
    /// The registrable domains that are its own.
    public var domains: String
  }
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
  /// Well-known domains that are not those of a brand below.
  public var popular: String
  /// Domains and suffixes of public agencies.
  public var official: String
  /// Words that look-alike domains add to a brand's name.
  public var lureWords: String
  /// Brands and their own domains.
  public var brands: [Brand]

  private enum CodingKeys: String, CodingKey {
    case version, suffixes, shorteners, popular, official, brands
    case topLevel = "top_level"
    case ambiguousTopLevel = "ambiguous_top_level"
    case suspiciousTopLevel = "suspicious_top_level"
    case freeHosts = "free_hosts"
    case lureWords = "lure_words"
  }
}
