public import DeliveryContract
import DeliveryDomain
import KithAccess
public import KithRPC
import KithStore

/// What providers send back over HTTP.
extension DeliveryService {
  private static let mostBytes = 64 << 10

  /// Takes a receipt or a reply.
  public func handleCallback(
    _ request: HandleCallbackRequest, context: CallContext
  ) async throws -> HandleCallbackResponse {
    guard request.provider == "twilio", let provider = outbox.providers.textMessages else {
      throw RPCError.invalidArgument(
        field: "provider", "expected twilio, which has to be configured")
    }
    guard request.body.count <= Self.mostBytes else {
      throw RPCError.invalidArgument(
        field: "body", "it has more than \(Self.mostBytes) bytes")
    }
    let signature = request.headers.first { $0.name.lowercased() == "x-twilio-signature" }?.value
    guard let form = FormFields.decode(request.body), let signature,
      CallbackSignature.isTwilio(
        signature, url: request.url, form: form, token: provider.account.token)
    else { throw RPCError(.unauthenticated, "the callback's signature is not Twilio's") }
    func field(_ name: String) -> String { form.first { $0.name == name }?.value ?? "" }
    let sid = field("MessageSid").isEmpty ? field("SmsSid") : field("MessageSid")
    let status = field("MessageStatus").isEmpty ? field("SmsStatus") : field("MessageStatus")
    if !field("Body").isEmpty || status == "received" {
      let words = ReplyWords(optOutType: field("OptOutType"), text: field("Body"))
      try await take(
        reply: field("Body"), meaning: words, from: field("From"), sid: sid,
        traceparent: context.traceparent)
      // Nothing is answered to the person here.
      return HandleCallbackResponse(
        status: 200, contentType: "text/xml", body: Array("<Response/>".utf8))
    }
    if let receipt = Self.receipt(status, sid: sid, code: Int(field("ErrorCode"))) {
      try await take(receipt, of: request.url, traceparent: context.traceparent)
    }
    return HandleCallbackResponse(status: 204)
  }

  /// What a status says:
  /// https://www.twilio.com/docs/messaging/guides/outbound-message-status-in-status-callbacks
  private static func receipt(_ status: String, sid: String, code: Int?) -> DeliveryReceipt? {
    switch status {
    case "accepted", "queued", "sending", "sent": DeliveryReceipt(providerID: sid, .taken)
    case "delivered", "read": DeliveryReceipt(providerID: sid, .delivered)
    case "undelivered", "failed":
      DeliveryReceipt(
        providerID: sid,
        .failed(
          code.flatMap(TextMessageErrors.failure)
            ?? .init(.unavailable, "twilio \(status)" + (code.map { " \($0)" } ?? ""))))
    default: nil
    }
  }

  /// Notes a receipt. The message is the one that the callback's URL names, whose signature covers
  /// it, else the one of this SID.
  private func take(
    _ receipt: DeliveryReceipt, of url: String, traceparent: String
  ) async throws {
    let named = Self.message(in: url)
    let now = outbox.now()
    try await store.write { [outbox] transaction in
      var row = try named.flatMap {
        try transaction.record(
          StoredMessage.self, id: $0, under: Outbox.ownGrant, markingDamage: true)
      }
      if row == nil, !receipt.providerID.isEmpty {
        row = try transaction.records(
          StoredMessage.self, where: "provider_id = \(receipt.providerID)", orderedBy: "id",
          limit: 1, under: Outbox.ownGrant
        ).first
      }
      guard var row else { return }
      try outbox.change(&row, traceparent, transaction) { $0.take(receipt, at: now) }
      if case .failed(let failure) = receipt.news, let address = row.address?.intact {
        try Registry(transaction: transaction, now: now).note(
          failure.kind, at: address, row, before: row.entry.handedOverAt ?? now)
      }
    }
    outbox.wake()
  }

  private static func message(in url: String) -> String? {
    guard let query = url.split(separator: "?", maxSplits: 1).dropFirst().first else { return nil }
    return FormFields.decode(Array(query.utf8))?
      .first { $0.name == TextMessages.messageField }?.value
  }

  /// Tells of a reply, in the name of the person whom the last message to that number was about. A
  /// number to which nothing was sent is a stranger's, and not heeded.
  private func take(
    reply text: String, meaning: ReplyWords, from number: String, sid: String, traceparent: String
  ) async throws {
    let now = outbox.now()
    let address = number
    try await store.write { transaction in
      let index = transaction.index(of: address, in: StoredMessage.self, "address_index")
      let last = try transaction.records(
        StoredMessage.self,
        where: """
          address_index = \(index) AND channel = \(MessageChannel.sms)
          AND handed_over_at_ms IS NOT NULL
          """, orderedBy: "handed_over_at_ms DESC, id", limit: 1, under: Outbox.ownGrant
      ).first
      let registry = Registry(transaction: transaction, now: now)
      guard
        let user = try last?.user ?? registry.addresses(.sms, address).first?.user,
        !sid.isEmpty
      else { return }
      let key = "twilio/\(sid)"
      guard
        try transaction.record(StoredReply.self, id: key, under: Outbox.ownGrant) == nil
      else { return }
      try transaction.save(
        StoredReply(id: key, user: user, takenAt: now), under: Outbox.ownGrant)
      switch meaning {
      case .stop: try registry.want(false, .sms, address, about: user, key: key)
      case .start: try registry.want(true, .sms, address, about: user, key: key)
      case .other: break
      }
      try transaction.append(
        ReplyReceived(
          key: key, dedupeKey: last?.dedupeKey ?? "", channel: .sms, from: number, text: text),
        about: user, at: now.contract, traceparent: traceparent)
    }
  }
}
