/// The contacts, sorted out once for every kind of scam.
public struct ContactBook: Sendable {
  /// The most federal contacts in an answer.
  static let most = 4
  /// How many of them may be special ones.
  static let mostSpecial = 2

  private let states: [String: ContactFile.State]
  /// By the category's number, 0 for none.
  private let federal: [[ContactFile.Federal]]

  /// The contacts of a file.
  ///
  /// - Throws: `RuleFileError` naming the contact whose category is none.
  public init(_ file: ContactFile) throws(RuleFileError) {
    states = Dictionary(file.states.map { ($0.code, $0) }, uniquingKeysWith: { first, _ in first })
    for contact in file.federal {
      for name in contact.categories ?? [] where ScamCategory(name: name) == nil {
        throw RuleFileError(description: "contact `\(contact.id)`: `\(name)` is no category")
      }
    }
    let general = file.federal.filter { $0.categories == nil }
    federal = ([nil] + ScamCategory.allCases).map { category in
      let special = file.federal.filter { contact in
        category.map { contact.categories?.contains($0.name) == true } ?? false
      }
      return Array((special.prefix(Self.mostSpecial) + general).prefix(Self.most))
    }
  }

  /// The country's contacts for a kind of scam, most useful first.
  public func federal(for category: ScamCategory?) -> [ContactFile.Federal] {
    federal[category?.rawValue ?? 0]
  }

  /// A state by its two letters in upper case; nil when there is none.
  public func state(_ code: String) -> ContactFile.State? { states[code] }
}
