/// Why there is no answer.
public struct TransferError: Error, Sendable, Hashable, CustomStringConvertible {
  /// What failed.
  public enum Code: String, Sendable, Hashable {
    /// The transfer itself is wrong: a URL of another protocol, a line break in a header, a host
    /// that is not granted.
    case invalid
    /// The way to the server: its name, the connection, the proxy.
    case unreachable
    /// TLS: a certificate that is not trusted or of another host, no STARTTLS.
    case insecure
    /// It took longer than it may.
    case timeout
    /// The connection broke, or what came is not of the protocol.
    case broken
    /// The task was cancelled, or the transfers were closed.
    case cancelled
  }

  /// What failed.
  public var code: Code
  /// libcurl's words, and nothing of the request.
  public var message: String
  /// Whether the server may have taken the request whole. Where it is false the request can be made
  /// again and is one.
  public var mayBeTaken: Bool

  /// An error.
  public init(_ code: Code, _ message: String, mayBeTaken: Bool = false) {
    self.code = code
    self.message = message
    self.mayBeTaken = mayBeTaken
  }

  /// `timeout: Operation timed out`
  public var description: String { "\(code.rawValue): \(message)" }
}
