import Glibc
import KithAccess
import KithRPC
import KithStore
import KithTesting
import KithTime
import KithWire
import RemindersContract
import Testing

@testable import RemindersService

/// The service over a real store. Numbers in names are those of the edge cases that reminders are
/// accepted by.
@Suite struct RemindersServiceTests {
  private func code(_ body: () async throws -> some Sendable) async -> StatusCode? {
    do {
      _ = try await body()
      return nil
    } catch {
      return (error as? any RPCErrorConvertible)?.rpcError.code ?? (error as? RPCError)?.code
        ?? .unknown
    }
  }

  // MARK: Making

  @Test func wordsBecomeAReminder() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Pills at 8 pm")
    #expect(reminder.text == "Pills" && reminder.userId == "me" && reminder.kind == .medicine)
    #expect(
      reminder.schedule
        == Schedule(start: "2026-11-21T20:00:00", zone: "America/New_York", policy: .wall))
    #expect(reminder.nextDueMs == Int64(try newYork("2026-11-21 20:00").milliseconds))
    #expect(reminder.state == .active && reminder.alternatives.isEmpty)
    let call = try await desk.add("remind me to call Ann tomorrow at 9")
    #expect(call.text == "call Ann" && call.kind == .ordinary)
    #expect(call.alternatives.map(\.start) == ["2026-11-22T21:00:00"])
    #expect(try await desk.get(reminder.id) == reminder)
  }

  @Test(arguments: [
    ("laughing out loud", "text"), ("call Ann yesterday at 5 pm", "text"), ("", "text"),
    (String(repeating: "x", count: 2049), "text"),
  ])
  func wordsWithoutATimeAreRefused(_ text: String, _ field: String) async throws {
    let desk = try Desk("2026-11-21 12:00")
    let error = await #expect(throws: RPCError.self) { try await desk.add(text) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.fieldViolations.map(\.field) == [field])
    // Nothing of what a person wrote.
    #expect(error?.message.contains("Ann") == false)
  }

  @Test func ambiguousWordsAreRefusedWhereThatIsAskedFor() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let request = CreateReminderRequest(text: "Pills tomorrow at 8", refuseAmbiguous: true)
    #expect(
      await code { try await desk.service.createReminder(request, context: desk.call()) }
        == .failedPrecondition)
    #expect(try await desk.service.listReminders(.init(), context: desk.call()).activeCount == 0)
  }

  @Test func case14WordsAndFieldsThatDisagreeAreRefused() async throws {
    let desk = try Desk("2026-11-21 12:00")
    func make(_ text: String, _ when: String) async throws -> Reminder {
      try await desk.service.createReminder(
        CreateReminderRequest(text: text, whenIso: when), context: desk.call())
    }
    let error = await #expect(throws: RPCError.self) {
      try await make("Pills at 8 pm", "2026-11-21T21:00:00-05:00")
    }
    #expect(error?.code == .invalidArgument)
    #expect(error?.message.contains("text and when_iso") == true)
    // The same instant in another place's offset is no disagreement, nor are words without a time.
    #expect(
      try await make("Pills at 8 pm", "2026-11-22T02:00:00+01:00").schedule?.start
        == "2026-11-21T20:00:00")
    #expect(
      try await make("Pills", "2026-11-22T02:00:00+01:00").schedule?.start
        == "2026-11-21T20:00:00")
    #expect(await code { try await make("Pills", "tomorrow") } == .invalidArgument)
    #expect(await code { try await make("Pills", "2020-11-22T02:00:00Z") } == .invalidArgument)
  }

  @Test func fieldsAreCheckedByName() async throws {
    let desk = try Desk("2026-11-21 12:00")
    func field(_ schedule: Schedule, ladder: Ladder? = nil) async throws -> String? {
      let error = await #expect(throws: RPCError.self) {
        try await desk.service.createReminder(
          CreateReminderRequest(text: "Pills", schedule: schedule, ladder: ladder),
          context: desk.call())
      }
      return error?.fieldViolations.first?.field
    }
    let start = "2027-01-01T08:00:00"
    #expect(try await field(Schedule(start: "8 pm")) == "schedule.start")
    #expect(try await field(Schedule(start: start, zone: "Mars/Here")) == "schedule.zone")
    #expect(try await field(Schedule(start: start, rule: "FREQ=NEVER")) == "schedule.rule")
    #expect(
      try await field(Schedule(start: start, additions: ["2027"])) == "schedule.additions")
    #expect(
      try await field(Schedule(start: start, policy: Policy(rawValue: 9))) == "schedule.policy")
    #expect(
      try await field(Schedule(start: start), ladder: Ladder(repeatsMs: [5, 3]))
        == "ladder.repeats_ms")
    #expect(
      try await field(Schedule(start: start), ladder: Ladder(contactAfterMs: 5))
        == "ladder.contact_after_ms")
  }

  @Test(arguments: [
    "FREQ=SECONDLY;COUNT=1000000000;BYSECOND=1,59", "FREQ=SECONDLY;COUNT=1000000000",
    "FREQ=MINUTELY;COUNT=1000000000", "FREQ=SECONDLY;INTERVAL=30",
    "FREQ=DAILY;BYSECOND=0,1;BYHOUR=8",
  ])
  func aRuleIsNoMoreThanReminders(_ rule: String) async throws {
    let desk = try Desk("2026-11-21 12:00")
    let schedule = Schedule(start: "1970-01-01T10:00:00", rule: rule)
    let error = await #expect(throws: RPCError.self) {
      try await desk.service.createReminder(
        CreateReminderRequest(text: "h", schedule: schedule), context: desk.call())
    }
    #expect(error?.fieldViolations.map(\.field) == ["schedule.rule"])
    let reminder = try await desk.add("Tea at 3 pm")
    #expect(
      await code {
        try await desk.service.updateReminder(
          UpdateReminderRequest(id: reminder.id, schedule: schedule), context: desk.call())
      } == .invalidArgument)
    let file =
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:19700101T100000\nRRULE:\(rule)\nEND:VEVENT\n"
      + "END:VCALENDAR\n"
    let answer = try await desk.service.importCalendar(
      ImportCalendarRequest(calendar: Array(file.utf8)), context: desk.call())
    #expect(answer.importedCount == 0 && answer.problems.count == 1)
  }

  @Test func aRepeatUnderItsKeyMakesNoSecondReminder() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let request = CreateReminderRequest(text: "Pills at 8 pm")
    let first = try await desk.service.createReminder(request, context: desk.call(key: "k"))
    #expect(
      try await desk.service.createReminder(request, context: desk.call(key: "k")) == first)
    let other = CreateReminderRequest(text: "Tea at 8 pm")
    #expect(
      await code { try await desk.service.createReminder(other, context: desk.call(key: "k")) }
        == .invalidArgument)
    // Another person's key of the same text is another key.
    let theirs = try await desk.service.createReminder(
      request, context: desk.call(as: "ada", key: "k"))
    #expect(theirs.id != first.id && theirs.userId == "ada")
    // What failed was not carried out, and may be tried again.
    let past = CreateReminderRequest(text: "Tea yesterday at 8 pm")
    for _ in 0..<2 {
      #expect(
        await code { try await desk.service.createReminder(past, context: desk.call(key: "p")) }
          == .invalidArgument)
    }
    #expect(try await desk.service.listReminders(.init(), context: desk.call()).activeCount == 1)
  }

  @Test func case18AsManyActiveOnesAsThePlanAllows() async throws {
    let desk = try Desk("2026-11-21 12:00", settings: RemindersSettings(activeLimit: 3))
    let first = try await desk.add("Tea at 3 pm")
    for _ in 0..<2 { _ = try await desk.add("Pills every day at 8 pm") }
    #expect(await code { try await desk.add("Bed at 10 pm") } == .resourceExhausted)
    _ = try await desk.service.completeOccurrence(
      CompleteOccurrenceRequest(reminderId: first.id), context: desk.call())
    let fourth = try await desk.add("Bed at 10 pm")
    #expect(await code { try await desk.add("Bed at 11 pm") } == .resourceExhausted)
    // To go on with one that was stopped takes a place too.
    _ = try await desk.service.updateReminder(
      UpdateReminderRequest(id: fourth.id, state: .paused), context: desk.call())
    _ = try await desk.add("Bed at 11 pm")
    #expect(
      await code {
        try await desk.service.updateReminder(
          UpdateReminderRequest(id: fourth.id, state: .active), context: desk.call())
      } == .resourceExhausted)
  }

  // MARK: Whose

  @Test func nobodySeesSomebodyElsesReminders() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let adas = try await desk.add("Pills at 8 pm", as: "ada")
    let service = desk.service
    func asBob(_ body: (CallContext) async throws -> some Sendable) async -> StatusCode? {
      await code { try await body(try desk.call(as: "bob")) }
    }
    #expect(
      await asBob { try await service.getReminder(.init(id: adas.id), context: $0) } == .notFound)
    #expect(
      await asBob { try await service.updateReminder(.init(id: adas.id, text: "x"), context: $0) }
        == .notFound)
    #expect(
      await asBob { try await service.completeOccurrence(.init(reminderId: adas.id), context: $0) }
        == .notFound)
    #expect(
      await asBob { try await service.listReminders(.init(userId: "ada"), context: $0) }
        == .permissionDenied)
    #expect(
      await asBob {
        try await service.createReminder(.init(userId: "ada", text: "x at 8 pm"), context: $0)
      } == .permissionDenied)
    #expect(
      await asBob { try await service.exportCalendar(.init(userId: "ada"), context: $0) }
        == .permissionDenied)
    // To delete what one cannot see is no error, and deletes nothing.
    #expect(
      await asBob { try await service.deleteReminder(.init(id: adas.id), context: $0) } == nil)
    #expect(try await desk.get(adas.id).text == "Pills")
    let stranger = CallContext(method: RemindersMethods.listReminders)
    #expect(
      await code { try await service.listReminders(.init(), context: stranger) }
        == .permissionDenied)
  }

  @Test func nothingPersonalIsInTheFile() async throws {
    let desk = try Desk("2026-11-21 12:00")
    _ = try await desk.service.createReminder(
      CreateReminderRequest(text: "Xyloparin tablets at 3 pm", notes: "Quuxbury Lane"),
      context: desk.call(key: "k"))
    try await desk.pass(to: "2026-11-21 18:00")
    try desk.store.close()
    for name in TemporaryFolder.names(in: desk.folder.path) {
      let text = TemporaryFolder.text(of: "\(desk.folder.path)/\(name)") ?? ""
      for word in ["Xyloparin", "Quuxbury"] { #expect(!text.contains(word), "\(name)") }
    }
  }

  // MARK: Life

  @Test func anUnansweredReminderClimbsTheLadder() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Tea at 3 pm")
    try await desk.pass(to: "2026-11-21 18:00")
    #expect(
      try await desk.events() == [
        "sent 15:00", "again 15:00 at 15:10", "again 15:00 at 15:20", "missed 15:00 UNANSWERED",
        "contact at 16:00",
      ])
    #expect(try await desk.get(reminder.id).state == .finished)
    #expect(try await desk.history() == [.missed])
  }

  @Test func case6WhoFliesIsRemindedByTheWallOrByTheTimeThatPassed() async throws {
    let desk = try Desk("2026-11-21 07:00")
    let wall = try await desk.add("Pills every day at 8 am")
    let elapsed = try await desk.add("Drops every 8 hours")
    try await desk.pass(to: "2026-11-21 09:00")
    _ = try await desk.service.completeOccurrence(
      CompleteOccurrenceRequest(reminderId: wall.id), context: desk.call())
    let before = try await desk.get(elapsed.id).nextDueMs
    _ = try await desk.service.updatePreferences(
      UpdatePreferencesRequest(zone: "America/Los_Angeles"), context: desk.call())
    // 8 in Los Angeles is still to come today, and was answered at 8 in New York already.
    #expect(
      try await desk.get(wall.id).nextDueMs
        == Int64(newYork("2026-11-22 11:00").milliseconds))
    #expect(try await desk.get(elapsed.id).nextDueMs == before)
    #expect(
      try await desk.service.getPreferences(.init(), context: desk.call()).zone
        == "America/Los_Angeles")
  }

  @Test func case7AnotherEditionOfTzdataMovesWhatIsNotSentYet() async throws {
    let system = "/usr/share/zoneinfo/America"
    let places = try TemporaryFolder()
    func publish(_ edition: String, _ rules: String) throws {
      mkdir("\(places.path)/America", 0o755)
      unlink("\(places.path)/America/New_York")
      try #require(symlink("\(system)/\(rules)", "\(places.path)/America/New_York") == 0)
      try places.write("# version \(edition)\n", to: "tzdata.zi")
    }
    try publish("2026a", "New_York")
    let desk = try Desk(
      "2026-11-21 07:00", zones: Zones(ZoneFiles(directory: places.path)))
    let reminder = try await desk.add("Tea at 3 pm")
    #expect(reminder.tzdataVersion == "2026a")
    // As if New York had decided to keep the time of Chicago.
    try publish("2026b", "Chicago")
    try await desk.pass(to: "2026-11-21 08:00")
    try await desk.due.run(at: desk.now)
    try await desk.settle()
    let moved = try await desk.get(reminder.id)
    #expect(moved.tzdataVersion == "2026b")
    #expect(moved.nextDueMs == Int64(try newYork("2026-11-21 16:00").milliseconds))
    try await desk.pass(to: "2026-11-21 16:05")
    #expect(try await desk.events() == ["sent 16:00"])
  }

  @Test func case8DownForThreeHoursTellsOneLateAndNoStorm() async throws {
    let desk = try Desk("2026-11-21 07:00")
    _ = try await desk.service.createReminder(
      CreateReminderRequest(
        text: "Drink", schedule: Schedule(start: "2026-11-21T08:00:00", rule: "FREQ=HOURLY")),
      context: desk.call())
    try await desk.jump(to: "2026-11-21 11:20")
    #expect(
      try await desk.events() == [
        "missed 08:00 DOWNTIME", "missed 09:00 DOWNTIME", "missed 10:00 DOWNTIME",
        "late 11:00 at 11:20",
      ])
  }

  @Test func case9WhatWasSentIsNotSentAgainByTheNextProcess() async throws {
    let desk = try Desk("2026-11-21 12:00")
    _ = try await desk.add("Tea at 3 pm")
    try await desk.pass(to: "2026-11-21 15:00")
    try desk.store.close()
    let next = try Desk("2026-11-21 15:01", beside: desk)
    try await next.settle()
    #expect(try await next.events() == ["sent 15:00"])
  }

  @Test func case10AClockThatIsSetBackSendsNothingAgain() async throws {
    let desk = try Desk("2026-11-21 12:00")
    _ = try await desk.add("Tea every day at 3 pm")
    try await desk.pass(to: "2026-11-21 15:05")
    try await desk.jump(to: "2026-11-21 14:05")
    try await desk.pass(to: "2026-11-21 15:09")
    #expect(try await desk.events() == ["sent 15:00"])
    // A day forward is a downtime.
    try await desk.jump(to: "2026-11-23 15:10")
    #expect(
      try await desk.events() == [
        "sent 15:00", "missed 15:00 DOWNTIME", "missed 15:00 UNANSWERED", "contact at 15:10",
        "late 15:00 at 15:10",
      ])
  }

  @Test func case11TwoWorkersSendOneReminderOnce() async throws {
    let first = try Desk("2026-11-21 12:00")
    let second = try Desk("2026-11-21 12:00", beside: first)
    for _ in 0..<300 { _ = try await first.add("Tea at 3 pm") }
    async let one: Void = first.jump(to: "2026-11-21 15:00")
    async let other: Void = second.jump(to: "2026-11-21 15:00")
    _ = try await (one, other)
    #expect(try await first.events().count == 300)
  }

  @Test func case12WhatIsDoneAfterItWasMissedIsDoneLate() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Tea at 3 pm")
    try await desk.pass(to: "2026-11-21 17:00")
    let done = try await desk.service.completeOccurrence(
      CompleteOccurrenceRequest(reminderId: reminder.id), context: desk.call())
    #expect(done.state == .doneLate)
    // To say it twice changes nothing.
    #expect(
      try await desk.service.completeOccurrence(
        CompleteOccurrenceRequest(reminderId: reminder.id, dueMs: done.dueMs),
        context: desk.call()) == done)
    #expect(try await desk.events().last == "done late")
  }

  @Test func case13ASnoozePastTheNextOneIsMissed() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.service.createReminder(
      CreateReminderRequest(
        text: "Drink", schedule: Schedule(start: "2026-11-21T13:00:00", rule: "FREQ=HOURLY")),
      context: desk.call())
    try await desk.pass(to: "2026-11-21 13:05")
    let snoozed = try await desk.service.snoozeOccurrence(
      SnoozeOccurrenceRequest(reminderId: reminder.id, forMs: 7_200_000), context: desk.call())
    #expect(snoozed.state == .snoozed)
    try await desk.pass(to: "2026-11-21 14:01")
    #expect(
      try await desk.events() == ["sent 13:00", "snoozed", "missed 13:00 SUPERSEDED", "sent 14:00"]
    )
    #expect(try await desk.history() == [.sent, .missed])
    #expect(
      await code {
        try await desk.service.snoozeOccurrence(
          SnoozeOccurrenceRequest(reminderId: reminder.id, dueMs: snoozed.dueMs),
          context: desk.call())
      } == .notFound)
  }

  @Test func whoNamesNoOccurrenceMeansTheNearest() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Tea every day at 3 pm")
    func done() async throws -> Occurrence {
      try await desk.service.completeOccurrence(
        CompleteOccurrenceRequest(reminderId: reminder.id), context: desk.call())
    }
    // Ahead of time; it is not sent then.
    #expect(try await done().dueMs == Int64(newYork("2026-11-21 15:00").milliseconds))
    try await desk.pass(to: "2026-11-22 17:00")
    #expect(try await desk.events().prefix(2) == ["done", "sent 15:00"])
    // Missed two hours ago rather than due in 22.
    #expect(try await done().state == .doneLate)
    let far = try await desk.add("Tea next month")
    #expect(
      await code {
        try await desk.service.completeOccurrence(
          CompleteOccurrenceRequest(reminderId: far.id), context: desk.call())
      } == .failedPrecondition)
  }

  @Test func manyThatAreDueAtOnceAreAllSentOnce() async throws {
    let desk = try Desk("2026-11-21 12:00")
    for _ in 0..<450 { _ = try await desk.add("Tea at 3 pm") }
    #expect(try await desk.settle() == 0)
    try await desk.jump(to: "2026-11-21 15:00")
    let events = try await desk.events()
    #expect(events.count == 450 && Set(events) == ["sent 15:00"])
  }

  @Test func oneThatCannotBeReadDoesNotHoldUpTheOthers() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let broken = try await desk.add("Tea at 3 pm")
    _ = try await desk.add("Cake at 3 pm")
    try await desk.store.write { transaction in
      try transaction.execute("UPDATE reminder SET start = 'noon' WHERE id = \(broken.id)")
    }
    try await desk.jump(to: "2026-11-21 15:00")
    #expect(try await desk.events() == ["sent 15:00"])
    #expect(desk.unreadable == [broken.id])
  }

  // MARK: Damage

  /// Changes what is kept of a reminder's words.
  private func damage(_ desk: Desk, _ column: String, of id: String) async throws {
    try await desk.store.write { transaction in
      try transaction.execute(
        "UPDATE reminder SET \(name: column) = x'0100000001A5' WHERE id = \(id)")
    }
  }

  @Test func aReminderWhoseWordsAreLostIsMarkedCountedAndSent() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let tea = try await desk.add("Tea at 3 pm")
    let cake = try await desk.add("Cake at 3 pm")
    try await damage(desk, "text_sealed", of: tea.id)
    let service = desk.service
    for words in ["", "cake"] {
      let page = try await service.listReminders(
        ListRemindersRequest(textContains: words), context: desk.call())
      #expect(Set(page.reminders.map(\.id)) == [tea.id, cake.id] && page.damagedCount == 1)
      let marked = page.reminders.filter(\.isDamaged)
      #expect(marked.map(\.id) == [tea.id] && marked[0].text.isEmpty)
      #expect(marked[0].nextDueMs == tea.nextDueMs)
    }
    #expect(await code { try await desk.get(tea.id) } == .dataLoss)
    #expect(try await desk.get(cake.id) == cake)
    let upcoming = try await service.listUpcoming(ListUpcomingRequest(), context: desk.call())
    #expect(upcoming.occurrences.count == 2)
    #expect(upcoming.occurrences.filter(\.isDamaged).map(\.reminderId) == [tea.id])
    let export = try await service.exportCalendar(ExportCalendarRequest(), context: desk.call())
    #expect(export.reminderCount == 1 && export.damagedCount == 1)
    #expect(export.calendar.contains("Cake"))
    try await desk.jump(to: "2026-11-21 15:00")
    #expect(try await desk.events() == ["sent 15:00", "sent 15:00"])
    #expect(desk.unreadable.isEmpty)
    let page = try await desk.store.read { try $0.events(after: EventPosition()) }
    let titles = try page.events.map { try ReminderSent(decoding: $0.payload).push?.title }
    #expect(Set(titles) == ["Cake", "A reminder whose words were lost"])
    // To be answered, mended and removed it need not be whole.
    let done = try await service.completeOccurrence(
      CompleteOccurrenceRequest(reminderId: tea.id), context: desk.call())
    #expect(done.state == .done)
  }

  @Test func newWordsMendAReminderAndItCanBeDeletedUnmended() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let made = try await desk.service.createReminder(
      CreateReminderRequest(text: "Tea at 3 pm", notes: "Green"), context: desk.call())
    try await damage(desk, "text_sealed", of: made.id)
    try await damage(desk, "notes_sealed", of: made.id)
    let half = try await desk.service.updateReminder(
      UpdateReminderRequest(id: made.id, text: "Coffee"), context: desk.call())
    #expect(half.text == "Coffee" && half.notes.isEmpty && half.isDamaged)
    #expect(await code { try await desk.get(made.id) } == .dataLoss)
    let export = try await desk.service.exportCalendar(
      ExportCalendarRequest(), context: desk.call())
    #expect(export.reminderCount == 1 && export.damagedCount == 1)
    let whole = try await desk.service.updateReminder(
      UpdateReminderRequest(id: made.id, notes: "Black"), context: desk.call())
    #expect(!whole.isDamaged && whole.notes == "Black")
    #expect(try await desk.get(made.id) == whole)
    try await damage(desk, "text_sealed", of: made.id)
    _ = try await desk.service.deleteReminder(
      DeleteReminderRequest(id: made.id), context: desk.call())
    #expect(await code { try await desk.get(made.id) } == .notFound)
  }

  // MARK: Changes

  @Test func aNewTimeCountsFromNowOn() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Tea every day at 3 pm")
    try await desk.pass(to: "2026-11-21 15:05")
    let changed = try await desk.service.updateReminder(
      UpdateReminderRequest(
        id: reminder.id,
        schedule: Schedule(start: "2026-11-21T16:00:00", rule: "FREQ=DAILY")),
      context: desk.call())
    #expect(changed.open == nil)
    try await desk.pass(to: "2026-11-21 16:01")
    #expect(try await desk.events() == ["sent 15:00", "sent 16:00"])
    #expect(try await desk.history() == [.sent, .missed])
    // Words alone change nothing of what is open.
    let renamed = try await desk.service.updateReminder(
      UpdateReminderRequest(id: reminder.id, text: "Coffee"), context: desk.call())
    #expect(renamed.text == "Coffee" && renamed.open?.state == .sent)
  }

  @Test func whatWasDueInAPauseIsNotTold() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Tea every day at 3 pm")
    func set(_ state: ReminderState) async throws -> Reminder {
      try await desk.service.updateReminder(
        UpdateReminderRequest(id: reminder.id, state: state), context: desk.call())
    }
    #expect(try await set(.paused).nextDueMs == nil)
    try await desk.pass(to: "2026-11-23 16:00")
    #expect(
      try await set(.active).nextDueMs == Int64(newYork("2026-11-24 15:00").milliseconds))
    #expect(try await desk.events() == [])
    #expect(await code { try await set(.finished) } == .invalidArgument)
  }

  @Test func quietHoursAreKeptForAllButMedicine() async throws {
    let desk = try Desk("2026-11-21 12:00")
    _ = try await desk.add("Tea at 11 pm")
    _ = try await desk.add("Pills at 11:30 pm")
    try await desk.pass(to: "2026-11-22 07:01")
    #expect(
      try await desk.events().filter { $0.hasPrefix("sent") } == ["sent 23:30", "sent 23:00"])
    // Who says they may be disturbed at any time is.
    _ = try await desk.service.updatePreferences(
      UpdatePreferencesRequest(quietHours: QuietHours(from: "09:00", to: "09:00")),
      context: desk.call())
    let tea = try await desk.add("Tea at 11 pm")
    #expect(tea.nextDueMs == Int64(try newYork("2026-11-22 23:00").milliseconds))
    #expect(
      await code {
        try await desk.service.updatePreferences(
          UpdatePreferencesRequest(quietHours: QuietHours(from: "9", to: "24:00")),
          context: desk.call())
      } == .invalidArgument)
  }

  @Test func deletingTakesTheHistoryAlong() async throws {
    let desk = try Desk("2026-11-21 12:00")
    let reminder = try await desk.add("Tea at 3 pm")
    try await desk.pass(to: "2026-11-21 15:05")
    for _ in 0..<2 {
      _ = try await desk.service.deleteReminder(
        DeleteReminderRequest(id: reminder.id), context: desk.call())
    }
    #expect(try await desk.history() == [])
    #expect(await code { try await desk.get(reminder.id) } == .notFound)
    #expect(try await desk.due.nextDue() == nil)
  }

  // MARK: Lists

  @Test func listsGoOnWhereTheirPageEnded() async throws {
    let desk = try Desk("2026-11-21 12:00")
    var made: [String] = []
    for hour in [5, 3, 4, 2, 1] { made.append(try await desk.add("Tea at \(hour) pm").id) }
    _ = try await desk.service.completeOccurrence(
      CompleteOccurrenceRequest(reminderId: made[4]), context: desk.call())
    var (seen, token): ([String], String) = ([], "")
    repeat {
      let page = try await desk.service.listReminders(
        ListRemindersRequest(pageSize: 2, pageToken: token), context: desk.call())
      #expect(page.activeCount == 4 && page.reminders.count <= 2)
      seen += page.reminders.map(\.id)
      token = page.nextPageToken
    } while !token.isEmpty
    // By when they are due; what is finished stands at the end.
    #expect(seen == [made[3], made[1], made[2], made[0], made[4]])
    #expect(
      await code {
        try await desk.service.listReminders(.init(pageToken: "x"), context: desk.call())
      } == .invalidArgument)
  }

  @Test func listsAreFiltered() async throws {
    let desk = try Desk("2026-11-21 12:00")
    for index in 0..<7 {
      _ = try await desk.add(index.isMultiple(of: 3) ? "Blue pills at 3 pm" : "Tea at 3 pm")
    }
    func texts(_ request: ListRemindersRequest) async throws -> [String] {
      try await desk.service.listReminders(request, context: desk.call()).reminders.map(\.text)
    }
    #expect(try await texts(.init(kind: .medicine)).count == 3)
    #expect(try await texts(.init(state: .paused)).isEmpty)
    #expect(try await texts(.init(textContains: "BLUE")).count == 3)
    let page = try await desk.service.listReminders(
      .init(textContains: "tea", pageSize: 3), context: desk.call())
    #expect(page.reminders.count == 3)
    let rest = try await desk.service.listReminders(
      .init(textContains: "tea", pageSize: 3, pageToken: page.nextPageToken),
      context: desk.call())
    #expect(rest.reminders.count == 1 && rest.nextPageToken.isEmpty)
  }

  @Test func upcomingHoldsEachOccurrence() async throws {
    let desk = try Desk("2026-11-21 12:00")
    _ = try await desk.add("Pills every day at 8 am and 8 pm")
    let tea = try await desk.add("Tea tomorrow at 3 pm")
    let upcoming = try await desk.service.listUpcoming(
      ListUpcomingRequest(withinMs: 2 * 86_400_000), context: desk.call())
    #expect(
      upcoming.occurrences.map(\.dueWall) == [
        "2026-11-21T20:00:00", "2026-11-22T08:00:00", "2026-11-22T15:00:00", "2026-11-22T20:00:00",
        "2026-11-23T08:00:00",
      ])
    #expect(upcoming.occurrences[2].reminderId == tea.id && !upcoming.hasMore)
    let two = try await desk.service.listUpcoming(
      ListUpcomingRequest(withinMs: 2 * 86_400_000, pageSize: 2), context: desk.call())
    #expect(two.occurrences == Array(upcoming.occurrences.prefix(2)) && two.hasMore)
  }

  @Test func theWeekIsToldInFiguresAndWords() async throws {
    let desk = try Desk("2026-11-16 07:00")
    let reminder = try await desk.add("Tea every day at 3 pm")
    for day in 16...22 {
      try await desk.pass(to: "2026-11-\(day) 15:05")
      if day < 20 {
        _ = try await desk.service.completeOccurrence(
          CompleteOccurrenceRequest(reminderId: reminder.id), context: desk.call())
      }
    }
    try await desk.pass(to: "2026-11-23 09:00")
    let digest = try await desk.service.getWeeklyDigest(.init(), context: desk.call())
    #expect(digest.firstDay == "2026-11-16" && digest.dueCount == 7)
    #expect(digest.doneCount == 4 && digest.missedCount == 3 && digest.doneLateCount == 0)
    #expect(
      digest.summary == "In the week of Monday, November 16, 7 reminders were due. 4 were done in "
        + "time, 0 late, and 3 were missed.")
  }

  @Test func historyGoesOnWhereItsPageEnded() async throws {
    let desk = try Desk("2026-11-16 07:00")
    _ = try await desk.add("Tea every day at 3 pm")
    try await desk.pass(to: "2026-11-20 18:00")
    var (seen, token): ([Int64], String) = ([], "")
    repeat {
      let page = try await desk.service.listHistory(
        ListHistoryRequest(pageSize: 2, pageToken: token), context: desk.call())
      seen += page.occurrences.map(\.dueMs)
      token = page.nextPageToken
    } while !token.isEmpty
    #expect(seen.count == 5 && seen == seen.sorted(by: >))
  }

  // MARK: Calendars

  @Test func aCalendarGoesOutAndComesBackWithoutDoubling() async throws {
    let desk = try Desk("2026-11-16 07:00")
    _ = try await desk.add("Pills every weekday at 7:30 am")
    let once = try await desk.service.createReminder(
      CreateReminderRequest(text: "Tea at 3 pm", notes: "the green one"), context: desk.call())
    let file = try await desk.service.exportCalendar(.init(), context: desk.call())
    #expect(file.reminderCount == 2)
    let again = try await desk.service.importCalendar(
      ImportCalendarRequest(calendar: Array(file.calendar.utf8)), context: desk.call())
    #expect(again.importedCount == 2 && again.problems.isEmpty)
    #expect(try await desk.service.listReminders(.init(), context: desk.call()).activeCount == 2)
    // Another person's import makes reminders of their own.
    let theirs = try await desk.service.importCalendar(
      ImportCalendarRequest(calendar: Array(file.calendar.utf8)), context: desk.call(as: "ada"))
    #expect(theirs.importedCount == 2)
    for _ in 0..<2 {
      _ = try await desk.service.importCalendar(
        ImportCalendarRequest(calendar: Array(file.calendar.utf8)), context: desk.call(as: "ada"))
    }
    let list = try await desk.service.listReminders(.init(userId: "ada"), context: desk.call())
    #expect(list.reminders.map(\.text).sorted() == ["Pills", "Tea"])
    #expect(list.reminders.first { $0.text == "Tea" }?.notes == "the green one")
    #expect(try await desk.get(once.id).userId == "me")
  }

  @Test func whatACalendarHasThatCannotBeTakenIsTold() async throws {
    let desk = try Desk("2026-11-16 07:00")
    let file = """
      BEGIN:VCALENDAR
      BEGIN:VEVENT
      UID:1
      DTSTART:20200101T080000
      SUMMARY:Long ago
      END:VEVENT
      BEGIN:VEVENT
      UID:2
      DTSTART:20270101T080000
      RRULE:FREQ=SOMETIMES
      END:VEVENT
      END:VCALENDAR
      """
    let answer = try await desk.service.importCalendar(
      ImportCalendarRequest(calendar: Array(file.utf8)), context: desk.call())
    #expect(answer.importedCount == 0 && answer.problems.count == 2)
    #expect(
      await code {
        try await desk.service.importCalendar(
          ImportCalendarRequest(calendar: Array("hello".utf8)), context: desk.call())
      } == .invalidArgument)
  }
}
