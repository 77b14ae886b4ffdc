import KithTime
import Testing

@Suite struct ZoneTests {
  private func wall(
    _ year: Int, _ month: Int, _ day: Int, _ hour: Int, _ minute: Int
  ) throws -> CivilDateTime {
    let date = try #require(CivilDate(year: year, month: month, day: day))
    return date.at(try #require(CivilTime(hour: hour, minute: minute)))
  }

  @Test func aSkippedTimeIsTakenWithTheOffsetBeforeTheGap() throws {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    let result = zone.resolve(try wall(2026, 3, 8, 2, 30))
    #expect("\(result.instant)" == "2026-03-08T07:30:00Z")
    #expect(result == .skipped(result.instant))
    #expect("\(zone.civil(at: result.instant))" == "2026-03-08T03:30:00")
  }

  @Test func ofARepeatedTimeTheFirstIsMeant() throws {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    let result = zone.resolve(try wall(2025, 11, 2, 1, 30))
    #expect("\(result.instant)" == "2025-11-02T05:30:00Z")
    #expect(
      result == .repeated(first: result.instant, second: result.instant + .seconds(3600)))
  }

  @Test func theMinutesAroundAChangeAreOnce() throws {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    for (hour, minute, instant) in [
      (1, 59, "2026-03-08T06:59:00Z"), (3, 0, "2026-03-08T07:00:00Z"),
    ] {
      let result = zone.resolve(try wall(2026, 3, 8, hour, minute))
      #expect(result == .once(result.instant))
      #expect("\(result.instant)" == instant)
    }
    for (hour, minute, instant) in [
      (0, 59, "2025-11-02T04:59:00Z"), (2, 0, "2025-11-02T07:00:00Z"),
    ] {
      let result = zone.resolve(try wall(2025, 11, 2, hour, minute))
      #expect(result == .once(result.instant))
      #expect("\(result.instant)" == instant)
    }
  }

  @Test func beyondTheTableTheFooterRules() throws {
    let newYork = try ZoneFiles().zone(named: "America/New_York")
    // The second Sunday of March 2150 is the 8th.
    #expect("\(newYork.instant(of: try wall(2150, 3, 8, 1, 59)))" == "2150-03-08T06:59:00Z")
    #expect("\(newYork.instant(of: try wall(2150, 3, 8, 3, 0)))" == "2150-03-08T07:00:00Z")
    let sydney = try ZoneFiles().zone(named: "Australia/Sydney")
    #expect("\(sydney.instant(of: try wall(2150, 1, 1, 12, 0)))" == "2150-01-01T01:00:00Z")
    #expect("\(sydney.instant(of: try wall(2150, 7, 1, 12, 0)))" == "2150-07-01T02:00:00Z")
    // Daylight saving time below standard time: Ireland's winter.
    let dublin = try ZoneFiles().zone(named: "Europe/Dublin")
    #expect("\(dublin.instant(of: try wall(2150, 1, 1, 12, 0)))" == "2150-01-01T12:00:00Z")
    #expect("\(dublin.instant(of: try wall(2150, 7, 1, 12, 0)))" == "2150-07-01T11:00:00Z")
  }

  @Test func lordHoweChangesByHalfAnHour() throws {
    let zone = try ZoneFiles().zone(named: "Australia/Lord_Howe")
    let skipped = zone.resolve(try wall(2026, 10, 4, 2, 15))
    #expect("\(zone.civil(at: skipped.instant))" == "2026-10-04T02:45:00")
    let repeated = zone.resolve(try wall(2026, 4, 5, 1, 45))
    guard case .repeated(let first, let second) = repeated else {
      Issue.record("\(repeated)")
      return
    }
    #expect(second - first == .seconds(1800))
  }

  @Test func apiaHadNoThirtiethOfDecember2011() throws {
    let zone = try ZoneFiles().zone(named: "Pacific/Apia")
    let result = zone.resolve(try wall(2011, 12, 30, 9, 0))
    #expect(result == .skipped(result.instant))
    #expect("\(zone.civil(at: result.instant))" == "2011-12-31T09:00:00")
  }

  @Test func kathmanduIsFortyFiveMinutesOff() throws {
    let zone = try ZoneFiles().zone(named: "Asia/Kathmandu")
    #expect("\(zone.instant(of: try wall(2026, 1, 1, 8, 0)))" == "2026-01-01T02:15:00Z")
  }

  /// The way back: an instant's wall time means that instant, unless the clocks showed it twice.
  @Test(arguments: [
    "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "Pacific/Apia", "Europe/Dublin",
    "Africa/Casablanca", "America/Sao_Paulo", "Asia/Gaza",
  ])
  func instantsAndWallsAgree(_ name: String) throws {
    let zone = try ZoneFiles().zone(named: name)
    for step in 0..<5_000 {
      let instant = Instant(seconds: -2_000_000_000 + step * 1_727_999)
      let wall = zone.civil(at: instant)
      switch zone.resolve(wall) {
      case .once(instant): continue
      case .repeated(let first, let second) where instant == first || instant == second: continue
      case let other: Issue.record("\(name) shows \(wall) at \(instant), not \(other)")
      }
    }
  }

  @Test(arguments: [
    "", "..", "../../etc/passwd", "America/../UTC", "/etc/passwd", "America//New_York", "tzdata.zi",
    "America/New York", "Am\u{e9}rica", "America/New_York/", "a/b/c/d/e", "UTC\0",
    String(repeating: "a", count: 65), "+VERSION",
  ])
  func namesThatAreNoneAreRefused(_ name: String) {
    let error = #expect(throws: ZoneError.self) { try ZoneFiles().zone(named: name) }
    #expect(error?.kind == .invalidName)
  }

  @Test(arguments: ["Atlantis/Capital", "America", "posix"])
  func zonesThatTzdataLacksAreUnknown(_ name: String) {
    let error = #expect(throws: ZoneError.self) { try ZoneFiles().zone(named: name) }
    #expect(error?.kind == .unknownZone)
  }

  @Test func theEditionIsKnown() throws {
    let version = try #require(ZoneFiles().version())
    #expect(version.wholeMatch(of: /20\d\d[a-z]+/) != nil, "\(version)")
  }
}
