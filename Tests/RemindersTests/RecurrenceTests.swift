import KithTime
import RemindersDomain
import Testing

/// What rules give on the wall. `tools/eval-recurrence` compares thousands with another
/// implementation.
@Suite struct RecurrenceTests {
  private func dates(
    _ rule: String, start: String, from: String? = nil, atMost count: Int = 6
  ) throws -> [String] {
    let rule = try RecurrenceRule(parsing: rule)
    return Occurrences(rule, start: try wall(start), from: try from.map(wall)).prefix(count)
      .map { "\($0.date)" }
  }

  private func times(_ rule: String, start: String, from: String? = nil) throws -> [String] {
    let rule = try RecurrenceRule(parsing: rule)
    return Occurrences(rule, start: try wall(start), from: try from.map(wall)).prefix(6)
      .map { "\($0)" }
  }

  // MARK: Edge cases of reminders

  @Test func case4TheThirtyFirstIsSkippedWhereTheMonthHasNone() throws {
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=31", start: "2026-01-31 09:00") == [
        "2026-01-31", "2026-03-31", "2026-05-31", "2026-07-31", "2026-08-31", "2026-10-31",
      ])
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=31;SKIP=BACKWARD", start: "2026-01-31 09:00") == [
        "2026-01-31", "2026-02-28", "2026-03-31", "2026-04-30", "2026-05-31", "2026-06-30",
      ])
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=1,31;SKIP=FORWARD", start: "2026-01-31 09:00") == [
        "2026-01-31", "2026-02-01", "2026-03-01", "2026-03-31", "2026-04-01", "2026-05-01",
      ])
  }

  @Test func case5ALeapDayEveryYear() throws {
    #expect(
      try dates("FREQ=YEARLY", start: "2096-02-29 09:00", atMost: 2) == [
        "2096-02-29", "2104-02-29",
      ])
    #expect(
      try dates("FREQ=YEARLY;SKIP=BACKWARD", start: "2024-02-29 09:00", atMost: 3) == [
        "2024-02-29", "2025-02-28", "2026-02-28",
      ])
    #expect(
      try dates("FREQ=YEARLY;SKIP=FORWARD", start: "2024-02-29 09:00", atMost: 3) == [
        "2024-02-29", "2025-03-01", "2026-03-01",
      ])
  }

  @Test func case22DatesThatDoNotExistAreNotCounted() throws {
    #expect(
      try dates("FREQ=MONTHLY;BYMONTHDAY=31;COUNT=3", start: "2026-01-31 09:00") == [
        "2026-01-31", "2026-03-31", "2026-05-31",
      ])
  }

  @Test func theStartIsOneOfTheCount() throws {
    #expect(
      try dates("FREQ=DAILY;COUNT=2", start: "2026-01-31 09:00") == ["2026-01-31", "2026-02-01"])
  }

  // MARK: Order of the parts

  @Test func positionsAreTakenAfterEverythingElse() throws {
    #expect(
      try dates(
        "FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-1", start: "2026-01-01 09:00", atMost: 3)
        == ["2026-01-30", "2026-02-27", "2026-03-31"])
    #expect(
      try times(
        "FREQ=WEEKLY;BYDAY=MO,FR;BYHOUR=8,20;BYSETPOS=2,-1;COUNT=3", start: "2026-01-05 00:00")
        == ["2026-01-05T20:00:00", "2026-01-09T20:00:00", "2026-01-12T20:00:00"])
  }

  @Test func positionsOfTheFirstWeekCountFromItsFirstDay() throws {
    // The start is a Wednesday: its week's first is Monday, before the start.
    #expect(
      try dates("FREQ=WEEKLY;BYDAY=MO,FR;BYSETPOS=1", start: "2026-01-07 09:00", atMost: 2) == [
        "2026-01-12", "2026-01-19",
      ])
  }

  @Test func everyOtherWeekDependsOnItsFirstDay() throws {
    // The example of RFC 5545, 3.8.5.3.
    let rule = "FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST="
    #expect(
      try dates(rule + "MO", start: "1997-08-05 09:00") == [
        "1997-08-05", "1997-08-10", "1997-08-19", "1997-08-24",
      ])
    #expect(
      try dates(rule + "SU", start: "1997-08-05 09:00") == [
        "1997-08-05", "1997-08-17", "1997-08-19", "1997-08-31",
      ])
  }

  @Test func plainAndNumberedWeekdaysAdd() throws {
    #expect(
      try dates("FREQ=MONTHLY;BYDAY=1MO,FR", start: "2026-06-01 09:00", atMost: 5) == [
        "2026-06-01", "2026-06-05", "2026-06-12", "2026-06-19", "2026-06-26",
      ])
  }

  @Test func weekOneMayBeginInDecember() throws {
    #expect(
      try dates("FREQ=YEARLY;BYWEEKNO=1;BYDAY=MO", start: "2024-12-01 09:00", atMost: 3) == [
        "2024-12-30", "2025-12-29", "2027-01-04",
      ])
  }

  @Test func shortRulesStepOverWhatCannotMatch() throws {
    #expect(
      try times("FREQ=SECONDLY;INTERVAL=7;BYMONTH=3;BYHOUR=8;BYMINUTE=0", start: "2026-01-01 00:00")
        .first?.hasPrefix("2026-03-01T08:00:0") == true)
    #expect(
      try times("FREQ=HOURLY;INTERVAL=5;BYHOUR=8", start: "2026-01-01 09:00").prefix(2) == [
        "2026-01-05T08:00:00", "2026-01-10T08:00:00",
      ])
    #expect(
      try times("FREQ=HOURLY;BYMINUTE=50,10;BYSETPOS=-1", start: "2026-01-01 09:55").first
        == "2026-01-01T10:50:00")
  }

  // MARK: Beginning late, ending early

  @Test(arguments: [
    "FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=TU,SU;WKST=SU",
    "FREQ=MONTHLY;BYMONTHDAY=29,30,31;SKIP=FORWARD", "FREQ=YEARLY;INTERVAL=3;BYWEEKNO=1,53",
    "FREQ=HOURLY;INTERVAL=7;BYDAY=MO", "FREQ=DAILY;COUNT=700;BYHOUR=8,20",
    "FREQ=MINUTELY;INTERVAL=1439", "FREQ=MONTHLY;BYDAY=-1FR;UNTIL=20280101",
  ])
  func whatBeginsLateIsTheRestOfWhatBeganEarly(_ text: String) throws {
    let rule = try RecurrenceRule(parsing: text)
    let start = try wall("2026-02-10 08:30")
    let all = Array(Occurrences(rule, start: start).prefix(400))
    for days in stride(from: -3, to: 300, by: 11) {
      let from = start.adding(seconds: days * 86_400)
      let expected = all.filter { $0 >= from }
      let found = Array(Occurrences(rule, start: start, from: from).prefix(expected.count))
      #expect(found == expected, "from \(from)")
    }
  }

  @Test func aFarTimeIsReachedAtOnce() throws {
    #expect(
      try times("FREQ=SECONDLY", start: "1970-01-01 00:00", from: "9998-01-01 00:00").first
        == "9998-01-01T00:00:00")
    #expect(
      try times("FREQ=SECONDLY;COUNT=2", start: "1970-01-01 00:00", from: "1970-01-02 00:00") == [])
  }

  @Test(arguments: [
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYMONTH=2;BYMONTHDAY=31",
    "FREQ=HOURLY;INTERVAL=24;BYHOUR=3",
    "FREQ=SECONDLY;BYSETPOS=2", "FREQ=SECONDLY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;BYSETPOS=2",
    "FREQ=DAILY;BYSECOND=60",
    "FREQ=YEARLY;BYWEEKNO=30;BYMONTH=1",
  ])
  func aRuleThatNeverMatchesEnds(_ text: String) throws {
    #expect(try times(text, start: "2026-01-01 09:00") == [])
  }

  @Test func noRuleGoesBeyondTheYear9999() throws {
    #expect(
      try dates("FREQ=YEARLY;INTERVAL=4000", start: "2026-01-01 09:00") == [
        "2026-01-01", "6026-01-01",
      ])
    #expect(try dates("FREQ=DAILY;INTERVAL=1000000", start: "9000-01-01 09:00").count == 1)
    #expect(try dates("FREQ=DAILY", start: "9999-12-31 09:00") == ["9999-12-31"])
    #expect(try dates("FREQ=SECONDLY;INTERVAL=1000000", start: "9999-12-31 09:00").count == 1)
  }

  // MARK: Text

  @Test(arguments: [
    "FREQ=DAILY", "FREQ=WEEKLY;COUNT=3;INTERVAL=2;BYDAY=MO,-1FR;WKST=SU",
    "FREQ=YEARLY;UNTIL=20261231T235959Z;BYSECOND=0;BYMINUTE=30;BYHOUR=8;BYMONTHDAY=-1,1;BYYEARDAY=366;BYWEEKNO=-53;BYMONTH=12;BYSETPOS=-366",
    "FREQ=MONTHLY;UNTIL=20261231;BYMONTHDAY=31;RSCALE=GREGORIAN;SKIP=FORWARD",
    "FREQ=HOURLY;UNTIL=20261231T080000",
  ])
  func whatIsWrittenIsReadAgain(_ text: String) throws {
    #expect(try RecurrenceRule(parsing: text).text == text)
    #expect(try RecurrenceRule(parsing: text.lowercased()).text == text)
  }

  @Test(arguments: [
    ("", "RRULE"), ("DAILY", "RRULE"), ("FREQ=DAILY;", "RRULE"), ("COUNT=3", "FREQ"),
    ("FREQ=OFTEN", "FREQ"), ("FREQ=DAILY;FREQ=DAILY", "FREQ"),
    ("FREQ=DAILY;INTERVAL=0", "INTERVAL"),
    ("FREQ=DAILY;INTERVAL=9223372036854775808", "INTERVAL"), ("FREQ=DAILY;COUNT=-1", "COUNT"),
    ("FREQ=DAILY;COUNT=3;UNTIL=20260101", "UNTIL"), ("FREQ=DAILY;UNTIL=20260230", "UNTIL"),
    ("FREQ=DAILY;UNTIL=tomorrow", "UNTIL"), ("FREQ=DAILY;BYHOUR=24", "BYHOUR"),
    ("FREQ=DAILY;BYHOUR=8,,9", "BYHOUR"), ("FREQ=DAILY;BYMINUTE=-1", "BYMINUTE"),
    ("FREQ=DAILY;BYSECOND=61", "BYSECOND"), ("FREQ=DAILY;BYMONTHDAY=0", "BYMONTHDAY"),
    ("FREQ=DAILY;BYMONTHDAY=32", "BYMONTHDAY"), ("FREQ=YEARLY;BYYEARDAY=367", "BYYEARDAY"),
    ("FREQ=YEARLY;BYWEEKNO=54", "BYWEEKNO"), ("FREQ=YEARLY;BYMONTH=13", "BYMONTH"),
    ("FREQ=YEARLY;BYDAY=XX", "BYDAY"), ("FREQ=YEARLY;BYDAY=0MO", "BYDAY"),
    ("FREQ=YEARLY;BYDAY=M", "BYDAY"), ("FREQ=YEARLY;BYSETPOS=0", "BYSETPOS"),
    ("FREQ=YEARLY;WKST=8", "WKST"), ("FREQ=YEARLY;SKIP=SIDEWAYS", "SKIP"),
    ("FREQ=YEARLY;RSCALE=HEBREW", "RSCALE"), ("FREQ=DAILY;BYEASTER=0", "BYEASTER"),
  ])
  func anErrorNamesThePart(_ text: String, _ part: String) {
    let error = #expect(throws: RecurrenceRuleError.self) { try RecurrenceRule(parsing: text) }
    #expect(error?.part == part)
    #expect(error?.description.hasPrefix(part) == true)
  }

  @Test func aRuleWithoutEndIsRefused() {
    let text = "FREQ=DAILY;BYHOUR=" + String(repeating: "1,", count: 100_000) + "1"
    #expect(throws: RecurrenceRuleError.self) { try RecurrenceRule(parsing: text) }
  }
}
