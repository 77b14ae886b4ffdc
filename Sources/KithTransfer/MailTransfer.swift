/// A message for a mail server (submission). Nothing is said in the open: over `smtp` the server
/// must offer STARTTLS, over `smtps` TLS comes first.
public struct MailTransfer: Sendable {
  /// The server: `smtp://mail.example.com:587` or `smtps://mail.example.com`.
  public var url: String
  /// User and password; nil for a server that asks for none.
  public var credentials: (user: String, password: String)?
  /// The address of the envelope's sender, without a name.
  public var sender: String
  /// The address of the recipient, without a name.
  public var recipient: String
  /// The message, its lines ended by CR LF. Dots at the beginning of a line are stuffed by libcurl.
  public var message: [UInt8]
  /// How long it may take, from the connection to the server's last word.
  public var timeout: Duration

  /// A message for one recipient.
  public init(
    url: String, credentials: (user: String, password: String)? = nil, sender: String,
    recipient: String, message: [UInt8], timeout: Duration = .seconds(20)
  ) {
    self.url = url
    self.credentials = credentials
    self.sender = sender
    self.recipient = recipient
    self.message = message
    self.timeout = timeout
  }
}
