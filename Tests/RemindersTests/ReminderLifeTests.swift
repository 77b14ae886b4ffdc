import KithTime
import RemindersDomain
import Testing

/// The life of occurrences, minute by minute. The numbers are those of the edge cases that
/// reminders are accepted by.
@Suite struct ReminderLifeTests {
  private let minute = Duration.seconds(60)
  private let hour = Duration.seconds(3600)

  /// A reminder in New York, and the instant of a wall time there.
  private func life(
    _ start: String, _ rule: String? = nil, medicine: Bool = false, ladder: Ladder = Ladder(),
    cursor: String = "2026-06-01 00:00"
  ) throws -> ReminderLife {
    let zone = try ZoneFiles().zone(named: "America/New_York")
    let schedule = Schedule(
      start: try wall(start), rule: try rule.map { try RecurrenceRule(parsing: $0) })
    return ReminderLife(
      plan: ReminderPlan(
        reminder: "r", schedule: schedule, zone: zone, isMedicine: medicine, ladder: ladder),
      progress: ReminderProgress(cursor: zone.instant(of: try wall(cursor))))
  }

  private func at(_ text: String) throws -> Instant {
    try ZoneFiles().zone(named: "America/New_York").instant(of: wall(text))
  }

  /// What happens, at the moments at which the life itself wants to be asked, up to an instant.
  private func run(_ life: inout ReminderLife, until end: Instant) -> [LifeEvent] {
    var events: [LifeEvent] = []
    while let due = life.nextDue, due <= end { events += life.advance(to: due) }
    return events
  }

  private func names(_ events: [LifeEvent]) -> [String] {
    events.map { event in
      switch event {
      case .sent(_, let late): late == .zero ? "sent" : "late"
      case .sentAgain(let key): "again \(key.text.split(separator: "/")[2])"
      case .missed(_, let reason): "missed \(reason)"
      case .contact: "contact"
      case .done(_, let isLate): isLate ? "done late" : "done"
      case .snoozed: "snoozed"
      case .skipped: "skipped"
      }
    }
  }

  // MARK: The ladder

  @Test func anUnansweredReminderClimbsTheLadder() throws {
    var life = try life("2026-06-01 12:00")
    var times: [Instant] = []
    var events: [LifeEvent] = []
    while let due = life.nextDue {
      times.append(due)
      events += life.advance(to: due)
    }
    #expect(
      names(events) == [
        "sent", "again notify-0-1", "again notify-0-2", "missed unanswered", "contact",
      ])
    let noon = try at("2026-06-01 12:00")
    #expect(times == [0, 10, 20, 30, 60].map { noon + minute * $0 })
    #expect(life.progress.open == nil)
  }

  @Test func itIsMissedAtTheMomentThatTheLadderSaysAndNotBefore() throws {
    var life = try life("2026-06-01 12:00")
    let noon = try at("2026-06-01 12:00")
    #expect(names(life.advance(to: noon)) == ["sent"])
    #expect(
      names(life.advance(to: noon + minute * 30 - .milliseconds(1))) == ["again notify-0-2"])
    #expect(names(life.advance(to: noon + minute * 30)) == ["missed unanswered"])
  }

  @Test func aRepeatThatIsLateDoesNotComeInQuietHours() throws {
    var life = try life("2026-06-01 21:45")
    #expect(try names(life.advance(to: at("2026-06-01 21:45"))) == ["sent"])
    // The repeat of 21:55 was held up until the quiet hours had begun.
    #expect(try life.advance(to: at("2026-06-01 22:05")) == [])
  }

  @Test func aMoveTakesTheWallAlongAndNotWhatElapses() throws {
    let tokyo = try ZoneFiles().zone(named: "Asia/Tokyo")
    for (policy, name) in [
      (Schedule.Policy.wall, "Asia/Tokyo"), (.elapsed, "America/New_York"),
    ] {
      let life = try life("2026-06-01 12:00", "FREQ=DAILY")
      var plan = life.plan
      plan.schedule.policy = policy
      let moved = ReminderLife(plan: plan, progress: life.progress).moved(to: tokyo)
      #expect(moved.plan.zone == tokyo && moved.plan.scheduleZone.name == name)
    }
  }

  @Test func anAnswerEndsTheLadder() throws {
    var life = try life("2026-06-01 12:00")
    let noon = try at("2026-06-01 12:00")
    _ = run(&life, until: noon + minute * 10)
    #expect(try names(life.done(noon, at: noon + minute * 12)) == ["done"])
    #expect(life.nextDue == nil)
    #expect(life.advance(to: noon + hour) == [])
  }

  @Test func aLadderOfOnesOwn() throws {
    let ladder = Ladder(
      repeats: [.seconds(60), .seconds(9999), .seconds(-5)], missedAfter: .seconds(120),
      contactAfter: nil)
    var life = try life("2026-06-01 12:00", ladder: ladder)
    let events = run(&life, until: try at("2026-06-02 12:00"))
    #expect(names(events) == ["sent", "again notify-0-1", "missed unanswered"])
  }

  // MARK: Edge cases by number

  @Test func case7AnEditionOfTzdataMovesAnInstant() throws {
    var life = try life("2026-06-01 12:00", "FREQ=DAILY")
    let noon = try at("2026-06-01 12:00")
    _ = run(&life, until: noon)
    _ = try life.done(noon, at: noon)
    // The new edition has New York an hour further west.
    let later = Zone.fixed(offset: -5 * 3600, name: "America/New_York")
    let moved = life.moved(to: later)
    #expect(life.nextDue == noon + hour * 24)
    #expect(moved.nextDue == noon + hour * 25)
  }

  @Test func case8AfterThreeHoursDownOneIsLateAndTheRestMissed() throws {
    var life = try life("2026-06-01 12:00", "FREQ=MINUTELY;INTERVAL=20")
    let events = life.advance(to: try at("2026-06-01 15:10"))
    let all = names(events)
    #expect(all.filter { $0 == "late" }.count == 1)
    #expect(all.last == "late")
    #expect(all.filter { $0 == "missed downtime" }.count == 8)
    #expect(all.filter { $0 == "missed superseded" }.count == 1)
    #expect(all.count == 10)
  }

  @Test func case8OnceTheGraceIsOverItIsMissed() throws {
    for (minutes, expected) in [(0, "sent"), (30, "late"), (31, "missed downtime")] {
      var life = try life("2026-06-01 12:00")
      let events = life.advance(to: try at("2026-06-01 12:00") + minute * minutes)
      #expect(names(events) == [expected])
    }
  }

  @Test func case9TheSameStateTriedAgainGivesTheSameKeys() throws {
    let life = try life("2026-06-01 12:00", "FREQ=DAILY")
    let noon = try at("2026-06-01 12:00")
    var first = life
    var second = ReminderLife(plan: life.plan, progress: life.progress)
    #expect(first.advance(to: noon) == second.advance(to: noon))
    #expect(first.progress == second.progress)
    #expect(first.advance(to: noon) == [])
  }

  @Test func case10AClockPutBackSendsNothingAgain() throws {
    var life = try life("2026-06-01 12:00", "FREQ=MINUTELY;INTERVAL=20")
    let start = try at("2026-06-01 12:00")
    _ = run(&life, until: start + hour)
    for step in 0..<60 {
      #expect(names(life.advance(to: start + minute * step)).contains("sent") == false)
    }
    #expect(try #require(life.nextDue) > start + minute * 59)
  }

  @Test func case10AClockPutForwardADayBringsNoBurst() throws {
    var life = try life("2026-06-01 12:00", "FREQ=HOURLY", medicine: true)
    let start = try at("2026-06-01 12:00")
    _ = run(&life, until: start)
    let all = names(life.advance(to: start + hour * 24 + minute))
    #expect(all.filter { $0 == "sent" || $0 == "late" }.count == 1)
    #expect(all.filter { $0.hasPrefix("again") }.isEmpty)
  }

  @Test func case12DoneAfterMissedIsDoneLate() throws {
    var life = try life("2026-06-01 12:00")
    let noon = try at("2026-06-01 12:00")
    _ = run(&life, until: noon + minute * 30)
    var told = life
    #expect(try names(told.done(noon, at: noon + minute * 40)) == ["done late"])
    #expect(told.nextDue == nil)
    // When the ladder is over, the history remembers.
    _ = run(&life, until: noon + hour)
    #expect(try names(life.done(noon, at: noon + hour * 5, wasMissed: true)) == ["done late"])
    #expect(throws: AnswerError.noSuchOccurrence) { try life.done(noon, at: noon + hour * 5) }
  }

  @Test func case13ASnoozePastTheNextOccurrenceGivesWayToIt() throws {
    var life = try life("2026-06-01 12:00", "FREQ=HOURLY")
    let noon = try at("2026-06-01 12:00")
    _ = run(&life, until: noon)
    #expect(
      try names(life.snooze(noon, until: noon + minute * 90, at: noon + minute)) == ["snoozed"])
    #expect(names(run(&life, until: noon + minute * 59)) == [])
    #expect(names(life.advance(to: noon + hour)) == ["missed superseded", "sent"])
    #expect(life.progress.open?.due == noon + hour)
  }

  @Test func case6WhoFliesWestIsNotRemindedTwice() throws {
    var life = try life("2026-06-01 08:00", "FREQ=DAILY")
    let morning = try at("2026-06-01 08:00")
    _ = run(&life, until: morning)
    _ = try life.done(morning, at: morning)
    let west = life.moved(to: try ZoneFiles().zone(named: "America/Los_Angeles"))
    #expect(west.nextDue == morning + hour * 27)
    let east = west.moved(to: try ZoneFiles().zone(named: "America/New_York"))
    #expect(east.nextDue == morning + hour * 24)
  }

  // MARK: Snooze, done ahead, quiet hours

  @Test func aSnoozeBeginsTheLadderAnew() throws {
    var life = try life("2026-06-01 12:00")
    let noon = try at("2026-06-01 12:00")
    _ = run(&life, until: noon + minute * 30)
    _ = try life.snooze(noon, until: noon + minute * 45, at: noon + minute * 35)
    #expect(
      names(run(&life, until: noon + hour * 3)) == [
        "again notify-1-0", "again notify-1-1", "again notify-1-2", "missed unanswered", "contact",
      ])
    #expect(throws: AnswerError.snoozeOutOfRange) { try life.snooze(noon, until: noon, at: noon) }
    #expect(throws: AnswerError.noSuchOccurrence) {
      try life.snooze(noon, until: noon + hour * 5, at: noon + hour * 4)
    }
  }

  @Test func whatIsDoneAheadIsNotSent() throws {
    var life = try life("2026-06-01 12:00", "FREQ=DAILY")
    let noon = try at("2026-06-01 12:00")
    #expect(try names(life.done(noon, at: noon - hour)) == ["done"])
    #expect(try life.done(noon, at: noon - hour) == [])
    #expect(throws: AnswerError.alreadyDone) {
      try life.snooze(noon, until: noon + hour, at: noon)
    }
    #expect(life.advance(to: noon) == [])
    #expect(life.nextDue == noon + hour * 24)
    #expect(throws: AnswerError.noSuchOccurrence) { try life.done(noon + minute, at: noon) }
  }

  @Test func quietHoursHoldBackAllButMedicine() throws {
    var tea = try life("2026-06-01 23:00", "FREQ=HOURLY;COUNT=4")
    let events = run(&tea, until: try at("2026-06-02 06:59"))
    #expect(events == [])
    #expect(tea.nextDue == (try at("2026-06-02 07:00")))
    #expect(
      names(tea.advance(to: try at("2026-06-02 07:00"))) == [
        "missed quietHours", "missed quietHours", "missed quietHours", "sent",
      ])
    var pill = try life("2026-06-01 23:00", medicine: true)
    #expect(pill.nextDue == (try at("2026-06-01 23:00")))
    #expect(names(pill.advance(to: try at("2026-06-01 23:00"))) == ["sent"])
  }

  @Test func quietHoursSwallowTheSecondAsking() throws {
    var life = try life("2026-06-01 21:55")
    let sent = try at("2026-06-01 21:55")
    #expect(names(run(&life, until: sent + hour * 9)) == ["sent", "missed unanswered"])
    // The contact is told in the morning.
    #expect(life.nextDue == (try at("2026-06-02 07:00")))
    #expect(names(life.advance(to: try at("2026-06-02 07:00"))) == ["contact"])
  }

  @Test func aYearOfDowntimeOfAReminderEverySecondCostsAMoment() throws {
    var life = try life("2025-06-01 12:00", "FREQ=SECONDLY", medicine: true, cursor: "2025-06-01")
    let events = life.advance(to: try at("2026-06-01 12:00"))
    #expect(events.count <= ReminderLife.missedOneByOne + 3)
    #expect(names(events).last == "sent")
    #expect(names(events).filter { $0 == "skipped" }.count == 1)
  }

  // MARK: Whatever happens

  /// Ticks that nobody asked for change nothing: what happens depends on time alone.
  @Test(arguments: ["FREQ=HOURLY", "FREQ=MINUTELY;INTERVAL=25", "FREQ=DAILY;BYHOUR=6,12,21,23"])
  func ticksInBetweenChangeNothing(_ rule: String) throws {
    var generator = SeededGenerator(seed: 3)
    for medicine in [true, false] {
      var asked = try life("2026-06-01 12:00", rule, medicine: medicine)
      var pestered = asked
      var now = try at("2026-06-01 11:00")
      let end = now + hour * 26
      var events: [LifeEvent] = []
      while now < end {
        let step = minute * Int.random(in: 1...7, using: &generator)
        let next = pestered.nextDue ?? end
        if next > now + step {
          now = now + step
          #expect(pestered.advance(to: now) == [], "\(now)")
        } else {
          now = next
          events += pestered.advance(to: now)
        }
      }
      #expect(events == run(&asked, until: now))
    }
  }

  /// Clocks that jump, answers at any time, restarts: no key comes twice, every occurrence is
  /// decided once, and no call sends more than one.
  @Test func nothingIsSentTwiceAndNothingIsLost() throws {
    let rules = [
      "FREQ=HOURLY", "FREQ=MINUTELY;INTERVAL=15", "FREQ=DAILY;BYHOUR=2,8,20",
      "FREQ=MINUTELY;INTERVAL=50",
    ]
    for seed in 0..<24 {
      var generator = SeededGenerator(seed: UInt64(seed))
      let first = try life(
        "2026-03-06 12:00", rules[seed % 4], medicine: seed % 3 == 0, cursor: "2026-03-06 00:00")
      var life = first
      var now = try at("2026-03-06 11:30")
      var keys: Set<StepKey> = []
      var decided: [Instant: Int] = [:]
      var sent: Set<Instant> = []
      var ahead: Set<Instant> = []
      for _ in 0..<120 {
        var events: [LifeEvent] = []
        switch Int.random(in: 0..<10, using: &generator) {
        case 0: now = now + hour * Int.random(in: 1...30, using: &generator)
        case 1: now = now - minute * Int.random(in: 1...90, using: &generator)
        case 2:
          if let open = life.progress.open { events = try life.done(open.due, at: now) }
        case 3:
          if let open = life.progress.open {
            let until = now + minute * Int.random(in: 1...120, using: &generator)
            events = try life.snooze(open.due, until: until, at: now)
          }
        case 4:
          if let next = life.plan.schedule
            .occurrences(in: life.plan.zone, after: life.progress.cursor).first(where: { _ in true }
            )
          {
            events = try life.done(next.instant, at: now)
            ahead.insert(next.instant)
          }
        default: now = max(now, life.nextDue ?? now)
        }
        let due = life.advance(to: now)
        #expect(due.filter { if case .sent = $0 { true } else { false } }.count <= 1)
        #expect(life.advance(to: now) == [])
        for event in events + due {
          switch event {
          case .sent(let key, _), .sentAgain(let key), .missed(let key, _), .contact(let key):
            let isFirst = keys.insert(key).inserted
            // A snooze of what was missed may have it missed, and told, once more.
            if !isFirst, case .notify = key.step { Issue.record("seed \(seed): \(key.text) again") }
            if case .sent = event {
              decided[key.occurrence, default: 0] += 1
              sent.insert(key.occurrence)
            } else if case .missed = event, !sent.contains(key.occurrence) {
              decided[key.occurrence, default: 0] += 1
            }
          default: break
          }
        }
        life = ReminderLife(plan: life.plan, progress: life.progress)
      }
      let all = first.plan.schedule.occurrences(in: first.plan.zone, after: first.progress.cursor)
        .prefix { $0.instant <= life.progress.cursor }
      for occurrence in all where !ahead.contains(occurrence.instant) {
        if decided[occurrence.instant] != 1 {
          Issue.record(
            "seed \(seed): \(occurrence.instant) was decided \(decided[occurrence.instant] ?? 0) times"
          )
        }
      }
    }
  }
}
