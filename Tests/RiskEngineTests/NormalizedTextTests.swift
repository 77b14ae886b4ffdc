import Testing

@testable import RiskEngineDomain

struct NormalizedTextTests {
  private func folded(_ text: String) -> String {
    var result = ""
    for scalar in NormalizedText(text).scalars {
      result.unicodeScalars.append(Unicode.Scalar(scalar) ?? "\u{FFFD}")
    }
    return result
  }

  @Test(arguments: [
    ("Gift  Card\n\tNOW", "gift card now"),
    ("\u{FF27}\u{FF29}\u{FF26}\u{FF34}", "gift"),
    ("\u{1D420}\u{1D422}\u{1D41F}\u{1D42D}", "gift"),
    ("gift\u{200B}card", "giftcard"),
    ("so\u{AD}ft", "soft"),
    ("p\u{0430}yp\u{0430}l", "paypal"),
    ("\u{0406}RS", "irs"),
    ("caf\u{E9}", "cafe"),
    ("cafe\u{301}", "cafe"),
    ("\u{FB01}ne", "fine"),
    ("\u{201C}x\u{201D} \u{2026}", "\"x\" ..."),
    ("\u{661}\u{662}\u{663}", "123"),
    ("a\u{A0}b\u{3000}c", "a b c"),
    ("x\u{0}y", "x y"),
    ("\u{0416}", "\u{0436}"),
    ("", ""),
    ("\u{200B}\u{FEFF} \n", ""),
  ])
  func foldsWhatLooksAlike(text: String, expected: String) {
    #expect(folded(text) == expected)
  }

  @Test func mapsEveryScalarToScalarBoundariesInOrder() {
    var random = SeededGenerator(state: 7)
    let alphabet = Fixtures.shapes.joined().unicodeScalars.map { $0 }
    for round in 0..<400 {
      var text = ""
      for _ in 0..<Int.random(in: 0...60, using: &random) {
        if let scalar = alphabet.randomElement(using: &random) {
          text.unicodeScalars.append(scalar)
        }
      }
      let normalized = NormalizedText(text)
      var bytes: Set<Int> = [0]
      var offset = 0
      for scalar in text.unicodeScalars {
        offset += String(scalar).utf8.count
        bytes.insert(offset)
      }
      var last = 0
      for index in normalized.scalars.indices {
        let span = normalized.span(of: index..<(index + 1))
        #expect(span.start < span.end, "seed 7, round \(round)")
        #expect(bytes.contains(span.start) && bytes.contains(span.end), "seed 7, round \(round)")
        #expect(span.start >= last, "seed 7, round \(round)")
        last = span.start
      }
    }
  }

  @Test func readsBytesThatAreNotUTF8() {
    for bytes: [UInt8] in [
      [0xFF], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xC0, 0x80],
    ] {
      let normalized = bytes.withUnsafeBufferPointer { NormalizedText(utf8: $0) }
      #expect(!normalized.scalars.isEmpty)
      #expect(normalized.scalars.allSatisfy { $0 == 0xFFFD || $0 < 0x80 })
    }
  }

  @Test func knowsWhatItFolded() {
    let text = NormalizedText("p\u{0430}y \u{FF27}o hi\u{200B}dden A")
    #expect(text.marks[1].contains(.homoglyph))
    #expect(text.marks[4].contains(.styled))
    #expect(text.marks[9].contains(.afterInvisible))
    #expect(text.marks.last?.contains(.upperCase) == true)
    #expect(NormalizedText("a\u{202E}b").directionOverrides == 1)
  }
}
