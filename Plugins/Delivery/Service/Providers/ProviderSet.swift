public import DeliveryDomain

/// The providers of a product: which of them serves which channel.
public struct ProviderSet: Sendable {
  private var providers: [MessageChannel: [any DeliveryProvider]]

  /// Providers by channel, in the order in which lists show them.
  public init(_ providers: [MessageChannel: [any DeliveryProvider]]) { self.providers = providers }

  /// The provider of an address; nil when none is configured for it.
  /// - Parameter hint: which push service a token is of; empty where only one is configured.
  func provider(of channel: MessageChannel, hint: String) -> (any DeliveryProvider)? {
    let choice = providers[channel] ?? []
    // The folder stands for all of them.
    if choice.count == 1, hint.isEmpty || choice[0].name == "outbox" { return choice[0] }
    return choice.first { $0.name == hint }
  }

  /// The provider of a name.
  func provider(named name: String, of channel: MessageChannel) -> (any DeliveryProvider)? {
    providers[channel]?.first { $0.name == name }
  }

  /// Twilio, whose callbacks are taken; nil where it is not configured.
  var textMessages: TextMessages? {
    providers[.sms]?.lazy.compactMap { $0 as? TextMessages }.first
  }

  /// All, by channel.
  var all: [(channel: MessageChannel, provider: String)] {
    MessageChannel.allCases.flatMap { channel in
      (providers[channel] ?? []).map { (channel, $0.name) }
    }
  }
}
