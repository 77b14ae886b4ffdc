import KithPersonalData
import Testing

struct ScrubbedTextTests {
  private static let pieces = [
    "jo@example.org", "415-555-0182", "4155550182", "4111 1111 1111 1111", "123-45-6789",
    "123456789", "SSN",
    "phone", "code", "482913", "12 Main Street", "Springfield, IL 62701", "DE89370400440532013000",
    "born",
    "April 8, 1952", "2001:db8::1", "203.0.113.9", "account", "tracking", "hello", "x", "é",
    "\u{200B}", "🎉",
    "(", ")", "+", "-", ".", ",", "!", "\n", "1", "22", "333", "4444", "[REDACTED_PHONE]", "call",
    "at",
  ]

  /// Texts made of pieces in any order, the same in each run.
  private static func texts(_ count: Int) -> [String] {
    var state: UInt64 = 0x9E37_79B9_7F4A_7C15
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    return (0..<count).map { _ in
      (0..<(1 + next(12))).map { _ in pieces[next(pieces.count)] + ["", " ", " "][next(3)] }
        .joined()
    }
  }

  @Test func scrubbingTwiceIsScrubbingOnceWhateverTheText() {
    let scanner = PersonalDataScanner()
    for text in Self.texts(20_000) {
      let once = scanner.scrub(text)
      #expect(scanner.findings(in: once.bytes).isEmpty, "\(text)")
    }
  }

  @Test func textComesBackWhenPlaceholdersAreFilled() throws {
    for text in Self.texts(5_000) {
      let original = Array(text.utf8)
      let scrubbed = PersonalDataScanner().scrub(original)
      var restored: [UInt8] = []
      var place = 0
      for replacement in scrubbed.replacements {
        restored += scrubbed.bytes[place..<replacement.result.lowerBound]
        let placeholder = String(decoding: scrubbed.bytes[replacement.result], as: UTF8.self)
        #expect(PersonalDataType(placeholder: placeholder) == replacement.type)
        #expect(!replacement.original.isEmpty)
        restored += original[replacement.original]
        place = replacement.result.upperBound
      }
      restored += scrubbed.bytes[place...]
      #expect(restored == original)
      #expect(String(validating: scrubbed.bytes, as: UTF8.self) != nil)
      #expect(scrubbed.counts.values.reduce(0, +) == scrubbed.replacements.count)
    }
  }

  @Test func placeholdersAreKnownAgain() {
    for type in PersonalDataType.allCases {
      #expect(PersonalDataType(placeholder: type.placeholder) == type)
    }
    #expect(Set(PersonalDataType.allCases.map(\.name)).count == PersonalDataType.allCases.count)
    #expect(PersonalDataType(placeholder: "[REDACTED_NOTHING]") == nil)
  }

  @Test func nothingFoundIsEverWrittenDown() {
    let secrets = ["4111111111111111", "jo@example.org", "123-45-6789"]
    let scrubbed = PersonalDataScanner().scrub(secrets.joined(separator: " and "))
    let findings = PersonalDataScanner().findings(in: Array(secrets.joined(separator: " ").utf8))
    for secret in secrets {
      #expect(!"\(scrubbed)".contains(secret) && !"\(scrubbed.counts)".contains(secret))
      #expect(!"\(findings)".contains(secret) && !scrubbed.text.contains(secret))
    }
  }

  @Test func anyBytesAreRead() {
    var state: UInt64 = 7
    for count in 0..<2_000 {
      let bytes = (0..<(count % 97)).map { _ in
        state = state &* 6_364_136_223_846_793_005 &+ 1
        // Mostly what detectors look at.
        let byte = UInt8(truncatingIfNeeded: state >> 40)
        return byte < 128 ? Array("0123456789@.:-+() xX%/bc1".utf8)[Int(byte) % 25] : byte
      }
      let scrubbed = PersonalDataScanner().scrub(bytes)
      for replacement in scrubbed.replacements {
        #expect(replacement.original.upperBound <= bytes.count)
      }
    }
  }

  @Test func whatReachesIntoAPlaceholderKeepsItsBlock() {
    // The address is found only once the card in the midst of it has gone, or not at all: it blocks
    // in both cases.
    #expect(stops("12 Main 4111111111111111 Street"))
  }
}
