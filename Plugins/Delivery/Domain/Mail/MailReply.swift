/// What a mail server answers, as an outcome: RFC 5321 and the enhanced codes of RFC 3463.
public enum MailReply {
  /// The outcome of the server's last code.
  /// - Parameter line: its last line: `550 5.1.1 no such user`.
  public static func outcome(code: Int, line: String, messageID: String) -> AttemptOutcome {
    if (200...299).contains(code) { return .accepted(providerID: messageID) }
    let enhanced = enhancedCode(line)
    let reason = "smtp \(code)" + (enhanced.map { " \($0)" } ?? "")
    guard code >= 500 else {
      let isBusy = code == 452 || enhanced?.hasPrefix("4.7.") == true
      return .later(isBusy ? .rateLimited : .unavailable, reason)
    }
    switch (code, enhanced ?? "") {
    case (_, let detail) where detail.hasPrefix("5.1.") && detail != "5.1.8" && detail != "5.1.7":
      return .refused(.addressGone, reason)
    case (_, "5.2.1"): return .refused(.addressGone, reason)
    case (552, _), (_, "5.2.3"), (_, "5.3.4"): return .refused(.malformed, reason)
    case (530, _), (534, _), (535, _), (538, _), (_, "5.7.8"), (503, _):
      return .refused(.misconfigured, reason)
    case (_, let detail) where detail.hasPrefix("5.7."): return .refused(.filtered, reason)
    case (550, ""), (551, ""), (553, ""): return .refused(.addressGone, reason)
    case (500...502, _), (504, _): return .refused(.misconfigured, reason)
    case (554, _): return .refused(.filtered, reason)
    default: return .refused(.malformed, reason)
    }
  }

  /// `5.1.1` of `550 5.1.1 no such user`; nil where there is none.
  private static func enhancedCode(_ line: String) -> String? {
    let words = line.split(whereSeparator: { $0 == " " || $0 == "-" })
    guard words.count > 1 else { return nil }
    let parts = words[1].split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 3, parts.allSatisfy({ Int($0) != nil && $0.count <= 3 }) else {
      return nil
    }
    return String(words[1])
  }
}
