public import Crypto
public import KithJSON
public import KithTime

/// The token by which a provider of pushes shows who it is (RFC 7519, ES256). Apple wants it
/// renewed no more often than every 20 minutes, and no less often than every 60.
public struct ProviderToken: Sendable, Hashable {
  /// From when on a token is replaced: well within both of Apple's bounds.
  public static let lifetime = Duration.seconds(40 * 60)
  /// No token is replaced earlier, whatever happens to it.
  public static let shortestLife = Duration.seconds(20 * 60)

  /// The token.
  public let text: String
  /// When it was made.
  public let issuedAt: Instant

  /// A token of a team, signed by its key.
  public init(
    team: String, keyID: String, key: P256.Signing.PrivateKey, issuedAt: Instant
  ) throws {
    let header: JSONObject = ["alg": "ES256", "kid": .string(keyID)]
    let claims: JSONObject = ["iss": .string(team), "iat": .integer(Int64(issuedAt.seconds))]
    let signed = Self.signed(header, claims)
    let signature = try key.signature(for: Array(signed.utf8))
    text = "\(signed).\(Base64Text.urlSafe(Array(signature.rawRepresentation)))"
    self.issuedAt = issuedAt
  }

  /// Whether another is to be made: it is old, or the clock was set back by more than it may be.
  /// - Parameter isRefused: whether the provider has called it expired.
  public func isDue(at now: Instant, isRefused: Bool = false) -> Bool {
    let age = now - issuedAt
    return age >= Self.lifetime || age < .zero || isRefused && age >= Self.shortestLife
  }

  /// The part of a token that is signed.
  public static func signed(_ header: JSONObject, _ claims: JSONObject) -> String {
    [header, claims].map { Base64Text.urlSafe(Array(JSONValue.object($0).text().utf8)) }
      .joined(separator: ".")
  }
}
