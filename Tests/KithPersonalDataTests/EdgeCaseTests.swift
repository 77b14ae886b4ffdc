import KithPersonalData
import Testing

/// The cases at which scrubbers fail.
struct EdgeCaseTests {
  @Test func mastercardOfTheTwoSeriesIsACard() {
    #expect(types("paid with 2223003122003222 today") == [.paymentCard])
    #expect(types("2720990000000007") == [.paymentCard])
    #expect(types("2721000000000004").isEmpty)
  }

  @Test func cardsHaveNineteenDigits() {
    #expect(types("my number is 6212345678900000003, thanks") == [.paymentCard])
    #expect(stops("my number is 6212345678900000003, thanks"))
  }

  @Test(arguments: ["\u{A0}", "\u{2011}", "\u{2009}", "\u{2013}", "-", ".", " "])
  func cardsAreSeparatedByWhatLooksLikeASpaceOrHyphen(separator: String) {
    let text = "4111 1111 1111 1111".split(separator: " ").joined(separator: separator)
    #expect(found("card: \(text).").map(\.part) == [text])
    #expect(stops(text))
  }

  @Test(arguments: ["4111  1111  1111  1111", "4111 - 1111 - 1111 - 1111"])
  func groupsThatStandApartAreACard(text: String) {
    #expect(types(text) == [.paymentCard])
    #expect(stops(text))
  }

  @Test(arguments: [
    "born 0-05-1111111111111111111111111", "born 11111111111111111111-05-04",
    "call 1111111111111111111111-415-555-0182", "11111111111111111111.415.555.0182",
  ])
  func aGroupOfAnyLengthIsRead(text: String) {
    #expect(!types(text).contains(.dateOfBirth))
  }

  @Test func aParcelNumberInFoursIsNoCard() {
    // Its second to fifth group make a card's sum.
    #expect(types("USPS 9400 4111 1111 1111 1111 84") == [])
    #expect(types("card 9400 4111 1111 1111 1111 84") == [.paymentCard])
  }

  @Test func mixedSeparatorsAreRedactedAndDoNotBlock() {
    #expect(types("4111-1111 1111-1111") == [.paymentCard])
    #expect(!stops("4111-1111 1111-1111"))
  }

  @Test func orderWithoutLuhnsSumIsNoCard() {
    #expect(types("order 4111111111111112 was sent").isEmpty)
    #expect(types("0000000000000000").isEmpty)
  }

  @Test func epochMillisecondsAreNoCard() {
    #expect(types("at 1748503543012").isEmpty)
    #expect(types("1748503543012").isEmpty)
  }

  @Test func sampleSocialSecurityNumbersAreRedacted() {
    for text in ["078-05-1120", "987-65-4321", "219-09-9999"] {
      #expect(types("it is \(text), she said") == [.socialSecurityNumber])
    }
  }

  @Test func neverIssuedSocialSecurityNumbersDoNotBlock() {
    #expect(types("666-12-3456") == [.socialSecurityNumber])
    for text in ["666-12-3456", "000-12-3456", "123-00-4567", "123-45-0000", "078-05-1120"] {
      #expect(!stops(text))
    }
    #expect(stops("123-45-6789"))
  }

  @Test func datesAndVersionsAreNoSocialSecurityNumbers() {
    #expect(types("on 2025-11-01 and with version 10.0.19-22").isEmpty)
    #expect(types("version 10.0.19.22, build 078.05.1123 of release 3").isEmpty)
  }

  @Test func bareNineDigitsNeedAWord() {
    #expect(types("your parcel has tracking number 078051121 now").isEmpty)
    #expect(types("it weighs 078051121 grains").isEmpty)
    #expect(types("SSN 078051121") == [.socialSecurityNumber])
    #expect(stops("SSN 078051121"))
    #expect(stops("078051121 is my social"))
  }

  @Test func cardsInsideKeysAreNoCards() {
    #expect(types("dGVzdCBkYXRh4111111111111111ZGF0YQ==").isEmpty)
    #expect(types("QmFzZTY0/4111111111111111+aGVsbG8K").isEmpty)
    #expect(types("550e8400-e29b-41d4-a716-411111111111").isEmpty)
    #expect(types("0.4111111111111111").isEmpty)
    #expect(types("94111111111111111123456").isEmpty)
  }

  @Test func ibanIsFoundInLowerCaseSpacedAndBeforeAWord() {
    #expect(
      found("gb82 west 1234 5698 7654 32 by friday").map(\.part) == ["gb82 west 1234 5698 7654 32"])
    #expect(
      found("DE89 3704 0044 0532 0130 00 2 days").map(\.part) == ["DE89 3704 0044 0532 0130 00"])
    #expect(types("DE89 3704 0044 0532 0130 01").isEmpty)
  }

  @Test func witnessAddressesAreOfOneCase() {
    let address = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
    #expect(types(address) == [.walletAddress])
    #expect(types(address.uppercased()) == [.walletAddress])
    #expect(types("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kV8F3T4").isEmpty)
    #expect(
      types("bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqzk5jj0") == [.walletAddress])
    #expect(types("xx\(address)").isEmpty)
  }

  @Test func bracketAndExtensionBelongToAPhoneNumber() {
    #expect(found("call (415) 555-0182x12 now").map(\.part) == ["(415) 555-0182x12"])
    #expect(found("(415) 555-0182 ext. 12").map(\.part) == ["(415) 555-0182 ext. 12"])
  }

  @Test func twoThatTouchAreTwo() {
    #expect(found("a@b.co,415-555-0182").map(\.part) == ["a@b.co", "415-555-0182"])
  }

  @Test func placesAreRightBehindEmojiAndCombiningMarks() {
    for marked in [
      "👩‍👩‍👧 e\u{301}le\u{300}ve: ‹jo@example.org›!", "٤١٥ 🇺🇸 ‹(415) 555-0182›", "نص ‹123-45-6789› 🎉",
    ] {
      let text = Marked(marked)
      let findings = PersonalDataScanner().findings(in: Array(text.text.utf8))
      #expect(findings.map(\.bytes) == text.ranges)
    }
  }

  @Test func scrubbingTwiceIsScrubbingOnce() {
    let text =
      "Jo, 12 Main St, Springfield, IL 62701; (415) 555-0182 or 4155550199; SSN 123-45-6789; code 482913"
    let once = PersonalDataScanner().scrub(text)
    let twice = PersonalDataScanner().scrub(once.bytes)
    #expect(twice.bytes == once.bytes && twice.replacements.isEmpty)
    #expect(once.replacements.count == 5)
  }

  @Test func aMegabyteOfDigitsIsReadToItsEnd() {
    // How long that takes is for tools/eval-pii --speed to say.
    let digits = [UInt8](repeating: UInt8(ascii: "7"), count: 1 << 20)
    #expect(PersonalDataScanner().findings(in: digits).isEmpty)
  }

  @Test func oneCardStopsTheWholeTransmission() {
    let scrubbed = PersonalDataScanner().scrub("Pay jo@example.org with 4111 1111 1111 1111")
    #expect(scrubbed.stoppingTypes == [.paymentCard])
    #expect(PersonalDataScanner().scrub("Pay jo@example.org").stoppingTypes.isEmpty)
  }

  @Test func medicareNumbers() {
    for text in ["1EG4-TE5-MK73", "1EG4TE5MK73", "1eg4-te5-mk73"] {
      #expect(found("Patient \(text), seen today").map(\.part) == [text])
    }
    #expect(types("1EG4-LE5-MK73 1EG4TE5MK734 0EG4-TE5-MK73").isEmpty)
  }
}
