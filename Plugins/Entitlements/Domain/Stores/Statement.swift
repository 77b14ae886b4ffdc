public import KithTime

/// What a statement of a store comes to.
public struct Statement: Sendable, Hashable {
  /// A statement that names all that a customer has: what it does not name is over.
  public struct Summary: Sendable, Hashable {
    /// What the store calls the statement.
    public var id: String
    /// What the store calls the customer.
    public var customer: String
    /// When it was so.
    public var at: Instant
  }

  /// What it says of subscriptions; none where it says nothing that counts.
  public var facts: [StoreFact]
  /// Whom the store names; nil where it names nobody.
  public var account: String?
  /// What the store calls the customer, where it has a name of its own for them.
  public var customer: String?
  /// Whether it names all that the customer has.
  public var summary: Summary?
  /// Subscriptions that are the same one's under another name: the token before an upgrade.
  public var replaced: [String] = []

  /// A statement.
  public init(facts: [StoreFact], account: String? = nil) {
    (self.facts, self.account) = (facts, account)
  }

  /// All names that the store has for the person.
  public var accounts: [String] { [account, customer].compactMap(\.self).filter { !$0.isEmpty } }
}

/// Why a statement is refused. It repeats nothing of the statement.
public struct StatementProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of refusal.
  public enum Kind: Sendable, Hashable {
    /// It cannot be read.
    case malformed
    /// Its signature is not right, or is of another.
    case signature
    /// It is about another app, or of another environment.
    case elsewhere
    /// It is of another time.
    case time
  }

  /// The kind of refusal.
  public let kind: Kind
  /// What was expected.
  public let description: String

  /// A problem.
  public init(_ kind: Kind, _ description: String) {
    (self.kind, self.description) = (kind, description)
  }
}
