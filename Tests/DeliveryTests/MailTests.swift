import DeliveryDomain
import KithTime
import Testing

/// Mails as bytes.
@Suite struct MailTests {
  private func lines(
    _ content: MessageContent, from: String = "Milo <milo@example.com>", collapseID: String = ""
  ) throws -> [String] {
    let mail = MailMessage(
      from: try #require(MailAddress(from)), to: try #require(MailAddress("ada@example.org")),
      content: content, date: Instant(milliseconds: 1_767_225_600_000), id: "0-1",
      collapseID: collapseID)
    let text = String(decoding: mail.bytes, as: UTF8.self)
    #expect(text.hasSuffix("\r\n"))
    // No bare CR or LF, no line longer than 78.
    let lines = text.split(separator: "\r\n", omittingEmptySubsequences: false).map(String.init)
    #expect(lines.allSatisfy { !$0.utf8.contains(13) && !$0.utf8.contains(10) })
    #expect(lines.allSatisfy { $0.utf8.count <= 78 }, "\(lines)")
    #expect(text.utf8.allSatisfy { $0 < 0x80 })
    return lines
  }

  @Test func aMailOfText() throws {
    let lines = try lines(MessageContent(title: "Fall", body: "Please call Ada.\nNow."))
    #expect(
      lines == [
        "From: Milo", " <milo@example.com>", "To: <ada@example.org>", "Subject: Fall",
        "Date: Thu, 1 Jan 2026 00:00:00 +0000", "Message-ID: <0-1@example.com>",
        "MIME-Version: 1.0", "Auto-Submitted: auto-generated",
        "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "",
        "UGxlYXNlIGNhbGwgQWRhLg0KTm93Lg==", "",
      ])
  }

  @Test func textAndHTMLAreAlternatives() throws {
    let lines = try lines(MessageContent(title: "x", body: "a", html: "<p>a</p>"))
    #expect(lines.contains("Content-Type: multipart/alternative;"))
    #expect(lines.count { $0 == "--=_0-1" } == 2)
    #expect(lines.suffix(2) == ["--=_0-1--", ""])
    let plain = try #require(lines.firstIndex { $0.hasPrefix("Content-Type: text/plain") })
    let html = try #require(lines.firstIndex { $0.hasPrefix("Content-Type: text/html") })
    #expect(plain < html)
  }

  @Test(arguments: [
    "x\r\nBcc: eve@example.com", "x\nBcc: eve@example.com", "x\rBcc: eve", "x\u{0}y", "x\u{85}Bcc:",
    "x\u{2028}Bcc: eve", "=?utf-8?B?eA==?=\r\n\r\nbody", String(repeating: "long ", count: 100),
    String(repeating: "é😀", count: 300), "", " ",
  ])
  func noTextBecomesAHeader(text: String) throws {
    let lines = try lines(
      MessageContent(title: text, body: text, html: text + "x"), collapseID: "c")
    let names = lines.prefix { !$0.isEmpty }.filter { !$0.hasPrefix(" ") }
      .map { String($0.prefix { $0 != ":" }) }
    #expect(
      names == [
        "From", "To", "Subject", "Date", "Message-ID", "MIME-Version", "Auto-Submitted",
        "References", "Content-Type",
      ])
  }

  @Test func addressesAreStrict() {
    for right in ["a@b", "ada.l+x@example.org", "Ada L <ada@example.org>", "\"L, Ada\" <a@b.c>"] {
      #expect(MailAddress(right) != nil, "\(right)")
    }
    for wrong in [
      "", "a", "@b", "a@", "a@b@c", "a b@c", "a@b c", "a@b..c", "a@-b", "<a@b",
      "a@b>\r\nRCPT TO:<e@f>",
      "x\r\n <a@b>", "a,b@c", "a@b\u{0}", "ä@b", String(repeating: "a", count: 65) + "@b",
    ] {
      #expect(MailAddress(wrong) == nil, "\(wrong)")
    }
  }
}
