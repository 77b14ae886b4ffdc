public import KithTime

/// A mail as bytes: RFC 5322 with MIME, text alone or text and HTML.
///
/// Whatever a person or a sender wrote stands in encoded words and in base64, so that no text can
/// become a header, and no line is longer than 78 bytes.
public struct MailMessage: Sendable, Hashable {
  /// The longest line, without its end.
  static let longestLine = 78

  /// The message, its lines ended by CR LF.
  public let bytes: [UInt8]

  /// A mail.
  /// - Parameters:
  ///   - date: when it was written.
  ///   - id: what `Message-ID` begins with, a UUID.
  public init(
    from: MailAddress, to: MailAddress, content: MessageContent, date: Instant, id: String,
    collapseID: String = "", urgency: Urgency = .normal
  ) {
    var lines = [
      "From: \(Self.mailbox(from, after: 6))",
      "To: \(Self.mailbox(to, after: 4))",
      Self.header("Subject", content.title),
      "Date: \(Self.date(date))",
      "Message-ID: <\(id)@\(from.domain)>",
      "MIME-Version: 1.0",
      "Auto-Submitted: auto-generated",
    ]
    if !collapseID.isEmpty {
      // Messages of one subject stand together in a mailbox.
      lines.append("References:\r\n <\(EncodedWord.token(collapseID))@\(from.domain)>")
    }
    if urgency == .safety { lines += ["Importance: high", "X-Priority: 1"] }
    let text = Self.part("text/plain", content.body)
    if content.html.isEmpty {
      lines += text
    } else {
      // In no body: those are base64, which has no "=_".
      let boundary = "=_\(id.filter { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") })"
      lines += ["Content-Type: multipart/alternative;", " boundary=\"\(boundary)\"", ""]
      lines += ["--\(boundary)"] + text
      lines += ["--\(boundary)"] + Self.part("text/html", content.html)
      lines += ["--\(boundary)--"]
    }
    bytes = Array((lines.joined(separator: "\r\n") + "\r\n").utf8)
  }

  private static func part(_ type: String, _ text: String) -> [String] {
    // A line break of a text is CR LF (RFC 2046, 4.1.1).
    var bytes: [UInt8] = []
    for byte in text.utf8 where byte != 13 {
      bytes += byte == 10 ? [13, 10] : [byte]
    }
    let lines = Base64Text.text(bytes).chunks(of: 76)
    return [
      "Content-Type: \(type); charset=utf-8", "Content-Transfer-Encoding: base64", "",
    ] + (lines.isEmpty ? [""] : lines)
  }

  private static func header(_ name: String, _ text: String) -> String {
    "\(name): \(EncodedWord.text(text, after: name.utf8.count + 2))"
  }

  private static func mailbox(_ address: MailAddress, after column: Int) -> String {
    guard !address.name.isEmpty else { return "<\(address.address)>" }
    return EncodedWord.text(address.name, after: column, isPhrase: true)
      + "\r\n <\(address.address)>"
  }

  /// RFC 5322, 3.3, in UTC.
  static func date(_ instant: Instant) -> String {
    let wall = CivilDateTime(wallSeconds: instant.seconds)
    let weekdays = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
    let months = [
      "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]
    // 1970-01-01, day 0, was a Thursday.
    let weekday = weekdays[(wall.date.dayNumber % 7 + 7) % 7]
    return
      "\(weekday), \(wall.date.day) \(months[wall.date.month - 1]) \(wall.date.year) \(wall.time) +0000"
  }
}

extension String {
  fileprivate func chunks(of size: Int) -> [String] {
    let bytes = Array(utf8)
    return stride(from: 0, to: bytes.count, by: size).map {
      String(decoding: bytes[$0..<Swift.min($0 + size, bytes.count)], as: UTF8.self)
    }
  }
}
