import Synchronization

/// The texts of the statements that records are read and written by, each made once.
final class StatementTexts: Sendable {
  /// What a text depends on besides the values.
  struct Key: Hashable {
    enum Form: Hashable {
      case find, save, update, remove, named
    }

    var form: Form
    var table: String
    var columns: [String] = []
    /// How many people a grant names; nil if it is about all.
    var users: Int?

    /// The key of a statement of the SDK's own.
    static func named(_ name: String) -> Key { Key(form: .named, table: name) }
  }

  /// Beyond these all are made again: no worker has so many.
  private static let most = 2_000

  let dialect: Dialect
  private let texts = Mutex<[Key: String]>([:])

  init(_ dialect: Dialect) { self.dialect = dialect }

  /// The text of a statement. Its values are bound in the order of the placeholders.
  func text(_ key: Key, _ make: () -> SQLText) -> String {
    if let known = texts.withLock({ $0[key] }) { return known }
    let text = dialect.render(make()).text
    texts.withLock { texts in
      if texts.count >= Self.most { texts.removeAll() }
      texts[key] = text
    }
    return text
  }
}
