public import KithTime

/// What a provider made of one attempt.
public enum AttemptOutcome: Sendable, Hashable {
  /// The provider has the message, and calls it so; empty where it says nothing.
  case accepted(providerID: String)
  /// Refused for good. `goneSince` is when the provider found the address gone, where it says that.
  case refused(Failure, goneSince: Instant? = nil)
  /// Not taken: a later attempt may succeed, not before `after` where the provider says that.
  case later(Failure, after: Duration? = nil)
  /// It may have been taken or not: the connection broke before there was an answer.
  case unknown(reason: String)

  /// A failure: its class, and the words for an operator, which name nobody.
  public struct Failure: Sendable, Hashable {
    /// The class.
    public var kind: FailureKind
    /// The provider's own code and words.
    public var reason: String

    /// A failure.
    public init(_ kind: FailureKind, _ reason: String) {
      self.kind = kind
      self.reason = reason
    }
  }

  /// Refused for good.
  public static func refused(_ kind: FailureKind, _ reason: String) -> AttemptOutcome {
    .refused(Failure(kind, reason))
  }

  /// Not taken now.
  public static func later(
    _ kind: FailureKind, _ reason: String, after: Duration? = nil
  ) -> AttemptOutcome {
    .later(Failure(kind, reason), after: after)
  }

  /// Whether the provider has it.
  public var isAccepted: Bool { if case .accepted = self { true } else { false } }
}
