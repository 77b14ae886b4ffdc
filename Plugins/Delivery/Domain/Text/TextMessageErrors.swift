/// What Twilio's error codes mean: https://www.twilio.com/docs/api/errors.
public enum TextMessageErrors {
  /// The outcome of an answer to a request for a message.
  /// - Parameters:
  ///   - status: the status of HTTP.
  ///   - code: `code` of the body; nil where it has none.
  public static func outcome(
    status: Int, code: Int?, messageID: String, retryAfter: Int? = nil
  ) -> AttemptOutcome {
    if status == 201 || status == 200 { return .accepted(providerID: messageID) }
    let after = retryAfter.map { Duration.seconds($0) }
    if let code, let failure = failure(code) {
      return isForGood(failure.kind) ? .refused(failure) : .later(failure, after: after)
    }
    let reason = "twilio \(status)" + (code.map { " \($0)" } ?? "")
    switch status {
    case 429: return .later(.rateLimited, reason, after: after ?? .seconds(1))
    case 401, 403, 404: return .refused(.misconfigured, reason)
    case 400...499: return .refused(.malformed, reason)
    default: return .later(.unavailable, reason, after: after)
    }
  }

  /// The failure of an error code, also of one that comes with a receipt; nil for an unknown one.
  public static func failure(_ code: Int) -> AttemptOutcome.Failure? {
    kind(code).map { AttemptOutcome.Failure($0, "twilio \(code)") }
  }

  private static func kind(_ code: Int) -> FailureKind? {
    switch code {
    case 21610: .optedOut
    // A landline, or a number that takes no SMS.
    case 30006, 21635, 21614: .unsuitable
    // Not a number, or of nobody.
    case 21211, 21217, 30005: .addressGone
    case 30007, 30034: .filtered
    case 20429, 14107, 30001, 30022, 30023: .rateLimited
    // Unreachable: often a phone that is off.
    case 30003, 30008, 30009, 30017: .unavailable
    case 30002, 20003, 20404, 21212, 21408, 21606, 21611, 21659, 21660: .misconfigured
    case 21602, 21617, 21605: .malformed
    default: nil
    }
  }

  private static func isForGood(_ kind: FailureKind) -> Bool {
    kind != .rateLimited && kind != .unavailable
  }
}
