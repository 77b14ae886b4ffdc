import CryptoExtras
public import DeliveryDomain
public import KithTime
import KithJSON
public import KithTransfer
import Synchronization

/// Firebase Cloud Messaging, HTTP v1: `fcm`. Shows who it is with an access token of OAuth 2, which
/// it gets for a service account (RFC 7523, RS256).
public final class CloudPush: DeliveryProvider {
  /// A service account, as its file from Google says.
  public struct Account: Sendable {
    let project: String
    let email: String
    let keyID: String
    let tokenURL: String
    let key: _RSA.Signing.PrivateKey

    /// Reads the file.
    /// - Throws: when it is none.
    public init(json text: String) throws {
      let value = try JSONValue(parsing: text)
      func field(_ name: String) throws -> String {
        guard let text = value[name]?.stringValue, !text.isEmpty else {
          throw Malformed(field: name)
        }
        return text
      }
      project = try field("project_id")
      email = try field("client_email")
      keyID = try field("private_key_id")
      tokenURL = try field("token_uri")
      key = try _RSA.Signing.PrivateKey(pemRepresentation: field("private_key"))
    }
  }

  /// A file that is not one of a service account.
  struct Malformed: Error {
    let field: String
  }

  private struct AccessToken {
    var text: String
    var expiresAt: Instant
  }

  /// What Google may be asked with the token.
  private static let scope = "https://www.googleapis.com/auth/firebase.messaging"
  /// A token is not used in its last minutes.
  private static let margin = Duration.seconds(300)

  private let transfers: Transfers
  private let url: String
  private let account: Account
  private let timeout: Duration
  private let now: @Sendable () -> Instant
  private let token = Mutex<AccessToken?>(nil)

  /// Google's service.
  /// - Parameters:
  ///   - url: `https://fcm.googleapis.com`.
  ///   - now: what time it really is.
  public init(
    transfers: Transfers, url: String, account: Account, timeout: Duration,
    now: @escaping @Sendable () -> Instant
  ) {
    self.transfers = transfers
    self.url = url
    self.account = account
    self.timeout = timeout
    self.now = now
  }

  /// `fcm`
  public var name: String { "fcm" }

  /// Where a later push takes the place of an earlier one.
  public func makesRepeatsOne(_ message: OutboundMessage) -> Bool {
    message.channel == .call || !message.collapseID.isEmpty
  }

  /// Its size.
  public func problem(of message: OutboundMessage) -> String? { CloudMessage(message).problem }

  /// Pushes.
  public func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    let push = CloudMessage(message)
    if let problem = push.problem { return .refused(.malformed, problem) }
    let bearer: String
    switch await accessToken() {
    case .success(let token): bearer = token
    case .failure(let failure): return failure.outcome
    }
    do throws(TransferError) {
      let answer = try await transfers.run(
        HTTPTransfer(
          post: "\(url)/v1/projects/\(FormFields.escape(account.project))/messages:send",
          body: push.body,
          headers: [
            ("authorization", "Bearer \(bearer)"), ("content-type", "application/json"),
          ], timeout: timeout))
      if answer.status == 401 { token.withLock { $0 = nil } }
      return CloudMessage.outcome(
        status: answer.status, body: answer.json, retryAfter: answer.retryAfter)
    } catch {
      return AttemptOutcome(error, provider: name)
    }
  }

  private struct NoToken: Error {
    let outcome: AttemptOutcome
  }

  /// An access token, asked for when there is none that lasts. Two tasks may ask at once, which
  /// does no harm.
  private func accessToken() async -> Result<String, NoToken> {
    let now = now()
    if let known = token.withLock(\.self), now + Self.margin < known.expiresAt,
      known.expiresAt < now + .seconds(7200)
    {
      return .success(known.text)
    }
    guard let assertion = try? assertion(at: now) else {
      return .failure(NoToken(outcome: .refused(.misconfigured, "fcm: the key cannot sign")))
    }
    let form = FormFields.encode([
      ("grant_type", "urn:ietf:params:oauth:grant-type:jwt-bearer"), ("assertion", assertion),
    ])
    do throws(TransferError) {
      let answer = try await transfers.run(
        HTTPTransfer(
          post: account.tokenURL, body: Array(form.utf8),
          headers: [("content-type", "application/x-www-form-urlencoded")], timeout: timeout))
      guard answer.status == 200, let json = answer.json,
        let text = json["access_token"]?.stringValue
      else {
        let reason = "fcm: the account's token was refused with \(answer.status)"
        return .failure(
          NoToken(
            outcome: (400...499).contains(answer.status) && answer.status != 429
              ? .refused(.misconfigured, reason) : .later(.unavailable, reason)))
      }
      let life = Duration.seconds(json["expires_in"]?.integerValue ?? 3600)
      token.withLock { $0 = AccessToken(text: text, expiresAt: now + life) }
      return .success(text)
    } catch {
      // Whatever became of it, no message was sent.
      var error = error
      error.mayBeTaken = false
      return .failure(NoToken(outcome: AttemptOutcome(error, provider: name)))
    }
  }

  private func assertion(at now: Instant) throws -> String {
    let signed = ProviderToken.signed(
      ["alg": "RS256", "typ": "JWT", "kid": .string(account.keyID)],
      [
        "iss": .string(account.email), "scope": .string(Self.scope),
        "aud": .string(account.tokenURL), "iat": .integer(Int64(now.seconds)),
        "exp": .integer(Int64(now.seconds + 3600)),
      ])
    let signature = try account.key.signature(
      for: Array(signed.utf8), padding: .insecurePKCS1v1_5)
    return "\(signed).\(Base64Text.urlSafe(Array(signature.rawRepresentation)))"
  }
}
