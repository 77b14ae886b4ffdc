import KithJSON

/// The body of a message to a webhook. `text` alone is what Slack and those like it read; the rest
/// is for others.
public enum WebhookBody {
  /// The largest body, in bytes.
  public static let mostBytes = 64 << 10

  /// The body of a message.
  public static func bytes(_ message: OutboundMessage) -> [UInt8] {
    let content = message.content
    let text = content.title.isEmpty ? content.body : "*\(content.title)*\n\(content.body)"
    // Slack's control characters.
    let escaped = text.map { character -> String in
      switch character {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      default: String(character)
      }
    }.joined()
    let object: JSONObject = [
      "text": .string(escaped), "id": .string(message.id),
      "collapse_id": .string(message.collapseID),
      "priority": .string("\(message.urgency)"), "data": .object(content.data),
    ]
    return Array(JSONValue.object(object).text().utf8)
  }

  /// The outcome of an answer.
  public static func outcome(status: Int, retryAfter: Int? = nil) -> AttemptOutcome {
    let reason = "webhook \(status)"
    let after = retryAfter.map { Duration.seconds($0) }
    switch status {
    case 200...299: return .accepted(providerID: "")
    case 404, 410: return .refused(.addressGone, reason)
    case 401, 403: return .refused(.misconfigured, reason)
    case 408, 425: return .later(.unavailable, reason, after: after)
    case 429: return .later(.rateLimited, reason, after: after ?? .seconds(1))
    case 413: return .refused(.malformed, reason)
    case 300...499: return .refused(.malformed, reason)
    default: return .later(.unavailable, reason, after: after)
    }
  }
}
