public import Crypto
public import DeliveryDomain
import KithJSON
public import KithTime
public import KithTransfer
import Synchronization

/// Apple's push service over HTTP/2: `apns`. Pushes with a provider token, and calls as VoIP
/// pushes.
public final class ApplePush: DeliveryProvider {
  /// Who pushes.
  public struct Account: Sendable {
    /// The team's id.
    public var team: String
    /// The key's id.
    public var keyID: String
    /// The key.
    public var key: P256.Signing.PrivateKey
    /// The app's bundle id.
    public var bundle: String

    /// An account.
    /// - Parameter pem: the key's file as Apple gives it (`.p8`).
    public init(team: String, keyID: String, pem: String, bundle: String) throws {
      self.team = team
      self.keyID = keyID
      key = try P256.Signing.PrivateKey(pemRepresentation: pem)
      self.bundle = bundle
    }
  }

  private let transfers: Transfers
  private let url: String
  private let account: Account
  private let timeout: Duration
  private let now: @Sendable () -> Instant
  private let token = Mutex<ProviderToken?>(nil)
  private let isTokenRefused = Mutex(false)

  /// Apple's service.
  /// - Parameters:
  ///   - url: `https://api.push.apple.com`.
  ///   - now: what time it really is: Apple compares tokens with its own clock.
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

  /// `apns`
  public var name: String { "apns" }

  /// Where a later push takes the place of an earlier one.
  public func makesRepeatsOne(_ message: OutboundMessage) -> Bool {
    // Of a call the phone knows by callUUID that it rings already.
    message.channel == .call || !message.collapseID.isEmpty
  }

  /// Its size.
  public func problem(of message: OutboundMessage) -> String? {
    PushNotification(message, bundle: account.bundle).problem
  }

  /// Pushes.
  public func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    let push = PushNotification(message, bundle: account.bundle)
    if let problem = push.problem { return .refused(.malformed, problem) }
    guard message.address.utf8.allSatisfy({ Character(Unicode.Scalar($0)).isHexDigit }) else {
      return .refused(.addressGone, "apns: the token is not of hexadecimal digits")
    }
    let bearer: String
    do {
      bearer = try currentToken()
    } catch {
      return .refused(.misconfigured, "apns: the key cannot sign")
    }
    var headers = [
      ("authorization", "bearer \(bearer)"), ("apns-id", push.id), ("apns-topic", push.topic),
      ("apns-push-type", push.kind.rawValue), ("apns-priority", "\(push.priority)"),
      ("apns-expiration", "\(push.expiration)"), ("content-type", "application/json"),
    ]
    if !push.collapseID.isEmpty { headers.append(("apns-collapse-id", push.collapseID)) }
    do throws(TransferError) {
      let answer = try await transfers.run(
        HTTPTransfer(
          post: "\(url)/3/device/\(message.address)", body: push.body, headers: headers,
          needsHTTP2: true, timeout: timeout))
      let body = answer.json
      if body?["reason"]?.stringValue == "ExpiredProviderToken" {
        isTokenRefused.withLock { $0 = true }
      }
      return PushReply.outcome(
        status: answer.status, id: answer.headers["apns-id"] ?? push.id, body: body,
        retryAfter: answer.retryAfter)
    } catch {
      return AttemptOutcome(error, provider: name)
    }
  }

  /// The token, made anew within Apple's bounds.
  private func currentToken() throws -> String {
    let now = now()
    return try token.withLock { token in
      let isRefused = isTokenRefused.withLock(\.self)
      if let token, !token.isDue(at: now, isRefused: isRefused) { return token.text }
      let next = try ProviderToken(
        team: account.team, keyID: account.keyID, key: account.key, issuedAt: now)
      token = next
      isTokenRefused.withLock { $0 = false }
      return next.text
    }
  }
}
