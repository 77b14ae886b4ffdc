import Testing

@testable import RiskEngineDomain

struct TokenizerTests {
  private func names(_ text: String) throws -> Set<String> {
    let reading = try Fixtures.engine().read(NormalizedText(text), Circumstances())
    return Set(
      reading.findings.filter { $0.atom < Observation.allCases.count }
        .map { Observation.allCases[$0.atom].name })
  }

  @Test(arguments: [
    ("see https://example.org/x", "link"), ("http //example.org/x", "link"),
    ("visit www.example.org now", "link"), ("go to bit.ly/abc", "link.short"),
    ("bit[.]ly/x", "link.obfuscated"), ("bit . ly/x", "link.obfuscated"),
    ("hxxps://evil.example.com/a", "link.obfuscated"),
    ("http://192.0.2.7/login", "link.address"), ("http://paypal.com@evil.top/", "link.user"),
    ("https://win.top", "link.suspicious_top_level"), ("paypaI.com/x", "link.lookalike"),
    ("p\u{0430}ypal.com", "link.lookalike"), ("xn--pypal-4ve.com", "link.lookalike"),
    ("rnicrosoft.com", "link.lookalike"), ("http://arnazon.com", "link.lookalike"),
    ("apple.com.verify-id.ru", "link.brand_elsewhere"),
    ("https://usps-redelivery.info/a", "link.brand_elsewhere"),
    ("http://verifyusps.com", "link.brand_elsewhere"), ("paypal.com/signin", "link.official"),
    ("www.ssa.gov/benefits", "link.agency"), ("https://www.gov.uk/tax", "link.agency"),
    ("https://x.weebly.com", "link.free_host"), ("call (844) 877-0123 now", "phone"),
    ("call 0800 542 0826", "phone"), ("ring XXXXXXXXXX", "phone"), ("pay $900", "money"),
    ("\u{A3}1,000 cash", "money"), ("Rs500 only", "money"), ("code 123456", "code"),
    ("mail who@example.org", "email"), ("gift\u{200B}card", "text.invisible"),
    ("g\u{0456}ft card", "text.homoglyph"), ("\u{FF27}\u{FF29}\u{FF26}\u{FF34}", "text.styled"),
    ("g1ft c@rd", "text.leet"), ("g i f t c a r d", "text.spaced"),
    ("Acc***t login", "text.masked"), ("\u{202E}gnp.exe", "text.direction_override"),
  ])
  func observes(text: String, name: String) throws {
    let found = try names(text)
    #expect(found.contains(name), "\(text): \(found.sorted())")
  }

  @Test(arguments: [
    ("paypal.com/signin", "link.lookalike"), ("https://www.microsoft.com", "link.lookalike"),
    ("Call me.It is late", "link"), ("we met at 5.30.So nice", "link"),
    ("gift card", "text.spaced"),
    ("I am a b student", "text.spaced"), ("2day is gr8", "text.leet"), ("see you at 10.30", "link"),
    ("caf\u{E9} cr\u{E8}me", "text.homoglyph"),
    ("\u{43F}\u{440}\u{438}\u{432}\u{435}\u{442}", "text.homoglyph"),
    ("family \u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467} photo", "text.invisible"),
  ])
  func leavesAlone(text: String, name: String) throws {
    let found = try names(text)
    #expect(!found.contains(name), "\(text): \(found.sorted())")
  }

  @Test(arguments: [
    ("kitten", "sitting", 3), ("paypal", "papyal", 1), ("abc", "abc", 0), ("", "ab", 2),
    ("abc", "", 3), ("ca", "ac", 1),
  ])
  func countsEdits(a: String, b: String, expected: Int) {
    #expect(EditDistance.between(Array(a.utf8), Array(b.utf8), atMost: 5) == expected)
  }

  @Test func decodesPunycode() {
    #expect(Punycode.decode(Array("mnchen-3ya".utf8)).map { $0.contains(0xFC) } == true)
    #expect(
      String(
        decoding: Punycode.folded(Punycode.decode(Array("pypal-4ve".utf8)) ?? []), as: UTF8.self)
        == "paypal")
    #expect(Punycode.decode(Array("\u{7F}!".utf8)) == nil)
    #expect(Punycode.decode([UInt8](repeating: 0x39, count: 60)) == nil)
  }
}
