import KithTime
import Testing

@testable import FamilyAlertsDomain
@testable import FamilyAlertsService

/// Words, tokens, replies and time, without a store.
@Suite struct WordingTests {
  @Test(arguments: [
    "OK", "ok!", " Ok. ", "yes", "YES!!", "On my way", "on my way.", "I’m on my way",
    "Okay 👍", "👍", "👍🏽", "k", "got it", "OK, on my way",
  ]) func theseAcknowledge(_ text: String) {
    #expect(ReplyReading.isAcknowledgement(text))
  }

  @Test(arguments: [
    "", "no", "STOP", "ok?", "who is this", "not ok", "yes but I am away", "okra", "I can't",
    String(repeating: "ok ", count: 500),
  ]) func theseDoNot(_ text: String) { #expect(!ReplyReading.isAcknowledgement(text)) }

  /// 18
  @Test func textMessagesAreOneSegmentOfPlainCharacters() {
    for kind in AlertKind.allCases {
      for purpose in LadderStep.Purpose.allCases {
        let words = AlertWording(
          kind: kind, purpose: purpose, at: Instant(seconds: 1_795_464_300), zone: .utc,
          summary: String(repeating: "A long “story” – ", count: 20),
          note: String(repeating: "well ", count: 60), battery: 0.01,
          place: AlertPlace(latitude: -89.123456, longitude: -179.123456),
          link: String(repeating: "x", count: 100))
        let text = words.text(for: .sms)
        #expect(ShortText.segments(of: text.body) == 1, "\(text.body)")
        #expect(text.title.isEmpty && text.body.utf8.allSatisfy { $0 < 128 })
        #expect(words.text(for: .email).body.contains("xxx") == (purpose != .allClear))
      }
    }
    #expect(ShortText.segments(of: String(repeating: "a", count: 160)) == 1)
    #expect(ShortText.segments(of: String(repeating: "a", count: 161)) == 2)
    #expect(ShortText.segments(of: String(repeating: "é", count: 160)) == 1)
    #expect(ShortText.segments(of: String(repeating: "ł", count: 70)) == 1)
    #expect(ShortText.segments(of: String(repeating: "ł", count: 71)) == 2)
    #expect(ShortText.segments(of: String(repeating: "€", count: 81)) == 2)
    #expect(ShortText.plain("“It’s”… a–b\u{00A0}c\u{7}") == "\"It's\"... a-b c")
  }

  @Test func tokensSayWhatTheyProve() throws {
    let secret = LinkSecret([UInt8](repeating: 7, count: 32))
    let token = try #require(
      AcknowledgementToken(
        incident: "0b7e9d35-4b56-4d2a-9f0e-8f1c2b3a4d5e",
        contact: "ffffffff-0000-4000-8000-0123456789ab",
        expiresAt: Instant(milliseconds: 1_795_464_300_123)))
    let text = secret.text(of: token)
    #expect(text.utf8.count == 76 && text.first?.isLetter == true)
    #expect(secret.token(text) == token)
    #expect(LinkSecret([UInt8](repeating: 8, count: 32)).token(text) == nil)
    for other in ["", "=", text + "=", text + "AA", String(text.dropLast(4)), "ü\(text)"] {
      #expect(secret.token(other) == nil)
    }
    for id in [
      "", "x", "0b7e9d35-4b56-4d2a-9f0e-8f1c2b3a4d5g", "0b7e9d354b56-4d2a-9f0e-8f1c2b3a4d5ee",
    ] {
      #expect(
        AcknowledgementToken(incident: id, contact: token.contact, expiresAt: token.expiresAt)
          == nil)
    }
    var random = SeededGenerator(seed: 1)
    for count in 0..<100 {
      let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
      #expect(Base64URL.bytes(of: Base64URL.text(of: bytes)) == bytes)
    }
  }

  @Test func trustedTimeGoesOnWhateverTheWallShows() {
    let begin = Instant(seconds: 1000)
    let first = TrustedTime(resuming: nil, boot: "a", sinceBoot: .seconds(50), wall: begin)
    #expect(first.now(sinceBoot: .seconds(60)) == Instant(seconds: 1010))
    let noted = first.noted(sinceBoot: .seconds(60))
    let next = TrustedTime(
      resuming: noted, boot: "a", sinceBoot: .seconds(70), wall: Instant(seconds: 99_999))
    #expect(next.now(sinceBoot: .seconds(70)) == Instant(seconds: 1020))
    // After a restart of the machine the wall is asked, and time does not go back.
    for (wall, shown) in [(5000, 5000), (5, 1010)] {
      let later = TrustedTime(
        resuming: noted, boot: "b", sinceBoot: .seconds(3), wall: Instant(seconds: wall))
      #expect(later.now(sinceBoot: .seconds(3)) == Instant(seconds: shown))
    }
    let reset = TrustedTime(
      resuming: noted, boot: "a", sinceBoot: .seconds(3), wall: Instant(seconds: 2000))
    #expect(reset.now(sinceBoot: .seconds(3)) == Instant(seconds: 2000))
  }

  @Test func theDocumentOfAWeekIsEscaped() throws {
    let monday = try #require(CivilDate("2026-11-16"))
    #expect(FamilyWeek.monday(of: monday.adding(days: 6)) == monday)
    #expect(FamilyWeek.escaped("<a href=\"x\">'&") == "&lt;a href=&quot;x&quot;&gt;&#39;&amp;")
    let week = FamilyWeek(firstDay: monday, days: [:])
    #expect(week.text.contains("No reminder was due. No fall was reported."))
    #expect(week.html.hasPrefix("<!DOCTYPE html>") && week.title.hasSuffix("November 16"))
  }
}
