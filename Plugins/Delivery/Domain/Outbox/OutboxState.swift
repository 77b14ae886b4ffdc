/// Where a message stands.
public enum OutboxState: String, Sendable, Hashable, CaseIterable {
  /// It waits for an attempt. Next: attempting, expired, cancelled, delivered (by a receipt of an
  /// earlier attempt).
  case waiting
  /// An attempt is under way. Next: waiting, handedOver, refused, unknown, cancelled.
  case attempting
  /// The provider took it. Next: delivered, refused (by a receipt).
  case handedOver = "handed_over"
  /// It reached the phone or the mailbox, as the provider says.
  case delivered
  /// Refused for good, or taken and not deliverable. Next: delivered (by a late receipt).
  case refused
  /// Nobody knows whether the provider took it. Next: attempting, handedOver, delivered, refused,
  /// expired, cancelled.
  case unknown
  /// It was worth nothing any more. Next: delivered (by a late receipt).
  case expired
  /// Its sender gave it up. Next: delivered (by a late receipt).
  case cancelled

  /// Whether no attempt follows.
  public var isFinal: Bool {
    switch self {
    case .waiting, .attempting, .unknown: false
    case .handedOver, .delivered, .refused, .expired, .cancelled: true
    }
  }
}
