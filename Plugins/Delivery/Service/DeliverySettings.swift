public import DeliveryDomain
public import KithAccess
public import KithRPC

/// What a product sets of its deliveries.
public struct DeliverySettings: Sendable {
  /// A mail server.
  public struct Mail: Sendable, Hashable {
    /// `smtp://HOST:587` or `smtps://HOST`.
    public var url = ""
    /// The user; empty for a server that asks for none.
    public var user = ""
    /// The file of the password.
    public var passwordFile = ""
  }

  /// Apple's push service.
  public struct ApplePushSettings: Sendable, Hashable {
    /// The service.
    public var url = "https://api.push.apple.com"
    /// The file of the key (`.p8`).
    public var keyFile = ""
    /// The key's id.
    public var keyID = ""
    /// The team's id.
    public var team = ""
    /// The app's bundle id.
    public var topic = ""
  }

  /// Google's push service.
  public struct CloudPushSettings: Sendable, Hashable {
    /// The service.
    public var url = "https://fcm.googleapis.com"
    /// The file of the service account.
    public var accountFile = ""
  }

  /// Twilio.
  public struct TextMessageSettings: Sendable, Hashable {
    /// The service.
    public var url = "https://api.twilio.com"
    /// The account's SID.
    public var account = ""
    /// The file of its auth token.
    public var tokenFile = ""
    /// The number or messaging service that sends.
    public var sender = ""
    /// Where receipts go; empty for none.
    public var callbackURL = ""
  }

  /// Whose message a call of the product itself is about that names nobody.
  public var person: UserID
  /// The names of the providers of each channel.
  public var channels: [MessageChannel: [String]]
  /// Whom mails are from.
  public var sender: MailAddress
  /// The folder of the outbox.
  public var outboxFolder: String
  /// The mail server.
  public var mail = Mail()
  /// Apple's push service.
  public var applePush = ApplePushSettings()
  /// Google's push service.
  public var cloudPush = CloudPushSettings()
  /// Twilio.
  public var textMessages = TextMessageSettings()
  /// The file of the secret by which webhooks are signed; empty for no signature.
  public var webhookSecretFile = ""
  /// The file of the authorities that are trusted; empty for the system's.
  public var authoritiesFile = ""
  /// A proxy for all connections; empty for none.
  public var proxy = ""
  /// How long one attempt may take.
  public var attemptTimeout: Duration
  /// The most attempts at one provider at once.
  public var mostAttempts: Int
  /// The most attempts a second, by provider; one that is not named has no limit.
  public var rates: [String: Int]
  /// For how long addresses and contents are kept after a message's end.
  public var contentLife: Duration

  /// Which providers a channel may have.
  private static let known: [MessageChannel: [String]] = [
    .push: ["outbox", "apns", "fcm"], .sms: ["outbox", "twilio"], .email: ["outbox", "smtp"],
    .webhook: ["outbox", "webhook"], .call: ["outbox", "apns", "fcm"],
  ]

  /// Settings.
  /// - Parameters:
  ///   - push: the names of the providers of pushes, as `call`, `sms`, `email` and `webhook` are of
  ///     theirs; an empty list for a channel that the product does not have.
  ///   - rates: such as `twilio=10`, for at most ten attempts a second.
  /// - Throws: INVALID_ARGUMENT that names the key.
  public init(
    person: String = "me",
    push: [String] = ["outbox"], call: [String] = ["outbox"], sms: [String] = ["outbox"],
    email: [String] = ["outbox"], webhook: [String] = ["outbox"],
    sender: String = "Kith <kith@localhost>", outboxFolder: String = "outbox",
    attemptTimeout: Duration = .seconds(15), mostAttempts: Int = 16, rates: [String] = [],
    contentLife: Duration = .seconds(7 * 86_400)
  ) throws(RPCError) {
    guard let person = UserID(person) else { throw .noUserID(field: "configuration.person") }
    guard let address = MailAddress(sender) else {
      throw .invalidArgument(
        field: "configuration.mail_from", "expected an address such as Milo <milo@example.com>")
    }
    channels = [.push: push, .call: call, .sms: sms, .email: email, .webhook: webhook]
    for (channel, names) in channels {
      let choice = Self.known[channel] ?? []
      guard Set(names).isSubset(of: choice), names.count < 2 || !names.contains("outbox") else {
        throw .invalidArgument(
          field: "configuration.\(channel.rawValue)",
          "expected \(choice.joined(separator: ", ")), the outbox alone or not at all")
      }
    }
    guard !outboxFolder.isEmpty, !outboxFolder.hasPrefix("/"),
      !outboxFolder.split(separator: "/").contains("..")
    else {
      throw .invalidArgument(
        field: "configuration.outbox_folder",
        "expected a folder below the worker's state folder, such as outbox")
    }
    self.person = person
    self.sender = address
    self.outboxFolder = outboxFolder
    self.attemptTimeout = attemptTimeout
    self.mostAttempts = mostAttempts
    self.contentLife = contentLife
    self.rates = [:]
    for rate in rates { try addRate(rate) }
  }

  private mutating func addRate(_ text: String) throws(RPCError) {
    let parts = text.split(separator: "=", omittingEmptySubsequences: false)
    let names = Self.known.values.joined()
    guard parts.count == 2, names.contains(String(parts[0])), let rate = Int(parts[1]),
      (1...10_000).contains(rate), rates.updateValue(rate, forKey: String(parts[0])) == nil
    else {
      throw .invalidArgument(
        field: "configuration.most_per_second",
        "expected a provider and 1 to 10000, each provider once, such as twilio=10")
    }
  }
}
