import KithTime
import Testing

/// Instants as RFC 3339 has them.
@Suite struct InstantTextTests {
  @Test(arguments: [
    ("1970-01-01T00:00:00Z", 0), ("2026-03-08T07:30:00Z", 1_772_955_000_000),
    ("2026-03-08T02:30:00-05:00", 1_772_955_000_000),
    ("2026-03-08t13:15:00.25+05:45", 1_772_955_000_250),
    ("2026-03-08 07:30:00.0019Z", 1_772_955_000_001), ("0001-01-01T00:00:00Z", -62_135_596_800_000),
  ])
  func oneIsRead(text: String, milliseconds: Int) {
    #expect(Instant(text)?.milliseconds == milliseconds)
  }

  @Test func whatIsWrittenIsRead() {
    for milliseconds in stride(
      from: -70_000_000_000_000, to: 250_000_000_000_000, by: 7_777_777_777_777)
    {
      let instant = Instant(milliseconds: milliseconds)
      guard instant.description.utf8.first != UInt8(ascii: "-") else { continue }
      #expect(Instant(instant.description) == instant)
    }
  }

  @Test(arguments: [
    "", "2026-03-08", "2026-03-08T07:30:00", "2026-02-29T00:00:00Z", "2026-03-08T24:00:00Z",
    "2026-03-08T07:30:60Z", "2026-03-08T07:30:00.Z", "2026-03-08T07:30:00Zz", "26-03-08T07:30:00Z",
    "2026-03-08T07:30:00+24:00", "２026-03-08T07:30:00Z",
  ])
  func anythingElseIsNot(text: String) {
    #expect(Instant(text) == nil)
  }
}
