/// What a link shows by its name. Nothing is visited.
public struct LinkReport: Sendable, Hashable {
  /// What kind of place a link leads to.
  public enum Bucket: String, Sendable, CaseIterable {
    /// A service that hides where a link leads; a name that imitates somebody.
    case shortLink = "short_link"
    /// A name that imitates somebody.
    case lookAlike = "look_alike"
    /// A well-known site, a public agency, a bank, a health company.
    case popular, gov, bank, health
    /// A service where anybody puts up pages.
    case freeHost = "free_host"
    /// Nothing is known of it.
    case unknown
  }

  /// The name that somebody registered; empty for a numeric address.
  public var registrableDomain: String
  /// The public suffix that it was registered under.
  public var publicSuffix: String
  /// What kind of place it is.
  public var bucket: Bucket
  /// Whom it imitates, by the sender's id; nil when nobody.
  public var imitates: String?
  /// What was noticed, by the names of observations.
  public var observations: [String]
  /// Where it stands in the text; nil when it was given by itself.
  public var span: ByteSpan?
}

extension DomainCatalogue {
  /// What a link's name shows.
  func report(on link: Link, span: ByteSpan?) -> LinkReport {
    let labels = link.host.split(separator: UInt8(ascii: "."))
    var count = min(2, labels.count)
    if labels.count >= 3,
      listing(of: link.host[labels[labels.count - 2].startIndex...]).contains(.suffix)
    {
      count = 3
    }
    let isAddress = link.traits.contains(.address)
    func joined(_ some: some Sequence<ArraySlice<UInt8>>) -> String {
      isAddress ? "" : some.map { String(decoding: $0, as: UTF8.self) }.joined(separator: ".")
    }
    return LinkReport(
      registrableDomain: joined(labels.suffix(count)),
      publicSuffix: joined(labels.suffix(max(0, count - 1))), bucket: bucket(of: link),
      imitates: nil, observations: link.traits.observations.map(\.name), span: span)
  }

  /// What kind of place a link leads to.
  func bucket(of link: Link) -> LinkReport.Bucket {
    let traits = link.traits
    if traits.contains(.short) { return .shortLink }
    if !traits.isDisjoint(with: [.lookalike, .brandElsewhere]) { return .lookAlike }
    if traits.contains(.agency) { return .gov }
    if !traits.isDisjoint(with: [.official, .popular]) { return .popular }
    return traits.contains(.freeHost) ? .freeHost : .unknown
  }

  /// A link as a feature vector has it: by name where the name is no secret, else its bucket.
  func nameOrBucket(of link: Link) -> String {
    switch bucket(of: link) {
    case .shortLink, .lookAlike: report(on: link, span: nil).registrableDomain
    case let other: other.rawValue
    }
  }
}
