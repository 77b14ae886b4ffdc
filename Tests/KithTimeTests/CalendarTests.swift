import KithTime
import Testing

@Suite struct CalendarTests {
  @Test func everyDayOfFourHundredYearsFollowsTheOneBefore() throws {
    let first = try #require(CivilDate(year: 1899, month: 12, day: 31))
    var yesterday = first
    for number in (first.dayNumber + 1)...(first.dayNumber + 146_097) {
      let today = CivilDate(dayNumber: number)
      if today.dayNumber != number { Issue.record("\(today) is not day \(number)") }
      let follows =
        (today.year, today.month, today.day) == (yesterday.year, yesterday.month, yesterday.day + 1)
        || today.day == 1
          && yesterday.day == CivilDate.days(inMonth: yesterday.month, of: yesterday.year)
          && today.year * 12 + today.month == yesterday.year * 12 + yesterday.month + 1
      if !follows { Issue.record("\(today) does not follow \(yesterday)") }
      if today.weekday.days(after: yesterday.weekday) != 1 { Issue.record("\(today)") }
      if today.month == 1, today.day == 1 {
        #expect(today.dayOfYear == 1)
        #expect(yesterday.dayOfYear == CivilDate.days(inYear: yesterday.year))
      }
      yesterday = today
    }
  }

  @Test func theDaysThatEverybodyKnows() throws {
    #expect(CivilDate(year: 1970, month: 1, day: 1)?.dayNumber == 0)
    #expect(CivilDate(year: 2000, month: 2, day: 29)?.weekday == .tuesday)
    #expect(CivilDate(year: 1582, month: 10, day: 15)?.weekday == .friday)
    #expect(CivilDate(year: 0, month: 3, day: 1)?.dayNumber == -719_468)
    #expect(CivilDate(dayNumber: -719_469).description == "0000-02-29")
  }

  @Test(arguments: [(2026, 2, 29), (2026, 4, 31), (2026, 0, 1), (2026, 13, 1), (1900, 2, 29)])
  func daysThatNoCalendarHasAreNone(year: Int, month: Int, day: Int) {
    #expect(CivilDate(year: year, month: month, day: day) == nil)
  }

  @Test func monthsAreAddedAndADayTooManyBecomesTheLast() throws {
    let date = try #require(CivilDate(year: 2024, month: 1, day: 31))
    #expect(date.adding(months: 1).description == "2024-02-29")
    #expect(date.adding(months: 13).description == "2025-02-28")
    #expect(date.adding(months: -2).description == "2023-11-30")
    #expect(date.adding(months: -13).description == "2022-12-31")
  }

  @Test func whatIsBeyondTheCalendarStopsAtItsEnd() throws {
    #expect(CivilDate(dayNumber: .max).description == "999999-12-31")
    #expect(CivilDate(dayNumber: .min).description == "-999999-01-01")
    let date = try #require(CivilDate(year: 2026, month: 1, day: 1))
    #expect(date.adding(days: .max).year > 2026)
    #expect(date.adding(months: .max).year == 999_999)
  }

  @Test func timesBeforeMidnightAreOfTheDayBefore() {
    #expect(CivilDateTime(wallSeconds: -1).description == "1969-12-31T23:59:59")
    #expect(CivilDateTime(wallSeconds: -86_400).description == "1969-12-31T00:00:00")
    #expect(Instant(milliseconds: -1).description == "1969-12-31T23:59:59.999Z")
    #expect(CivilTime(hour: 24) == nil)
    #expect(CivilTime(hour: 0, minute: 60) == nil)
  }
}
