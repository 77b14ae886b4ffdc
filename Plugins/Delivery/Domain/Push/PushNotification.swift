import KithJSON
import KithTime

/// A push of Apple's service: its headers and body, checked against Apple's limits before it is
/// sent.
///
/// See "Sending notification requests to APNs" and "Responding to VoIP Notifications from PushKit".
/// A call is always a `voip` push and anything else never is: iOS ends an app that gets a VoIP push
/// and reports no call.
public struct PushNotification: Sendable, Hashable {
  /// The type that Apple is told.
  public enum Kind: String, Sendable, Hashable {
    /// Shown to the person.
    case alert
    /// Wakes the app without being shown.
    case background
    /// An incoming call.
    case voip

    /// The largest body, in bytes.
    public var mostBytes: Int { self == .voip ? 5120 : 4096 }
  }

  /// The longest `apns-collapse-id`, in bytes.
  public static let mostCollapseBytes = 64

  /// Its type.
  public let kind: Kind
  /// `apns-topic`: the app's bundle, with `.voip` for a call.
  public let topic: String
  /// `apns-priority`: 10, or 5 for what may wait.
  public let priority: Int
  /// `apns-expiration`, in seconds since 1970. 0 for a call, which rings now or not at all.
  public let expiration: Int
  /// `apns-collapse-id`; empty for none.
  public let collapseID: String
  /// `apns-id`.
  public let id: String
  /// The body.
  public let body: [UInt8]

  /// The push of a message.
  /// - Parameter bundle: the app's bundle id.
  public init(_ message: OutboundMessage, bundle: String) {
    let content = message.content
    id = message.id
    if message.channel == .call {
      (kind, topic, priority, expiration, collapseID) = (.voip, "\(bundle).voip", 10, 0, "")
      var body = content.data
      body["callUUID"] = .string(message.id)
      if body["handle"] == nil { body["handle"] = .string(content.callerName) }
      if body["callType"] == nil { body["callType"] = "audio" }
      body["expiresAt"] = .integer(Int64(message.expiresAt.milliseconds))
      body["aps"] = .object([:])
      self.body = Array(JSONValue.object(body).text().utf8)
      return
    }
    topic = bundle
    expiration = message.expiresAt.seconds
    collapseID = message.collapseID
    var aps: JSONObject = [:]
    if content.title.isEmpty && content.body.isEmpty {
      // Apple asks for priority 5 here.
      (kind, priority) = (.background, 5)
      aps["content-available"] = 1
    } else {
      (kind, priority) = (.alert, message.urgency == .low ? 5 : 10)
      aps["alert"] = .object(["title": .string(content.title), "body": .string(content.body)])
      if message.urgency != .low { aps["sound"] = "default" }
      aps["interruption-level"] =
        switch message.urgency {
        case .low: "passive"
        case .normal: "active"
        case .safety: "time-sensitive"
        }
      if !message.collapseID.isEmpty { aps["thread-id"] = .string(message.collapseID) }
    }
    var body = content.data
    if !content.actions.isEmpty {
      body["actions"] = .array(content.actions.map { .string($0) })
      aps["mutable-content"] = 1
    }
    body["message"] = .string(message.id)
    body["aps"] = .object(aps)
    self.body = Array(JSONValue.object(body).text().utf8)
  }

  /// Why Apple would refuse it whatever the token is; nil when it would not.
  public var problem: String? {
    if body.count > kind.mostBytes {
      return
        "the body of a \(kind.rawValue) push has \(body.count) bytes, of \(kind.mostBytes) at most"
    }
    if collapseID.utf8.count > Self.mostCollapseBytes {
      let count = collapseID.utf8.count
      return "the collapse id has \(count) bytes, of \(Self.mostCollapseBytes) at most"
    }
    return nil
  }
}
