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

}

/// The contacts, sorted out once for every kind of scam.
struct ContactBook: Sendable {
  private let states: Set<String>
  private let local: [String: OfficialContact]
  /// By the category's number, 0 for none: the special ones and the general ones.
  private let special: [[OfficialContact]]
  private let general: [OfficialContact]
  private let withoutState: [[OfficialContact]]

  init(_ file: ContactFile) {
    states = Set(file.states.split(separator: " ").map(String.init))
    local = Dictionary(
      file.contacts.compactMap { contact in contact.state.map { ($0, contact) } },
      uniquingKeysWith: { first, _ in first })
    let general = file.contacts.filter { $0.state == nil && $0.categories == nil }
    let special = [nil as ScamCategory?] + ScamCategory.allCases
    self.general = general
    self.special = special.map { category in
      guard let name = category?.name else { return [] }
      return Array(
        file.contacts.filter { $0.state == nil && $0.categories?.contains(name) == true }
          .prefix(2))
    }
    withoutState = self.special.map { Array(($0 + general).prefix(ContactFile.most)) }
  }

  func knows(state: String) -> Bool { states.contains(state) }

  /// The contacts for a kind of scam in a state: the special ones, then the state's, then the general.
  func contacts(for category: ScamCategory?, state: String) -> [OfficialContact] {
    let number = category?.rawValue ?? 0
    guard !state.isEmpty, let here = local[state] else { return withoutState[number] }
    return Array((special[number] + [here] + general).prefix(ContactFile.most))
  }
}
