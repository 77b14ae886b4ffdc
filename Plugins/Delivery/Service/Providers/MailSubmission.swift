public import DeliveryDomain
public import KithTransfer

/// A mail server that takes mail for others (RFC 6409): `smtp`. DKIM is the server's.
public struct MailSubmission: DeliveryProvider {
  private let transfers: Transfers
  private let url: String
  private let sender: MailAddress
  private let credentials: (user: String, password: String)?
  private let timeout: Duration

  /// A server.
  /// - Parameter url: `smtp://mail.example.com:587` (STARTTLS) or `smtps://mail.example.com`.
  public init(
    transfers: Transfers, url: String, sender: MailAddress,
    credentials: (user: String, password: String)?, timeout: Duration
  ) {
    self.transfers = transfers
    self.url = url
    self.sender = sender
    self.credentials = credentials
    self.timeout = timeout
  }

  /// `smtp`
  public var name: String { "smtp" }

  /// Yes: mailboxes show mails of one Message-ID once, and those that do not show the same mail.
  public func makesRepeatsOne(_ message: OutboundMessage) -> Bool { true }

  /// Hands over the mail.
  public func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    guard let recipient = MailAddress(message.address) else {
      return .refused(.addressGone, "smtp: it is no mail address")
    }
    let mail = MailMessage(
      from: sender, to: recipient, content: message.content, date: message.acceptedAt,
      id: message.id, collapseID: message.collapseID, urgency: message.urgency)
    do throws(TransferError) {
      let answer = try await transfers.run(
        MailTransfer(
          url: url, credentials: credentials, sender: sender.address,
          recipient: recipient.address, message: mail.bytes, timeout: timeout))
      return MailReply.outcome(
        code: answer.status, line: answer.text, messageID: "\(message.id)@\(sender.domain)")
    } catch {
      return AttemptOutcome(error, provider: name)
    }
  }
}
