import KithTime
import RemindersDomain
import Testing

/// The rules at their bounds, each by its name.
@Suite struct BoundaryTests {
  private func newYork(_ text: String) throws -> Instant {
    try ZoneFiles().zone(named: "America/New_York").instant(of: wall(text))
  }

  // MARK: UNTIL and skipped times

  @Test(arguments: [
    // 02:30 is skipped on the 8th and comes at 03:30 EDT, 07:30 UTC. An UNTIL between the two ends
    // the rule before it.
    ("20260308T071500Z", ["2026-03-07T07:30:00Z"]),
    ("20260308T072959Z", ["2026-03-07T07:30:00Z"]),
    ("20260308T073000Z", ["2026-03-07T07:30:00Z", "2026-03-08T07:30:00Z"]),
    ("20260309T063000Z", ["2026-03-07T07:30:00Z", "2026-03-08T07:30:00Z", "2026-03-09T06:30:00Z"]),
  ])
  func untilCountsWhenASkippedTimeComesAndNotWhenItWouldHaveBeen(
    _ until: String, _ expected: [String]
  ) throws {
    let schedule = Schedule(
      start: try wall("2026-03-07 02:30"),
      rule: try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=\(until)"))
    #expect(try instants(schedule, in: "America/New_York", atMost: 5) == expected)
  }

  @Test(
    arguments: [("20260103T080000", 3), ("20260103T075959", 2), ("20260103", 3), ("20260102", 2)])
  func untilOnTheWallIsTheLastMomentThatCounts(_ until: String, _ count: Int) throws {
    let rule = try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=\(until)")
    let found = Array(Occurrences(rule, start: try wall("2026-01-01 08:00")).prefix(9))
    #expect(found.count == count)
  }

  // MARK: Quiet hours

  /// When something due at an instant is sent.
  private func sending(
    of due: Instant, quiet from: String, to: String, _ zone: String = "America/New_York"
  ) throws -> Instant? {
    let zone = try ZoneFiles().zone(named: zone)
    func time(_ text: String) throws -> CivilTime { try wall("2026-01-01 \(text)").time }
    // The earlier of two equal times on the wall cannot be told by a wall: the zone of the schedule
    // is UTC.
    let plan = ReminderPlan(
      reminder: "r", schedule: Schedule(start: Zone.utc.civil(at: due)), zone: zone,
      quietHours: QuietHours(from: try time(from), to: try time(to)))
    var life = ReminderLife(
      plan: plan, progress: ReminderProgress(cursor: due - .seconds(60)))
    life = life.moved(to: zone, scheduleZone: .utc)
    return life.nextDue
  }

  @Test(arguments: [
    // 01:00 to 02:00 is shown twice on 2026-11-01 in New York: first in EDT from 05:00 UTC, then in
    // EST from 06:00 UTC.
    ("2026-11-01T05:10:00Z", "2026-11-01T05:30:00Z"),
    ("2026-11-01T05:29:59Z", "2026-11-01T05:30:00Z"),
    ("2026-11-01T05:30:00Z", "2026-11-01T05:30:00Z"),
    // They ended when the clock showed 01:30 first, and do not begin again with the second 01:10.
    ("2026-11-01T06:10:00Z", "2026-11-01T06:10:00Z"),
    ("2026-11-01T06:29:59Z", "2026-11-01T06:29:59Z"),
  ])
  func quietHoursThatEndWithinTheHourShownTwiceEndOnce(_ due: String, _ sent: String) throws {
    let due = try #require(Instant(due))
    #expect(try sending(of: due, quiet: "22:00", to: "01:30") == Instant(sent))
  }

  @Test(arguments: [
    ("22:00", "07:00", "2026-06-01T10:59:59Z", "2026-06-01T11:00:00Z"),
    ("22:00", "07:00", "2026-06-01T11:00:00Z", "2026-06-01T11:00:00Z"),
    ("22:00", "07:00", "2026-06-01T01:59:59Z", "2026-06-01T01:59:59Z"),
    ("22:00", "07:00", "2026-06-01T02:00:00Z", "2026-06-01T11:00:00Z"),
    ("13:00", "15:00", "2026-06-01T17:00:00Z", "2026-06-01T19:00:00Z"),
    ("13:00", "15:00", "2026-06-01T19:00:00Z", "2026-06-01T19:00:00Z"),
    ("13:00", "13:00", "2026-06-01T17:00:00Z", "2026-06-01T17:00:00Z"),
  ])
  func quietHoursHoldFromTheirFirstMomentAndNotAtTheirEnd(
    _ from: String, _ to: String, _ due: String, _ sent: String
  ) throws {
    let due = try #require(Instant(due))
    #expect(try sending(of: due, quiet: from, to: to) == Instant(sent))
  }

  // MARK: The ladder

  @Test func aRepeatAtTheMomentOfMissingIsLeftOut() {
    let ladder = Ladder(
      repeats: [.zero, .seconds(1), .seconds(119), .seconds(120)], missedAfter: .seconds(120))
    #expect(ladder.repeats == [.seconds(1), .seconds(119)])
  }

  @Test func aReminderIsLateAfterAMinuteAndNotAtIt() throws {
    let noon = try newYork("2026-06-01 12:00")
    let plan = ReminderPlan(
      reminder: "r", schedule: Schedule(start: try wall("2026-06-01 12:00")),
      zone: try ZoneFiles().zone(named: "America/New_York"))
    for (delay, late) in [(60_000, 0), (60_001, 60_001)] {
      var life = ReminderLife(plan: plan, progress: ReminderProgress(cursor: noon - .seconds(9)))
      guard case .sent(_, let lateBy)? = life.advance(to: noon + .milliseconds(delay)).first else {
        Issue.record("it was not sent")
        continue
      }
      #expect(lateBy == .milliseconds(late))
    }
  }

  @Test func aSnoozeLastsAWeekAtMost() throws {
    let noon = try newYork("2026-06-01 12:00")
    let plan = ReminderPlan(
      reminder: "r", schedule: Schedule(start: try wall("2026-06-01 12:00")),
      zone: try ZoneFiles().zone(named: "America/New_York"))
    var life = ReminderLife(plan: plan, progress: ReminderProgress(cursor: noon - .seconds(9)))
    _ = life.advance(to: noon)
    let week = Duration.seconds(7 * 86_400)
    #expect(throws: AnswerError.snoozeOutOfRange) {
      try life.snooze(noon, until: noon + week + .milliseconds(1), at: noon)
    }
    #expect(throws: AnswerError.snoozeOutOfRange) {
      try life.snooze(noon, until: noon, at: noon)
    }
    #expect(try life.snooze(noon, until: noon + week, at: noon).count == 1)
  }

  // MARK: Repetition and digests

  @Test(arguments: [(3, true), (4, false), (5, false)])
  func aCardIsShownAgainTodayUntilItIsRememberedWell(_ quality: Int, _ again: Bool) {
    var card = SuperMemo2()
    card.review(quality: quality)
    #expect(card.isShownAgainToday == again)
  }

  @Test func whatIsNeitherDoneNorMissedIsOpen() throws {
    var digest = WeeklyDigest(firstDay: try #require(CivilDate(year: 2026, month: 6, day: 1)))
    (digest.due, digest.done, digest.doneLate, digest.missed) = (7, 2, 1, 3)
    #expect(digest.summary.hasSuffix("1 is still open."), "\(digest.summary)")
    digest.missed = 4
    #expect(!digest.summary.contains("open"), "\(digest.summary)")
  }
}
