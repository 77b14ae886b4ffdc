public import KithJSON
import KithTime

/// What Apple's push service answers, as an outcome: "Handling notification responses from APNs".
public enum PushReply {
  /// The outcome of an answer.
  /// - Parameters:
  ///   - status: the status of HTTP.
  ///   - id: the header `apns-id`.
  ///   - body: the body, with `reason` and `timestamp`.
  ///   - retryAfter: the header `retry-after`, in seconds.
  public static func outcome(
    status: Int, id: String, body: JSONValue?, retryAfter: Int? = nil
  ) -> AttemptOutcome {
    if status == 200 { return .accepted(providerID: id) }
    let stated = body?["reason"]?.stringValue ?? ""
    let reason = "apns \(status) \(plain(stated))"
    let after = retryAfter.map { Duration.seconds($0) }
    switch (status, stated) {
    case (410, _):
      let since = body?["timestamp"]?.integerValue.flatMap(Int.init(exactly:))
      return .refused(
        .init(.addressGone, reason), goneSince: since.map { Instant(milliseconds: $0) })
    case (_, "BadDeviceToken"), (_, "DeviceTokenNotForTopic"):
      return .refused(.addressGone, reason)
    case (413, _), (_, "PayloadTooLarge"), (_, "PayloadEmpty"), (_, "BadCollapseId"),
      (_, "BadMessageId"), (_, "BadExpirationDate"), (_, "BadPriority"):
      return .refused(.malformed, reason)
    // The token is made anew with the next attempt.
    case (_, "ExpiredProviderToken"):
      return .later(.misconfigured, reason, after: after)
    case (429, _):
      return .later(.rateLimited, reason, after: after ?? .seconds(1))
    case (403, _), (_, "BadTopic"), (_, "MissingTopic"), (_, "TopicDisallowed"),
      (_, "InvalidPushType"), (400, _), (404, _), (405, _):
      return .refused(.misconfigured, reason)
    default:
      // 500, 503 and what Apple may come to say.
      return .later(.unavailable, reason, after: after)
    }
  }

  private static func plain(_ text: String) -> String {
    String(text.prefix(64).filter { $0.isASCII && ($0.isLetter || $0.isNumber) })
  }
}
