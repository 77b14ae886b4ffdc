/// A way to reach a person.
public enum MessageChannel: String, Sendable, Hashable, CaseIterable {
  /// A notification on a phone, by its push service.
  case push
  /// A text message.
  case sms
  /// Mail.
  case email
  /// An HTTPS address that takes JSON.
  case webhook
  /// An incoming call on a phone (VoIP push).
  case call
}
