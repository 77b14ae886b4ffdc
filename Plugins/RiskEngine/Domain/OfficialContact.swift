/// Somebody official to ask or to report to.
public struct OfficialContact: Codable, Sendable, Hashable {
  /// Who.
  public var name: String
  /// What for.
  public var purpose: String
  /// A number in E.164 or a short code; empty when there is none.
  public var phone: String
  /// A web address; empty when there is none.
  public var url: String
  /// The kinds of scam that it is for; nil for all.
  public var categories: [String]?
  /// The state that it serves; nil for the whole country.
  public var state: String?
}

/// The official contacts as they are written.
public struct ContactFile: Codable, Sendable {
  /// The version of the file.
  public var version: String
  /// The contacts, most useful first.
  public var contacts: [OfficialContact]
  /// The two-letter codes of all states, districts and territories.
  public var states: String

  /// The most contacts in an answer.
  static let most = 4

  /// Whether a two-letter code is a state's.
  public func knows(state: String) -> Bool {
    states.split(separator: " ").contains { $0 == state }
  }

  /// The contacts for a kind of scam in a state: the special ones, then the state's, then the general.
  func contacts(for category: ScamCategory?, state: String) -> [OfficialContact] {
    let name = category?.name
    let special = contacts.filter { contact in
      contact.state == nil && name.map { contact.categories?.contains($0) == true } == true
    }
    let local = contacts.filter { $0.state != nil && $0.state == state }
    let general = contacts.filter { $0.state == nil && $0.categories == nil }
    return Array((special.prefix(2) + local.prefix(1) + general).prefix(Self.most))
  }
}
