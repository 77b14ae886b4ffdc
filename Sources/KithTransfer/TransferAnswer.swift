/// What a server answered.
public struct TransferAnswer: Sendable, Hashable {
  /// The status of HTTP, or the last code of SMTP.
  public var status: Int
  /// The headers of HTTP, their names in lower case, the last of each name.
  public var headers: [String: String]
  /// The body; for SMTP the server's last line.
  public var body: [UInt8]

  /// An answer.
  public init(status: Int, headers: [String: String] = [:], body: [UInt8] = []) {
    self.status = status
    self.headers = headers
    self.body = body
  }

  /// The body as text, with replacements for what is not UTF-8.
  public var text: String { String(decoding: body, as: UTF8.self) }
}
