/// Why a message was not taken, as a class that a program can act on.
public enum FailureKind: String, Sendable, Hashable, CaseIterable {
  /// The address is gone or was never right.
  case addressGone = "address_gone"
  /// The person does not want messages at the address.
  case optedOut = "opted_out"
  /// The address cannot take this kind of message, as a landline an SMS.
  case unsuitable
  /// The message is larger than the channel allows, or malformed.
  case malformed
  /// The provider refuses the platform: credentials, configuration.
  case misconfigured
  /// Too many at once.
  case rateLimited = "rate_limited"
  /// The provider or the way to it is down.
  case unavailable
  /// Filtered as unwanted.
  case filtered
  /// No provider is configured for the channel.
  case noProvider = "no_provider"
}
