import DeliveryDomain
import KithJSON
import KithTime
import Testing

/// What the answers of providers mean, by their documented codes (9.3).
@Suite struct ProviderAnswerTests {
  private func kind(_ outcome: AttemptOutcome) -> String {
    switch outcome {
    case .accepted: "accepted"
    case .refused(let failure, _): "refused \(failure.kind)"
    case .later(let failure, _): "later \(failure.kind)"
    case .unknown: "unknown"
    }
  }

  @Test(arguments: [
    (400, "BadDeviceToken", "refused addressGone"),
    (400, "DeviceTokenNotForTopic", "refused addressGone"),
    (400, "PayloadEmpty", "refused malformed"), (400, "BadTopic", "refused misconfigured"),
    (403, "InvalidProviderToken", "refused misconfigured"),
    (403, "ExpiredProviderToken", "later misconfigured"),
    (410, "Unregistered", "refused addressGone"), (410, "ExpiredToken", "refused addressGone"),
    (413, "PayloadTooLarge", "refused malformed"), (429, "TooManyRequests", "later rateLimited"),
    (429, "TooManyProviderTokenUpdates", "later rateLimited"),
    (500, "InternalServerError", "later unavailable"),
    (503, "ServiceUnavailable", "later unavailable"), (503, "Shutdown", "later unavailable"),
  ])
  func ofApple(status: Int, reason: String, meaning: String) {
    let outcome = PushReply.outcome(
      status: status, id: "", body: ["reason": .string(reason), "timestamp": 1_700_000_000_000])
    #expect(kind(outcome) == meaning)
    if status == 410 {
      guard case .refused(_, let since) = outcome else { return }
      #expect(since == Instant(milliseconds: 1_700_000_000_000))
    }
  }

  @Test(arguments: [
    (404, "UNREGISTERED", "refused addressGone"),
    (403, "SENDER_ID_MISMATCH", "refused misconfigured"),
    (400, "INVALID_ARGUMENT", "refused malformed"), (429, "QUOTA_EXCEEDED", "later rateLimited"),
    (503, "UNAVAILABLE", "later unavailable"), (500, "INTERNAL", "later unavailable"),
    (401, "THIRD_PARTY_AUTH_ERROR", "refused misconfigured"),
  ])
  func ofGoogle(status: Int, code: String, meaning: String) {
    let body: JSONValue = ["error": ["details": [["errorCode": .string(code)]]]]
    #expect(kind(CloudMessage.outcome(status: status, body: body)) == meaning)
  }

  /// 9.6, 7: who has opted out (21610) is not written to again.
  @Test(arguments: [
    (400, 21610, "refused optedOut"), (400, 30006, "refused unsuitable"),
    (400, 21635, "refused unsuitable"), (400, 21614, "refused unsuitable"),
    (400, 21211, "refused addressGone"), (429, 20429, "later rateLimited"),
    (400, 30007, "refused filtered"), (400, 30003, "later unavailable"),
    (401, 20003, "refused misconfigured"), (400, 21617, "refused malformed"),
    (400, 99_999, "refused malformed"), (500, 0, "later unavailable"), (201, 0, "accepted"),
  ])
  func ofTwilio(status: Int, code: Int, meaning: String) {
    let outcome = TextMessageErrors.outcome(
      status: status, code: code == 0 ? nil : code, messageID: "SM1")
    #expect(kind(outcome) == meaning)
  }

  @Test(arguments: [
    ("250 2.0.0 queued", "accepted"), ("550 5.1.1 no such user", "refused addressGone"),
    ("550 no such user", "refused addressGone"), ("450 4.7.1 greylisted", "later rateLimited"),
    ("421 4.3.2 shutting down", "later unavailable"), ("535 5.7.8 bad", "refused misconfigured"),
    ("552 5.3.4 too big", "refused malformed"), ("554 5.7.1 spam", "refused filtered"),
    ("530 5.7.0 STARTTLS first", "refused misconfigured"),
    ("452 4.2.2 mailbox full", "later rateLimited"),
  ])
  func ofMailServers(line: String, meaning: String) throws {
    let code = try #require(Int(line.prefix(3)))
    #expect(kind(MailReply.outcome(code: code, line: line, messageID: "1")) == meaning)
  }

  @Test func repliesThatStopAndStart() {
    for text in ["STOP", " stop. ", "Unsubscribe", "QUIT", "stop all"] {
      #expect(ReplyWords(text) == .stop, "\(text)")
    }
    for text in ["START", "unstop", "Yes"] { #expect(ReplyWords(text) == .start, "\(text)") }
    for text in ["OK", "please stop by at five", "", "ok, I am with her"] {
      #expect(ReplyWords(text) == .other, "\(text)")
    }
    #expect(ReplyWords(optOutType: "STOP", text: "arrêt") == .stop)
  }

  @Test func hostileJSONIsOnlyAFailure() {
    for body: JSONValue? in [nil, .null, ["error": 3], [1, 2], ["reason": ["a": 1]]] {
      for status in [400, 404, 500] {
        #expect(!PushReply.outcome(status: status, id: "", body: body).isAccepted)
        #expect(!CloudMessage.outcome(status: status, body: body).isAccepted)
      }
    }
  }
}
