/// A way to reach a contact.
public enum ContactChannel: String, Sendable, Hashable, CaseIterable {
  /// A notification on a phone.
  case push
  /// A text message.
  case sms
  /// Mail.
  case email
  /// An HTTPS address that takes JSON.
  case webhook
  /// An incoming call on a phone.
  case call

  /// Whether a message costs nothing.
  public var isFree: Bool { self != .sms }
}
