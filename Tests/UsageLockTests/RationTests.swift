import KithTime
import Testing

@testable import UsageLockDomain

/// Days, hours and uses.
@Suite struct RationTests {
  private func zone(_ name: String) throws -> Zone { try ZoneFiles().zone(named: name) }

  private func at(_ text: String) throws -> Instant { try #require(Instant(text)) }

  // MARK: Hours

  @Test func theHourThatIsShownTwiceIsTwo() throws {
    let zone = try zone("America/New_York")
    let first = LockHour(of: try at("2025-11-02T05:30:00Z"), in: zone)
    let second = LockHour(of: try at("2025-11-02T06:30:00Z"), in: zone)
    #expect(first.start == (try at("2025-11-02T05:00:00Z")))
    #expect(second.start == (try at("2025-11-02T06:00:00Z")) && first.end == second.start)
  }

  @Test func theHourThatIsSkippedIsNone() throws {
    let zone = try zone("America/New_York")
    let before = LockHour(of: try at("2026-03-08T06:59:59Z"), in: zone)
    #expect(before.start == (try at("2026-03-08T06:00:00Z")))
    #expect(LockHour(of: before.end, in: zone).end == (try at("2026-03-08T08:00:00Z")))
  }

  @Test func halfAnHourThatAChangeLeavesIsNoHour() throws {
    let zone = try zone("Australia/Lord_Howe")
    // 02:00 became 02:30 on 2025-10-05.
    let forward = LockHour(of: try at("2025-10-04T15:45:00Z"), in: zone)
    #expect(forward.start == (try at("2025-10-04T14:30:00Z")))
    #expect(forward.end == (try at("2025-10-04T16:00:00Z")))
    // 02:00 became 01:30 on 2026-04-05.
    let back = LockHour(of: try at("2026-04-04T15:10:00Z"), in: zone)
    #expect(back.end - back.start == .seconds(5400))
  }

  @Test func quartersOfAnHourAreThoseOfTheZone() throws {
    let hour = LockHour(of: try at("2026-06-01T12:00:00Z"), in: try zone("Asia/Kathmandu"))
    #expect(hour.start == (try at("2026-06-01T11:15:00Z")))
    #expect(hour.end == (try at("2026-06-01T12:15:00Z")))
  }

  /// Hours lie side by side, each an hour at least, in every kind of zone.
  @Test(arguments: [
    "America/New_York", "Europe/London", "Australia/Lord_Howe", "Asia/Kathmandu", "Asia/Kolkata",
    "Pacific/Chatham", "America/St_Johns", "Africa/Casablanca", "Antarctica/Troll", "UTC",
    "Pacific/Apia", "Asia/Pyongyang", "America/Caracas",
  ])
  func hoursLieSideBySide(_ name: String) throws {
    let zone = try zone(name)
    var hour = LockHour(of: try at("2026-01-01T00:00:00Z"), in: zone)
    let end = try at("2027-01-01T00:00:00Z")
    while hour.end < end {
      let next = LockHour(of: hour.end, in: zone)
      #expect(next.start == hour.end)
      #expect(hour.end - hour.start >= .seconds(3600) && hour.end - hour.start <= .seconds(7200))
      #expect(LockHour(of: hour.end - .milliseconds(1), in: zone) == hour)
      hour = next
    }
  }

  // MARK: Days

  @Test func aDayBeginsWhenItIsToldTo() throws {
    let zone = try zone("America/New_York")
    let three = try #require(CivilTime(hour: 3))
    let day = LockDay(of: try at("2026-06-01T05:00:00Z"), zone: zone, startOfDay: three)
    #expect("\(day.date)" == "2026-05-31")
    #expect(day.end == (try at("2026-06-01T07:00:00Z")))
    #expect(day.advanced(to: day.end - .milliseconds(1), zone: zone, startOfDay: three) == day)
    let next = day.advanced(to: day.end, zone: zone, startOfDay: three)
    #expect("\(next.date)" == "2026-06-01" && next.start == day.end)
  }

  /// Zones and starts of day that are set every few hours: no two days begin within 20 hours.
  @Test func daysAreTwentyHoursAtLeastWhateverIsSet() throws {
    let zones = try [
      "America/New_York", "Asia/Tokyo", "Pacific/Kiritimati", "Pacific/Pago_Pago", "Asia/Kathmandu",
      "Pacific/Apia", "Australia/Lord_Howe",
    ].map(zone)
    var random = SeededGenerator(seed: 6)
    for _ in 0..<300 {
      var now =
        try at("2011-12-25T00:00:00Z") + .seconds(Int.random(in: 0..<400_000, using: &random))
      var day = LockDay(of: now, zone: zones[0], startOfDay: .midnight)
      for _ in 0..<60 {
        now = now + .seconds(Int.random(in: 60..<40_000, using: &random))
        let next = day.advanced(
          to: now, zone: zones.randomElement(using: &random)!,
          startOfDay: CivilTime(secondOfDay: Int.random(in: 0..<86_400, using: &random)))
        if next != day {
          #expect(next.start - day.start >= LockDay.shortest)
          #expect(next.start <= now && now < next.end)
        }
        day = next
      }
    }
  }

  // MARK: Uses

  private func use(_ start: Int, _ length: Int) -> UseLedger.Interval {
    UseLedger.Interval(start: Instant(seconds: start), end: Instant(seconds: start + length))
  }

  @Test func flappingIsOneCharge() {
    var ledger = UseLedger(debounce: .seconds(2))
    // Two apps by turns, a second each; then a second of neither each time.
    for second in 0..<60 { ledger.add(use(second, 1)) }
    for second in stride(from: 60, to: 120, by: 2) { ledger.add(use(second, 1)) }
    #expect(ledger.intervals.count == 1)
    #expect(ledger.used(from: Instant(seconds: 0), to: Instant(seconds: 1_000)) == .seconds(119))
  }

  /// In any order, any number of times, from any number of devices: the same as painting seconds.
  @Test func anyOrderIsTheSameAsPaintingSeconds() {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<1_000 {
      let uses = (0..<Int.random(in: 1...20, using: &random)).map { _ in
        use(Int.random(in: 0..<400, using: &random), Int.random(in: 0..<30, using: &random))
      }
      var painted = Set<Int>()
      for use in uses { painted.formUnion(use.start.seconds..<use.end.seconds) }
      var (one, other) = (UseLedger(debounce: .zero), UseLedger(debounce: .zero))
      for use in uses { one.add(use) }
      for use in (uses + uses).shuffled(using: &random) { other.add(use) }
      #expect(one == other)
      #expect(
        one.used(from: Instant(seconds: 0), to: Instant(seconds: 500)) == .seconds(painted.count))
      let again = UseLedger(debounce: .zero, intervals: one.intervals)
      #expect(again == one)
    }
  }

  @Test func itsSizeHasABoundThatGivesNothingAway() {
    var ledger = UseLedger(debounce: .zero)
    for second in 0..<5_000 { ledger.add(use(second * 10, 1)) }
    #expect(ledger.intervals.count == UseLedger.mostIntervals)
    #expect(
      ledger.used(from: Instant(seconds: 0), to: Instant(seconds: 60_000)) >= .seconds(5_000))
  }
}
