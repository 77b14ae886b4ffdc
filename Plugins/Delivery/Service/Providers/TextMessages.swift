public import DeliveryDomain
import KithJSON
public import KithTransfer

/// Twilio's Messages resource: `twilio`. Text messages, receipts and replies.
public struct TextMessages: DeliveryProvider {
  /// Who sends.
  public struct Account: Sendable {
    /// The account's SID.
    public var sid: String
    /// Its auth token, which signs callbacks too.
    public var token: String
    /// The number or messaging service that sends.
    public var sender: String
    /// Where receipts go; empty for none.
    public var callbackURL: String

    /// An account.
    public init(sid: String, token: String, sender: String, callbackURL: String = "") {
      self.sid = sid
      self.token = token
      self.sender = sender
      self.callbackURL = callbackURL
    }
  }

  /// What a callback's URL names the message by: a receipt then finds it also when the answer that
  /// would have said its SID never came.
  static let messageField = "message"

  let account: Account
  private let transfers: Transfers
  private let url: String
  private let timeout: Duration

  /// Twilio.
  /// - Parameter url: `https://api.twilio.com`.
  public init(transfers: Transfers, url: String, account: Account, timeout: Duration) {
    self.transfers = transfers
    self.url = url
    self.account = account
    self.timeout = timeout
  }

  /// `twilio`
  public var name: String { "twilio" }

  /// Its length.
  public func problem(of message: OutboundMessage) -> String? { text(message).problem }

  /// Sends.
  public func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    let text = text(message)
    if let problem = text.problem { return .refused(.malformed, problem) }
    var form = [("To", message.address), ("Body", text.text)]
    form.append((account.sender.hasPrefix("MG") ? "MessagingServiceSid" : "From", account.sender))
    if !account.callbackURL.isEmpty {
      let mark = account.callbackURL.contains("?") ? "&" : "?"
      form.append(
        ("StatusCallback", "\(account.callbackURL)\(mark)\(Self.messageField)=\(message.id)"))
    }
    do throws(TransferError) {
      let answer = try await transfers.run(
        HTTPTransfer(
          post: "\(url)/2010-04-01/Accounts/\(FormFields.escape(account.sid))/Messages.json",
          body: Array(FormFields.encode(form).utf8),
          headers: [("content-type", "application/x-www-form-urlencoded")],
          credentials: (account.sid, account.token), timeout: timeout))
      let json = answer.json
      return TextMessageErrors.outcome(
        status: answer.status, code: json?["code"]?.integerValue.flatMap(Int.init(exactly:)),
        messageID: json?["sid"]?.stringValue ?? "", retryAfter: answer.retryAfter)
    } catch {
      return AttemptOutcome(error, provider: name)
    }
  }

  private func text(_ message: OutboundMessage) -> SMSText {
    let content = message.content
    return SMSText(content.title.isEmpty ? content.body : "\(content.title)\n\(content.body)")
  }
}
