import KithTime
import Testing

@testable import KithCommands
@testable import KithTerminal

/// Moments on the command line and in what it shows.
@Suite struct MomentTests {
  private let now: Int64 = 1_800_000_000_000

  @Test(arguments: [
    ("0s", 0), ("90s", 90), ("10m", 600), ("2h", 7_200), ("1d", 86_400),
  ])
  func aSpanIsCountedBackFromNow(_ text: String, _ seconds: Int64) throws {
    #expect(try MomentOption.milliseconds(text, now: now) == now - seconds * 1000)
  }

  @Test func anInstantStandsForItself() throws {
    #expect(try MomentOption.milliseconds("1970-01-01T01:00:00+01:00", now: now) == 0)
  }

  @Test(arguments: ["", "m", "10", "-5m", "5 m", "10w", "yesterday", "99999999999d", "12:30"])
  func anythingElseIsRefusedWithWhatIsExpected(_ text: String) throws {
    let error = #expect(throws: CommandFailure.self) {
      try MomentOption.milliseconds(text, now: now)
    }
    #expect(error?.status == .usage && error?.message.contains("10m") == true)
  }

  @Test func aDateStandsBeforeTheFirstLineOfEachDayButToday() {
    let day: Int64 = 86_400_000
    let days = DayHeading(now: now)
    #expect(days.before(milliseconds: now) == nil)
    let yesterday = Quantities.date(milliseconds: now - day)
    #expect(days.before(milliseconds: now - day) == "-- \(yesterday)")
    #expect(days.before(milliseconds: now - day) == nil)
    #expect(days.before(milliseconds: now) == "-- \(Quantities.date(milliseconds: now))")
  }
}
