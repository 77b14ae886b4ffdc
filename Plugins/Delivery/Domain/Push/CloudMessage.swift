public import KithJSON
import KithTime

/// A push of Firebase Cloud Messaging, HTTP v1: `projects.messages.send`.
public struct CloudMessage: Sendable, Hashable {
  /// The largest payload, in bytes: `notification` and `data` together.
  public static let mostBytes = 4096
  /// The longest time to live: four weeks.
  private static let longestLife = 2_419_200

  /// The body of the request.
  public let body: [UInt8]
  /// How many bytes of it Google counts.
  public let payloadBytes: Int

  /// The push of a message.
  public init(_ message: OutboundMessage) {
    let content = message.content
    var data: JSONObject = [:]
    // Google takes texts alone.
    for member in content.data.members {
      data[member.name] = .string(member.value.stringValue ?? member.value.text())
    }
    data["message"] = .string(message.id)
    if !content.actions.isEmpty {
      data["actions"] = .string(JSONValue.array(content.actions.map { .string($0) }).text())
    }
    let life = (message.expiresAt - message.acceptedAt).components.seconds
    var android: JSONObject = [
      "priority": message.urgency == .low ? "NORMAL" : "HIGH",
      "ttl": .string("\(min(max(Int(life), 0), Self.longestLife))s"),
    ]
    if !message.collapseID.isEmpty { android["collapse_key"] = .string(message.collapseID) }
    var fields: JSONObject = ["token": .string(message.address)]
    var counted = JSONValue.object(data).text().utf8.count
    if message.channel == .call {
      data["callUUID"] = .string(message.id)
      data["handle"] = .string(content.callerName)
    } else if !content.title.isEmpty || !content.body.isEmpty {
      let notification: JSONObject = [
        "title": .string(content.title), "body": .string(content.body),
      ]
      fields["notification"] = .object(notification)
      counted += JSONValue.object(notification).text().utf8.count
      // A later notification with the same tag takes the place of the one on the screen.
      if !message.collapseID.isEmpty {
        android["notification"] = .object(["tag": .string(message.collapseID)])
      }
    }
    fields["data"] = .object(data)
    fields["android"] = .object(android)
    body = Array(JSONValue.object(["message": .object(fields)]).text().utf8)
    payloadBytes = counted
  }

  /// Why Google would refuse it whatever the token is; nil when it would not.
  public var problem: String? {
    payloadBytes > Self.mostBytes
      ? "the push has \(payloadBytes) bytes, of \(Self.mostBytes) at most" : nil
  }

  /// The outcome of an answer: "ErrorCode" of the HTTP v1 API.
  public static func outcome(
    status: Int, body: JSONValue?, retryAfter: Int? = nil
  ) -> AttemptOutcome {
    if status == 200 { return .accepted(providerID: body?["name"]?.stringValue ?? "") }
    let error = body?["error"]
    let details = error?["details"]?.arrayValue ?? []
    let code =
      details.lazy.compactMap { $0["errorCode"]?.stringValue }.first
      ?? error?["status"]?.stringValue ?? ""
    let plain = code.prefix(64).filter { $0.isASCII && ($0.isLetter || $0 == "_") }
    let reason = "fcm \(status) \(plain)"
    let after = retryAfter.map { Duration.seconds($0) }
    switch (status, code) {
    case (_, "UNREGISTERED"): return .refused(.addressGone, reason)
    case (_, "SENDER_ID_MISMATCH"), (_, "THIRD_PARTY_AUTH_ERROR"), (403, _):
      return .refused(.misconfigured, reason)
    case (_, "INVALID_ARGUMENT"):
      // Google says the same of a bad token and of a bad body; which it was stands in the field.
      let fields = details.flatMap { $0["fieldViolations"]?.arrayValue ?? [] }
        .compactMap { $0["field"]?.stringValue }
      return .refused(fields.contains("message.token") ? .addressGone : .malformed, reason)
    case (404, _): return .refused(.addressGone, reason)
    case (_, "QUOTA_EXCEEDED"), (429, _):
      return .later(.rateLimited, reason, after: after ?? .seconds(60))
    // The access token is asked for again with the next attempt.
    case (401, _): return .later(.misconfigured, reason, after: after)
    case (400, _): return .refused(.malformed, reason)
    default: return .later(.unavailable, reason, after: after)
    }
  }
}
