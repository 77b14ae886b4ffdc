import Crypto
import DeliveryDomain
import KithJSON
import KithTime
import Testing

/// Pushes as they are sent, and the tokens that go with them.
@Suite struct PushTests {
  private func message(
    _ channel: MessageChannel = .push, _ content: MessageContent, urgency: Urgency = .normal,
    collapseID: String = ""
  ) -> OutboundMessage {
    OutboundMessage(
      id: "8f7d7f6e-0000-8000-8000-000000000001", channel: channel, address: "ab12",
      content: content, collapseID: collapseID, urgency: urgency,
      acceptedAt: Instant(seconds: 1_000), expiresAt: Instant(seconds: 4_600))
  }

  /// A push whose body has exactly so many bytes.
  private func sized(_ bytes: Int, _ channel: MessageChannel) throws -> OutboundMessage {
    var message = message(channel, MessageContent(title: "t", data: ["x": ""]))
    let frame = PushNotification(message, bundle: "b").body.count
    message.content.data["x"] = .string(String(repeating: "x", count: bytes - frame))
    try #require(PushNotification(message, bundle: "b").body.count == bytes)
    return message
  }

  /// 9.6, 20: 4,097 and 5,121 bytes are refused before they are sent.
  @Test func applesLimitsAreKept() throws {
    for (channel, most) in [(MessageChannel.push, 4096), (.call, 5120)] {
      let fits = PushNotification(try sized(most, channel), bundle: "b")
      #expect(fits.problem == nil)
      let larger = PushNotification(try sized(most + 1, channel), bundle: "b")
      #expect(larger.problem?.contains("\(most + 1) bytes") == true)
    }
    let long = message(MessageContent(title: "t"), collapseID: String(repeating: "c", count: 65))
    #expect(PushNotification(long, bundle: "b").problem != nil)
  }

  private func message(_ content: MessageContent, collapseID: String) -> OutboundMessage {
    message(.push, content, collapseID: collapseID)
  }

  @Test func googlesLimitIsKept() {
    let large = message(.push, MessageContent(body: String(repeating: "x", count: 4200)))
    #expect(CloudMessage(large).problem != nil)
    #expect(CloudMessage(message(.push, MessageContent(body: "x"))).problem == nil)
  }

  @Test func aCallIsAlwaysAVoIPPushAndNothingElseIs() throws {
    for urgency in Urgency.allCases {
      let call = PushNotification(
        message(.call, MessageContent(title: "x", callerName: "Milo"), urgency: urgency),
        bundle: "com.example.milo")
      #expect(call.kind == .voip && call.topic == "com.example.milo.voip")
      #expect(call.priority == 10 && call.expiration == 0)
      let body = try JSONValue(parsing: call.body)
      #expect(body["callUUID"]?.stringValue == call.id)
      #expect(body["handle"]?.stringValue == "Milo")
      #expect(body["expiresAt"]?.integerValue == 4_600_000)
      let push = PushNotification(
        message(.push, MessageContent(title: "x"), urgency: urgency), bundle: "com.example.milo")
      #expect(push.kind == .alert && push.topic == "com.example.milo")
    }
    let silent = PushNotification(
      message(.push, MessageContent(data: ["sync": 1])), bundle: "b")
    #expect(silent.kind == .background && silent.priority == 5)
  }

  @Test func urgencyReachesThePhone() throws {
    func level(_ urgency: Urgency) throws -> String? {
      let push = PushNotification(
        message(.push, MessageContent(title: "x"), urgency: urgency), bundle: "b")
      return try JSONValue(parsing: push.body)["aps"]?["interruption-level"]?.stringValue
    }
    #expect(try level(.low) == "passive")
    #expect(try level(.normal) == "active")
    #expect(try level(.safety) == "time-sensitive")
  }

  @Test func theTokenIsSignedAndRenewedWithinApplesBounds() throws {
    let key = P256.Signing.PrivateKey()
    let start = Instant(seconds: 1_000_000)
    let token = try ProviderToken(team: "TEAM", keyID: "KEY", key: key, issuedAt: start)
    let parts = token.text.split(separator: ".").map(String.init)
    try #require(parts.count == 3)
    let signature = try P256.Signing.ECDSASignature(rawRepresentation: try decoded(parts[2]))
    #expect(
      key.publicKey.isValidSignature(signature, for: Array("\(parts[0]).\(parts[1])".utf8)))
    #expect(
      try JSONValue(parsing: decoded(parts[1])) == ["iss": "TEAM", "iat": 1_000_000])
    for minutes in [0, 19, 39] {
      #expect(!token.isDue(at: start + .seconds(minutes * 60)))
    }
    for minutes in [40, 59, -1] { #expect(token.isDue(at: start + .seconds(minutes * 60))) }
    // Refused: another one, but none within 20 minutes.
    #expect(!token.isDue(at: start + .seconds(19 * 60), isRefused: true))
    #expect(token.isDue(at: start + .seconds(20 * 60), isRefused: true))
  }

  private func decoded(_ text: String) throws -> [UInt8] {
    let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_")
    var (bytes, buffer, bits): ([UInt8], UInt32, Int) = ([], 0, 0)
    for character in text {
      buffer = buffer << 6 | UInt32(try #require(alphabet.firstIndex(of: character)))
      bits += 6
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
    }
    return bytes
  }

  @Test func webhooksAreSignedAndReadableBySlack() throws {
    let body = WebhookBody.bytes(
      message(.webhook, MessageContent(title: "Fall", body: "a < b & c"), urgency: .safety))
    let text = try JSONValue(parsing: body)["text"]?.stringValue
    #expect(text == "*Fall*\na &lt; b &amp; c")
    // printf '5.{}' | openssl dgst -sha256 -hmac secret
    #expect(
      CallbackSignature.webhook(Array("{}".utf8), at: 5, secret: Array("secret".utf8))
        == "t=5,v1=f18d2fcd9a24151471e3e2d71bc7ce901fb7b89b341918a08f95e9ffc497ea26")
  }
}
