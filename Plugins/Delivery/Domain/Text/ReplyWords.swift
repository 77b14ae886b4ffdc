/// What a person's reply to a text message asks for.
public enum ReplyWords: Sendable, Hashable {
  /// No more messages.
  case stop
  /// Messages again.
  case start
  /// Anything else.
  case other

  // Those that carriers in the United States have agreed on, and that Twilio heeds.
  private static let stops: Set<String> = [
    "stop", "stopall", "unsubscribe", "cancel", "end", "quit", "optout", "revoke",
  ]
  private static let starts: Set<String> = ["start", "yes", "unstop", "optin"]

  /// Reads a reply: one of the words alone, in any case.
  public init(_ text: String) {
    let word = String(text.lowercased().filter { $0.isLetter || $0.isNumber })
    self = Self.stops.contains(word) ? .stop : Self.starts.contains(word) ? .start : .other
  }

  /// Reads what the provider itself made of it (`OptOutType`), else the reply.
  public init(optOutType: String, text: String) {
    switch optOutType.uppercased() {
    case "STOP": self = .stop
    case "START": self = .start
    default: self.init(text)
    }
  }
}
