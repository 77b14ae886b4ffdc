/// A request over HTTPS.
///
///     let answer = try await transfers.run(
///       HTTPTransfer(post: "https://api.example.com/messages", body: body, headers: [("content-type", "application/json")]))
public struct HTTPTransfer: Sendable {
  /// Where to; `https` alone.
  public var url: String
  /// The headers beside those that HTTP itself needs. No line break may stand in them.
  public var headers: [(name: String, value: String)]
  /// The body of the POST.
  public var body: [UInt8]
  /// User and password for Basic authentication.
  public var credentials: (user: String, password: String)?
  /// Whether only HTTP/2 will do.
  public var needsHTTP2: Bool
  /// How long it may take, from the connection to the last byte of the answer.
  public var timeout: Duration

  /// A POST.
  public init(
    post url: String, body: [UInt8], headers: [(name: String, value: String)] = [],
    credentials: (user: String, password: String)? = nil, needsHTTP2: Bool = false,
    timeout: Duration = .seconds(20)
  ) {
    self.url = url
    self.headers = headers
    self.body = body
    self.credentials = credentials
    self.needsHTTP2 = needsHTTP2
    self.timeout = timeout
  }
}
