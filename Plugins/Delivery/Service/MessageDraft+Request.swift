import DeliveryContract
import DeliveryDomain
import KithAccess
import KithJSON
import KithRPC
import KithTime

extension MessageDraft {
  private static let standardLife = Duration.seconds(86_400)
  private static let longestLife = Duration.seconds(28 * 86_400)
  private static let mostContentBytes = 256 << 10

  /// The draft of a request.
  /// - Throws: INVALID_ARGUMENT that names the field and quotes nothing.
  init(
    _ request: SendRequest, user: UserID, traceparent: String, at now: Instant
  ) throws(RPCError) {
    guard let address = request.address, let channel = MessageChannel(address.channel) else {
      throw .invalidArgument(
        field: "address.channel", "expected PUSH, SMS, EMAIL, WEBHOOK or CALL")
    }
    guard let urgency = Urgency(request.priority) else {
      throw .invalidArgument(field: "priority", "expected LOW, NORMAL or SAFETY")
    }
    guard let retries = OutboxEntry.Retries(request.retry) else {
      throw .invalidArgument(field: "retry", "expected BY_WORKER or BY_SENDER")
    }
    guard request.collapseId.utf8.count <= PushNotification.mostCollapseBytes,
      request.collapseId.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x7F })
    else {
      throw .invalidArgument(field: "collapse_id", "expected at most 64 characters of ASCII")
    }
    let stated =
      request.timeToLiveMs == 0
      ? Self.standardLife : .milliseconds(Int64(clamping: request.timeToLiveMs))
    let life = min(stated, Self.longestLife)
    self.init(
      dedupeKey: try Self.checkedKey(request.dedupeKey), user: user, channel: channel,
      address: try channel.checked(address.value), providerHint: try Self.hint(address.provider),
      content: try Self.content(request.content ?? Content()), collapseID: request.collapseId,
      urgency: urgency, retries: retries, expiresAt: now + life, traceparent: traceparent)
  }

  /// A dedupe key, if it is one.
  static func checkedKey(_ key: String) throws(RPCError) -> String {
    guard (1...128).contains(key.utf8.count), key.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F })
    else {
      throw .invalidArgument(
        field: "dedupe_key", "expected 1 to 128 characters of ASCII without blanks")
    }
    return key
  }

  static func hint(_ provider: String) throws(RPCError) -> String {
    guard ["", "apns", "fcm"].contains(provider) else {
      throw .invalidArgument(field: "address.provider", "expected apns, fcm or nothing")
    }
    return provider
  }

  private static func content(_ content: Content) throws(RPCError) -> MessageContent {
    var data = JSONObject()
    if !content.dataJson.isEmpty {
      guard let value = try? JSONValue(parsing: content.dataJson), let object = value.objectValue
      else { throw .invalidArgument(field: "content.data_json", "expected a JSON object") }
      data = object
    }
    let bytes =
      content.title.utf8.count + content.body.utf8.count + content.html.utf8.count
      + content.dataJson.utf8.count
    guard bytes <= mostContentBytes else {
      throw .invalidArgument(field: "content", "it has more than \(mostContentBytes) bytes")
    }
    return MessageContent(
      title: content.title, body: content.body, html: content.html, data: data,
      actions: content.actions, callerName: content.callerName)
  }
}

extension MessageChannel {
  /// An address, if it is one of this channel.
  func checked(_ address: String) throws(RPCError) -> String {
    let isRight =
      address.utf8.count <= 4096
      && address.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
      && {
        switch self {
        case .sms:
          address.first == "+" && (8...16).contains(address.utf8.count)
            && address.utf8.dropFirst().allSatisfy { (0x30...0x39).contains($0) }
            && address.dropFirst().first != "0"
        case .email: MailAddress(address)?.address == address
        case .webhook: address.hasPrefix("https://")
        case .push, .call: !address.isEmpty && !address.contains("/")
        }
      }()
    guard isRight else {
      let form =
        switch self {
        case .sms: "a telephone number: +, the country's code and the number, 8 to 15 digits"
        case .email: "a mail address without a name"
        case .webhook: "an https address"
        case .push, .call: "a push token"
        }
      throw .invalidArgument(field: "address.value", "expected \(form), of 4096 bytes at most")
    }
    return address
  }
}
