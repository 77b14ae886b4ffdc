public import DeliveryDomain
public import KithTime
public import KithTransfer

/// An address that takes JSON over HTTPS, Slack's among them: `webhook`. Requests are signed where
/// there is a secret.
public struct Webhook: DeliveryProvider {
  private let transfers: Transfers
  private let secret: [UInt8]
  private let timeout: Duration
  private let now: @Sendable () -> Instant

  /// Webhooks.
  /// - Parameters:
  ///   - secret: what signs; empty for no signature.
  ///   - now: what time it really is.
  public init(
    transfers: Transfers, secret: [UInt8], timeout: Duration,
    now: @escaping @Sendable () -> Instant
  ) {
    self.transfers = transfers
    self.secret = secret
    self.timeout = timeout
    self.now = now
  }

  /// `webhook`
  public var name: String { "webhook" }

  /// Its size.
  public func problem(of message: OutboundMessage) -> String? {
    let count = WebhookBody.bytes(message).count
    return count > WebhookBody.mostBytes
      ? "the body has \(count) bytes, of \(WebhookBody.mostBytes) at most" : nil
  }

  /// Posts.
  public func deliver(_ message: OutboundMessage) async -> AttemptOutcome {
    let body = WebhookBody.bytes(message)
    var headers = [("content-type", "application/json"), ("idempotency-key", message.id)]
    if !secret.isEmpty {
      headers.append(
        ("kith-signature", CallbackSignature.webhook(body, at: now().seconds, secret: secret)))
    }
    do throws(TransferError) {
      let answer = try await transfers.run(
        HTTPTransfer(post: message.address, body: body, headers: headers, timeout: timeout))
      return WebhookBody.outcome(status: answer.status, retryAfter: answer.retryAfter)
    } catch {
      return AttemptOutcome(error, provider: name)
    }
  }
}
