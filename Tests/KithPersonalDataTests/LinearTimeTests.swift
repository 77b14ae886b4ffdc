import KithPersonalData
import Testing

/// No text takes more than time in proportion to its length. Time is not measured: a detector that
/// looked at all of a text for each of its parts would take hours for these.
struct LinearTimeTests {
  @Test(arguments: [
    "0", "4111 ", "4 ", "4111-1111 ", "123-45-6789-", "123 45 6789 ", "@", "a@", "a@a.", "a.", "1.",
    "1.2.3.4.", ":", "a:",
    "a::1:", "00:", "00-11-", "+1", "(", "(415) ", "9f86d081", "GB82 WEST ", "GB82", "1EG4-",
    "bc1q", "1A1zP1", "0x5a", "ssn ",
    "ssn 1 ", "born 1/", "12 Main ", "12 A B C ", "Box 1 ", "April 1 ", " at ", "(at)", " dot ",
    "http://a:", "%40", "é", "٤",
    "\u{200B}", "e\u{301}", "[REDACTED_", "]", "1\n", "x1", "x", "-", "1a",
  ])
  func endsForALongText(of piece: String) {
    read(piece, count: 1 << 16)
  }

  @Test(arguments: ["4111 ", "a@a.", "a:", " at ", "x1"])
  func endsForTextsOfTwiceTheLengthUpToAMebibyte(of piece: String) {
    for power in 17...20 { read(piece, count: 1 << power) }
  }

  private func read(_ piece: String, count: Int) {
    let piece = Array(piece.utf8)
    var text: [UInt8] = []
    text.reserveCapacity(count + piece.count)
    while text.count < count { text += piece }
    let findings = PersonalDataScanner().findings(in: text)
    #expect(findings.allSatisfy { $0.bytes.upperBound <= text.count })
  }
}
