import KithTime

/// What an escalation goes by: the policy, and the contacts as they are now.
public struct EscalationPlan: Sendable, Hashable {
  /// The policy.
  public let policy: EscalationPolicy
  /// Who may be told, in their order.
  public let recipients: [Recipient]
  private let kind: AlertKind

  /// A plan for an incident.
  /// - Parameter contacts: all contacts that want messages, in their order.
  public init(_ policy: EscalationPolicy, for kind: AlertKind, contacts: [Recipient]) {
    self.policy = policy
    self.kind = kind
    recipients = policy.recipients(of: kind, among: contacts)
  }

  /// A contact that may be told.
  func recipient(_ id: String) -> Recipient? { recipients.first { $0.id == id } }

  /// When a contact may be told that is to be told at an instant.
  func moment(for recipient: Recipient, at due: Instant) -> Instant {
    if kind.isSafety { return due }
    return recipient.quietHours?.end(after: due) ?? due
  }

  /// How long after an acknowledgement the ladder begins again.
  var reescalatesAfter: Duration? { kind.isSafety ? policy.reescalatesAfter : nil }

  /// Whether the first message goes out as a text message too.
  var addsSMS: Bool { kind.isSafety && policy.allowsSMS }
}
