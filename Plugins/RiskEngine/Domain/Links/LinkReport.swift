/// What a link shows by its name. Nothing is visited.
public struct LinkReport: Sendable, Hashable {
  /// What kind of place a link leads to.
  public enum Bucket: String, Sendable, CaseIterable {
    /// A service that hides where a link leads.
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
  /// Whom it imitates, by the sender's id, or the brand's where there is no such sender; nil when
  /// nobody.
  public var imitates: String?
  /// Why it counts as an imitation.
  public var reason: LookAlikeReason?
  /// What was noticed, by the names of observations.
  public var observations: [String]
  /// Where it stands in the text; nil when it was given by itself.
  public var span: ByteSpan?
}

extension DomainCatalogue {
  /// What a link's name shows.
  func report(on link: Link, span: ByteSpan?) -> LinkReport {
    let reading = link.reading
    func text(_ start: Int?) -> String {
      start.map { String(decoding: reading.host[$0...], as: UTF8.self) } ?? ""
    }
    return LinkReport(
      registrableDomain: text(reading.registrableStart),
      publicSuffix: reading.host.isEmpty ? "" : text(reading.suffixStart),
      bucket: bucket(of: link),
      imitates: imitated(by: link)?.id, reason: reading.reason,
      observations: link.traits.observations.map(\.name), span: span)
  }

  /// Whom a link imitates.
  func imitated(by link: Link) -> BrandBook.Brand? {
    guard link.reading.reason != nil, let brand = link.reading.brand else { return nil }
    return brands[brand]
  }

  /// What kind of place a link leads to.
  func bucket(of link: Link) -> LinkReport.Bucket {
    let traits = link.traits
    if link.reading.reason != nil { return .lookAlike }
    if traits.contains(.short) { return .shortLink }
    if traits.contains(.freeHost) { return .freeHost }
    if traits.contains(.official), let brand = link.reading.brand {
      switch brands[brand].kind {
      case "bank": return .bank
      case "health": return .health
      default: return .popular
      }
    }
    if traits.contains(.agency) { return .gov }
    return traits.contains(.popular) ? .popular : .unknown
  }

  /// A link as a feature vector has it: by name where the name is no secret, else its bucket.
  func nameOrBucket(of link: Link) -> String {
    switch bucket(of: link) {
    case .shortLink, .lookAlike: report(on: link, span: nil).registrableDomain
    case let other: other.rawValue
    }
  }
}
