import Crypto
import DeliveryContract
import DeliveryDomain
import KithAccess
import KithRPC
import KithTesting
import KithTime
import KithTransfer
import Testing

@testable import DeliveryService

/// What Twilio sends back, signed as Twilio signs.
@Suite(.timeLimit(.minutes(1)))
final class CallbackTests {
  private let token = "t0ken"
  private let url = "https://milo.example.com/callbacks/twilio"
  private let transfers: Transfers
  private let office: PostOffice

  init() throws {
    transfers = Transfers()
    let twilio = TextMessages(
      transfers: transfers, url: "https://localhost:1",
      account: .init(sid: "AC0001", token: token, sender: "+12065550100"), timeout: .seconds(1))
    // The one that is scripted sends, Twilio takes callbacks.
    let scripted = ScriptedProvider("scripted", repeatsAreOne: false)
    office = try PostOffice(
      provider: scripted, real: ProviderSet([.sms: [scripted, twilio]]))
  }

  deinit { transfers.close() }

  private func call(
    _ fields: [(name: String, value: String)], query: String = "", key: String? = nil
  ) async throws -> UInt32 {
    let url = self.url + query
    let text = fields.sorted { $0.name < $1.name }.reduce(url) { $0 + $1.name + $1.value }
    let code = HMAC<Insecure.SHA1>.authenticationCode(
      for: Array(text.utf8), using: SymmetricKey(data: Array((key ?? token).utf8)))
    return try await office.service.handleCallback(
      HandleCallbackRequest(
        provider: "twilio", url: url,
        headers: [Header(name: "X-Twilio-Signature", value: Base64Text.text(Array(code)))],
        body: Array(FormFields.encode(fields).utf8)), context: office.call()
    ).status
  }

  /// Sends an SMS by the scripted provider.
  private func send(_ key: String, to number: String = "+12065550101") async throws -> Message {
    let draft = MessageDraft(
      dedupeKey: key, user: try #require(.init("ada")), channel: .sms, address: number,
      providerHint: "scripted", content: MessageContent(body: "Hello"), retries: .bySender,
      expiresAt: office.now + .seconds(86_400))
    return try await office.service.outbox.attempt(.draft(draft)).message
  }

  @Test func aForgedCallbackIsRefused() async throws {
    let error = await #expect(throws: RPCError.self) {
      try await self.call([("MessageSid", "SM1")], key: "another")
    }
    #expect(error?.code == .unauthenticated)
  }

  /// 9.6, 8: the provider's answer never came, then its callbacks do: one message.
  @Test func aCallbackAfterATimeoutCountsOnce() async throws {
    office.provider.next(.unknown(reason: "timeout"))
    let message = try await send("a")
    #expect(message.state == .unknown)
    for status in ["sent", "delivered", "delivered", "sent"] {
      #expect(
        try await call(
          [("MessageSid", "SM1"), ("MessageStatus", status)], query: "?message=\(message.id)")
          == 204)
    }
    let last = try await office.message("a")
    #expect(last.state == .delivered && last.attemptCount == 1 && last.providerId == "SM1")
    #expect(try await send("a").state == .delivered)
    #expect(office.provider.taken.count == 1)
    #expect(try await office.events() == ["UNKNOWN a", "HANDED_OVER a", "DELIVERED a"])
  }

  @Test func aReceiptThatItCouldNotBeDelivered() async throws {
    let message = try await send("a")
    #expect(message.state == .handedOver)
    _ = try await call([
      ("MessageSid", message.providerId), ("MessageStatus", "undelivered"), ("ErrorCode", "30006"),
    ])
    let last = try await office.message("a")
    #expect(last.state == .refused && last.failure == .unsuitable)
    #expect(last.failureReason == "twilio 30006")
  }

  @Test func repliesAreToldOfOnce() async throws {
    _ = try await send("a")
    try await office.pass(.seconds(1))
    _ = try await send("b")
    for _ in 0..<3 {
      #expect(
        try await call([("MessageSid", "SM9"), ("From", "+12065550101"), ("Body", "Ok!")]) == 200)
    }
    #expect(
      try await office.events() == ["HANDED_OVER a", "HANDED_OVER b", "reply Ok! to b"])
    // A stranger's is not heeded.
    _ = try await call([("MessageSid", "SM8"), ("From", "+12065550199"), ("Body", "hello")])
    #expect(try await office.events().count == 3)
  }

  @Test func stopAndStartChangeConsent() async throws {
    _ = try await send("a")
    for (sid, text) in [("SM1", "STOP"), ("SM1", "STOP"), ("SM2", "start")] {
      _ = try await call([("MessageSid", sid), ("From", "+12065550101"), ("Body", text)])
    }
    #expect(
      try await office.events() == [
        "HANDED_OVER a", "unwanted", "reply STOP to a", "wanted", "reply start to a",
      ])
  }

  @Test func hostileCallbacksAreRefused() async throws {
    for body in ["", "%", "a=%ff", "From=%2B1&Body=x"] {
      await #expect(throws: RPCError.self) {
        try await self.office.service.handleCallback(
          HandleCallbackRequest(
            provider: "twilio", url: self.url, headers: [], body: Array(body.utf8)),
          context: self.office.call())
      }
    }
  }
}
