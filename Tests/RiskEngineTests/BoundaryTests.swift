import Testing

@testable import RiskEngineDomain

/// The rules of the risk engine at their bounds, each by its name.
struct BoundaryTests {
  @Test(arguments: [
    (1, 419, false, false), (1, 420, false, true), (1, 1139, false, true), (1, 1140, false, false),
    (2, 600, false, false), (1, 600, true, false),
  ])
  func anOfficeIsOpenFromItsFirstMinuteAndNotOnHolidays(
    _ weekday: Int, _ minute: Int, _ isHoliday: Bool, _ isOpen: Bool
  ) throws {
    let hours = try OfficeHours(days: "mon", opens: "07:00", closes: "19:00").compiled(for: "x")
    #expect(
      hours.contain(LocalTime(weekday: weekday, minute: minute, isHoliday: isHoliday)) == isOpen)
  }

  @Test(arguments: [(16, false), (22, true), (23, true), (28, true), (29, false), (30, false)])
  func thanksgivingIsTheFourthThursdayAndNotTheFifth(_ day: Int, _ isHoliday: Bool) {
    #expect(FederalHoliday.contains(month: 11, day: day, weekday: 4) == isHoliday)
  }

  @Test(arguments: [
    ("+12065550123", false), ("+19115550123", true), ("+12060550123", true), ("+12061550123", true),
    ("+10065550123", true), ("+1206555012", true), ("+442065550123", false),
  ])
  func noTelephoneHasAnAreaOfN11(_ text: String, _ isImpossible: Bool) throws {
    #expect(try #require(SenderAddress(text)).isImpossible == isImpossible)
  }

  @Test(
    arguments: [
      ("12", nil), ("123", .shortCode("123")), ("123456", .shortCode("123456")),
      ("1234567", .phone("1234567")), ("+123456789012345", .phone("123456789012345")),
      ("+1234567890123456", nil), ("+123", nil),
    ] as [(String, SenderAddress?)])
  func aShortCodeHasThreeToSixDigits(_ text: String, _ expected: SenderAddress?) {
    #expect(SenderAddress(text) == expected)
  }

  @Test func namesThatShareHalfTheirLettersAreWeighedAndNotHalved() {
    // Two letters out of four are changed, out and in: the distance is 1 and not above it.
    #expect(ShownDistance.between(Array("ab".utf8), Array("ac".utf8)) < 0.3)
    #expect(ShownDistance.between(Array("abc".utf8), Array("xyz".utf8)) == 0.5)
    #expect(ShownDistance.between(Array("abc".utf8), Array("abc".utf8)) == 0)
  }

  /// Whether something is to be seen of a text as a whole.
  private func shows(_ observation: Observation, _ text: String) throws -> Bool {
    try Fixtures.engine().read(NormalizedText(text), Circumstances()).tokenized.findings
      .contains { $0.atom == observation.rawValue }
  }

  @Test func shoutingIsSevenTenthsOfTwentyLettersOrMore() throws {
    #expect(try shows(.shouting, "ABCDE FGHIJ KLMNO PQRST"))
    #expect(try !shows(.shouting, "ABCDE FGHIJ KLMNO PQRS"))
    #expect(try shows(.shouting, "ABCDE FGHIJ KLMN opqrst"))
    #expect(try !shows(.shouting, "ABCDE FGHIJ KLM nopqrst"))
  }

  @Test func aBriefTextHasFourWordsAtMost() throws {
    #expect(try shows(.brief, "one two three four"))
    #expect(try !shows(.brief, "one two three four five"))
  }
}
