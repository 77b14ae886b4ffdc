import Glibc
import KithTime
import RemindersDomain
import Testing

/// Where walls and instants part. The numbers are those of the edge cases that reminders are
/// accepted by.
@Suite struct ScheduleTests {
  private func daily(_ start: String, _ rule: String = "FREQ=DAILY") throws -> Schedule {
    Schedule(start: try wall(start), rule: try RecurrenceRule(parsing: rule))
  }

  @Test func case1HalfPastTwoAcrossTheGapFiresOnceAnHourLater() throws {
    #expect(
      try instants(daily("2026-03-07 02:30"), in: "America/New_York", atMost: 3) == [
        "2026-03-07T07:30:00Z", "2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z",
      ])
  }

  @Test func case2HalfPastOneAcrossTheOverlapFiresOnce() throws {
    #expect(
      try instants(daily("2025-11-01 01:30"), in: "America/New_York", atMost: 3) == [
        "2025-11-01T05:30:00Z", "2025-11-02T05:30:00Z", "2025-11-03T06:30:00Z",
      ])
  }

  @Test func case3EveryEightHoursStaysEightHoursApart() throws {
    var schedule = try daily("2026-03-07 22:00", "FREQ=HOURLY;INTERVAL=8")
    schedule.policy = .elapsed
    #expect(
      try instants(schedule, in: "America/New_York", atMost: 4) == [
        "2026-03-08T03:00:00Z", "2026-03-08T11:00:00Z", "2026-03-08T19:00:00Z",
        "2026-03-09T03:00:00Z",
      ])
    schedule.policy = .wall
    #expect(
      try instants(schedule, in: "America/New_York", atMost: 3) == [
        "2026-03-08T03:00:00Z", "2026-03-08T10:00:00Z", "2026-03-08T18:00:00Z",
      ])
  }

  @Test func case6AWallTimeTravelsAndAnElapsedOneDoesNot() throws {
    let start = "2026-06-01 08:00"
    var schedule = try daily(start)
    #expect(
      try instants(schedule, in: "America/Los_Angeles", atMost: 1) == ["2026-06-01T15:00:00Z"])
    #expect(try instants(schedule, in: "America/New_York", atMost: 1) == ["2026-06-01T12:00:00Z"])
    // Whoever began in Los Angeles goes on by its clock: the zone of the start is kept for an
    // elapsed reminder.
    schedule.policy = .elapsed
    #expect(
      try instants(schedule, in: "America/Los_Angeles", after: "2026-11-02 00:00", atMost: 1)
        == ["2026-11-02T15:00:00Z"])
  }

  @Test func case15TheZoneOfTheMachineIsNobodysConcern() throws {
    var seen: Set<[String]> = []
    for zone in ["UTC", "Asia/Kolkata", "America/New_York"] {
      setenv("TZ", zone, 1)
      tzset()
      let newYork = try ZoneFiles().zone(named: "America/New_York")
      let now = newYork.instant(of: try wall("2026-03-07 18:00"))
      let reading = TimeReader(reference: now, zone: newYork).read("every day at 2:30 am")
      guard case .recurring(let schedule)? = reading?.meaning else {
        Issue.record("\(String(describing: reading))")
        continue
      }
      seen.insert(try instants(schedule, in: "America/New_York", atMost: 3))
    }
    unsetenv("TZ")
    tzset()
    #expect(
      seen == [["2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z", "2026-03-10T06:30:00Z"]])
  }

  @Test func case21LordHoweShiftsByHalfAnHour() throws {
    #expect(
      try instants(daily("2026-10-03 02:15"), in: "Australia/Lord_Howe", atMost: 3) == [
        "2026-10-02T15:45:00Z", "2026-10-03T15:45:00Z", "2026-10-04T15:15:00Z",
      ])
  }

  @Test func theDayThatApiaNeverHadFiresNoOneTwice() throws {
    #expect(
      try instants(daily("2011-12-29 09:00"), in: "Pacific/Apia", atMost: 3) == [
        "2011-12-29T19:00:00Z", "2011-12-30T19:00:00Z", "2011-12-31T19:00:00Z",
      ])
  }

  @Test func whatAGapShiftsComesInTheOrderOfInstants() throws {
    let schedule = try daily("2026-03-08 01:45", "FREQ=MINUTELY;INTERVAL=25")
    // Walls 01:45, 02:10, 02:35, 03:00, 03:25: the gap puts two of them at 03:10 and 03:35.
    #expect(
      try instants(schedule, in: "America/New_York", atMost: 5) == [
        "2026-03-08T06:45:00Z", "2026-03-08T07:00:00Z", "2026-03-08T07:10:00Z",
        "2026-03-08T07:25:00Z", "2026-03-08T07:35:00Z",
      ])
  }

  @Test func whatIsAskedForWithinAGapIsNotLost() throws {
    let schedule = try daily("2026-03-01 02:30")
    #expect(
      try instants(schedule, in: "America/New_York", after: "2026-03-08 03:10", atMost: 1)
        == ["2026-03-08T07:30:00Z"])
    #expect(
      try instants(schedule, in: "America/New_York", after: "2026-03-08 03:30", atMost: 1)
        == ["2026-03-09T06:30:00Z"])
  }

  @Test func untilInUTCIsAnInstant() throws {
    let schedule = try daily("2026-03-06 20:00", "FREQ=DAILY;UNTIL=20260309T000000Z")
    #expect(
      try instants(schedule, in: "America/New_York") == [
        "2026-03-07T01:00:00Z", "2026-03-08T01:00:00Z", "2026-03-09T00:00:00Z",
      ])
  }

  @Test func daysAreAddedAndLeftOut() throws {
    var schedule = try daily("2026-01-01 08:00", "FREQ=DAILY;COUNT=4")
    schedule.additions = [try wall("2026-01-02 12:00"), try wall("2026-01-01 08:00")]
    schedule.exclusions = [.day(try day("2026-01-03")), .time(try wall("2026-01-04 08:00"))]
    #expect(
      try instants(schedule, in: "UTC") == [
        "2026-01-01T08:00:00Z", "2026-01-02T08:00:00Z", "2026-01-02T12:00:00Z",
      ])
  }

  @Test func onceIsOnce() throws {
    let schedule = Schedule(start: try wall("2026-01-01 08:00"))
    #expect(try instants(schedule, in: "UTC") == ["2026-01-01T08:00:00Z"])
    #expect(try instants(schedule, in: "UTC", after: "2026-01-01 08:00") == [])
  }
}
