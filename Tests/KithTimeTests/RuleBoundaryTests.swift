import Testing

@testable import KithTime

/// The rules of zones and instants at their bounds, each by its name.
@Suite struct RuleBoundaryTests {
  private func date(_ year: Int, _ month: Int, _ day: Int) throws -> CivilDate {
    try #require(CivilDate(year: year, month: month, day: day))
  }

  // MARK: Days of POSIX rules

  @Test(arguments: [
    // 29 February is never counted: 59 is 28 February and 60 is 1 March, in every year.
    (59, 2023, 2, 28), (59, 2024, 2, 28), (60, 2023, 3, 1), (60, 2024, 3, 1), (1, 2024, 1, 1),
    (365, 2023, 12, 31), (365, 2024, 12, 31),
  ])
  func aJulianDayLeavesOutTheLeapDay(_ number: Int, _ year: Int, _ month: Int, _ day: Int) throws {
    let moment = PosixRule.YearlyMoment(day: .julian(number), seconds: 0)
    #expect(try moment.wallSeconds(in: year) == date(year, month, day).dayNumber * 86_400)
  }

  @Test(arguments: [(58, 2024, 2, 28), (59, 2024, 2, 29), (59, 2023, 3, 1), (0, 2023, 1, 1)])
  func aDayOfTheYearCountsTheLeapDay(_ number: Int, _ year: Int, _ month: Int, _ day: Int) throws {
    let moment = PosixRule.YearlyMoment(day: .ofYear(number), seconds: 0)
    #expect(try moment.wallSeconds(in: year) == date(year, month, day).dayNumber * 86_400)
  }

  @Test(arguments: [
    // The fifth week is the last one that the month has: April 2026 begins on a Wednesday and has
    // five Wednesdays and Thursdays. The fifth Friday would be 1 May.
    (4, 5, 3, 29), (4, 5, 4, 30), (4, 5, 5, 24), (4, 5, 6, 25), (4, 1, 3, 1), (4, 1, 2, 7),
    (4, 4, 5, 24),
  ])
  func theFifthWeekIsTheLastOfTheMonth(
    _ month: Int, _ week: Int, _ weekday: Int, _ day: Int
  ) throws {
    let moment = PosixRule.YearlyMoment(
      day: .ofWeek(month: month, week: week, weekday: weekday), seconds: 0)
    #expect(try moment.wallSeconds(in: 2026) == date(2026, month, day).dayNumber * 86_400)
  }

  // MARK: Changes of the clocks

  @Test func theSecondOfAChangeHasTheNewOffset() throws {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    // From the file's table, and from the rule behind it.
    for (change, before, after) in [
      ("2026-03-08T07:00:00Z", -5, -4), ("2026-11-01T06:00:00Z", -4, -5),
      ("2090-03-12T07:00:00Z", -5, -4), ("2090-11-05T06:00:00Z", -4, -5),
    ] {
      let instant = try #require(Instant(change))
      #expect(zone.segment(at: instant.seconds - 1).offset == before * 3600)
      #expect(zone.segment(at: instant.seconds - 1).end == instant.seconds)
      #expect(zone.segment(at: instant.seconds).offset == after * 3600)
      #expect(zone.segment(at: instant.seconds).start == instant.seconds)
    }
  }

  @Test(arguments: [
    ("00:59:59", false), ("01:00:00", true), ("01:59:59", true), ("02:00:00", false),
  ])
  func theRepeatedHourBeginsWithItsFirstSecond(_ time: String, _ isRepeated: Bool) throws {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    let parts = time.split(separator: ":").compactMap { Int($0) }
    let wall = try date(2026, 11, 1)
      .at(CivilTime(secondOfDay: parts[0] * 3600 + parts[1] * 60 + parts[2]))
    let result = zone.resolve(wall)
    guard isRepeated else {
      #expect(result == .once(result.instant))
      return
    }
    #expect(result == .repeated(first: result.instant, second: result.instant + .seconds(3600)))
  }

  @Test(arguments: [
    ("01:59:59", false), ("02:00:00", true), ("02:59:59", true), ("03:00:00", false),
  ])
  func theSkippedHourBeginsWithItsFirstSecond(_ time: String, _ isSkipped: Bool) throws {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    let parts = time.split(separator: ":").compactMap { Int($0) }
    let result = zone.resolve(
      try date(2026, 3, 8).at(CivilTime(secondOfDay: parts[0] * 3600 + parts[1] * 60 + parts[2])))
    #expect(result == (isSkipped ? .skipped(result.instant) : .once(result.instant)))
  }

  // MARK: Offsets of texts

  @Test(arguments: [
    "2026-03-08T07:30:00+05:60", "2026-03-08T07:30:00+24:00", "2026-03-08T07:30:00-00:60",
  ])
  func anOffsetHasMinutesBelowSixtyAndHoursBelowTwentyFour(_ text: String) {
    #expect(Instant(text) == nil)
  }

  @Test func theLargestOffsetIsRead() throws {
    #expect(Instant("2026-03-08T23:59:00+23:59") == Instant("2026-03-08T00:00:00Z"))
  }
}
