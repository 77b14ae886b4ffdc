/// Why a signed statement of Apple's is refused. It repeats nothing of the statement.
public struct AppleProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The kinds of refusal.
  public enum Code: String, Sendable, Hashable {
    /// It is longer than any that Apple writes.
    case tooLarge = "too_large"
    /// It is not three segments of base64url with JSON in the first two.
    case malformed
    /// It is not signed with ES256.
    case algorithm
    /// It does not come with three certificates, or they cannot be read.
    case certificates
    /// A certificate is not marked as Apple's for this purpose.
    case marker
    /// The certificates do not lead to a trusted root at its time.
    case chain
    /// The signature is not that of the first certificate's key.
    case signature
    /// It is about another app.
    case app
    /// It is of another environment.
    case environment
  }

  /// The kind of refusal.
  public let code: Code
  /// What was expected.
  public let description: String

  init(_ code: Code, _ description: String) { (self.code, self.description) = (code, description) }

  /// A statement that is signed rightly, and says what cannot be read.
  public init(malformed description: String) { self.init(.malformed, description) }
}
