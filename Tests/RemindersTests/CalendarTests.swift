import KithTime
import RemindersDomain
import Testing

/// Calendar files: what is written comes back, what is wrong is told with its line, what is hostile
/// costs little.
@Suite struct CalendarTests {
  private let zones: @Sendable (String) -> Zone? = { try? ZoneFiles().zone(named: $0) }

  private func read(_ text: String) throws -> CalendarReader.Result {
    try CalendarReader(zone: zones).read(Array(text.utf8))
  }

  /// A calendar with one event of these lines, which begin at line 3.
  private func event(_ lines: String...) throws -> CalendarReader.Result {
    try read(
      (["BEGIN:VCALENDAR", "BEGIN:VEVENT"] + lines + ["END:VEVENT", "END:VCALENDAR", ""])
        .joined(separator: "\r\n"))
  }

  private func reminders() throws -> [CalendarReminder] {
    let start = try wall("2026-03-01 08:30")
    var daily = Schedule(
      start: start, rule: try RecurrenceRule(parsing: "FREQ=DAILY;UNTIL=20270301T133000Z"))
    daily.exclusions = [.day(try day("2026-03-05")), .time(try wall("2026-03-08 08:30"))]
    daily.additions = [try wall("2026-03-06 12:00"), try wall("2026-03-07 12:00")]
    var hours = Schedule(start: start, rule: try RecurrenceRule(parsing: "FREQ=HOURLY;INTERVAL=8"))
    hours.policy = .elapsed
    return [
      CalendarReminder(
        uid: "1@kith", text: "Pills; blue, white\\red\nwith water", notes: "ask \"Dr. Müller\"",
        schedule: daily, zone: "America/New_York", isMedicine: true,
        alarms: [.zero, .seconds(-900), .seconds(90_061)]),
      CalendarReminder(uid: "2@kith", text: "antibiotic", schedule: hours, zone: "Asia/Kathmandu"),
      CalendarReminder(
        uid: "3@kith", text: "water 🌱" + String(repeating: "grün ", count: 60),
        schedule: Schedule(start: try wall("2026-04-01 08:00")), isAllDay: true, alarms: []),
      CalendarReminder(
        uid: "4@kith", text: "", schedule: Schedule(start: start), zone: "UTC", isTask: true,
        isDone: true),
      CalendarReminder(uid: "5@kith", text: "floats", schedule: Schedule(start: start)),
    ]
  }

  @Test func whatIsWrittenComesBack() throws {
    let reminders = try reminders()
    let text = CalendarWriter(zone: zones).file(
      of: reminders, stamp: Instant(milliseconds: 1_772_000_000_000))
    let result = try read(text)
    #expect(result.problems == [])
    #expect(result.reminders == reminders)
    for line in text.utf8.split(separator: 10) {
      #expect(line.last == 13)
      #expect(line.count <= 76)
      #expect(String(validating: Array(line), as: UTF8.self) != nil)
    }
    #expect(text.contains("BEGIN:VTIMEZONE\r\nTZID:America/New_York\r\n"))
    #expect(text.contains("DTSTART:20260308T020000\r\nTZOFFSETFROM:-0500\r\nTZOFFSETTO:-0400"))
    #expect(text.contains("TZOFFSETTO:+0545"))
  }

  @Test func whatOthersWriteIsRead() throws {
    let result = try read(
      """
      BEGIN:VCALENDAR
      VERSION:2.0
      BEGIN:VTIMEZONE
      TZID:Eastern Standard Time
      X-LIC-LOCATION:America/New_York
      BEGIN:STANDARD
      DTSTART:16010101T020000
      END:STANDARD
      END:VTIMEZONE
      begin:vevent
      uid:a
      DTSTART;TZID="Eastern Standard Time":20260308T0230
       00
      SUMMARY;LANGUAGE=en:Call\\, write\\; an
      \td wait\\nthen go
      EXDATE:20260309T063000Z
      RRULE:FREQ=DAILY;COUNT=3
      BEGIN:VALARM
      TRIGGER;RELATED=START:-PT15M
      END:VALARM
      BEGIN:VALARM
      TRIGGER;VALUE=DATE-TIME:20260308T000000Z
      END:VALARM
      X-UNKNOWN;X="a:b;c":whatever
      END:vevent
      BEGIN:VTODO
      DUE;TZID=/example.org/20260101/Europe/Berlin:20260401T120000
      END:VTODO
      BEGIN:VEVENT
      DTSTART:20260401T120000
      STATUS:CANCELLED
      END:VEVENT
      BEGIN:VJOURNAL
      DTSTART:nonsense
      END:VJOURNAL
      END:VCALENDAR
      """)
    #expect(result.problems == [])
    let event = try #require(result.reminders.first)
    #expect(event.text == "Call, write; and wait\nthen go")
    #expect(event.zone == "America/New_York")
    #expect(event.alarms == [.seconds(-900)])
    #expect(event.schedule.exclusions == [.time(try wall("2026-03-09 02:30"))])
    #expect(
      try instants(event.schedule, in: "America/New_York") == [
        "2026-03-08T07:30:00Z", "2026-03-10T06:30:00Z",
      ])
    #expect(result.reminders.count == 2)
    #expect(result.reminders.last?.zone == "Europe/Berlin")
    #expect(result.reminders.last?.isTask == true)
  }

  @Test(arguments: [
    ("DTSTART:2026-03-08", 3, "DTSTART"),
    ("DTSTART;TZID=Mars/Base:20260308T080000", 3, "Mars/Base"),
    ("SUMMARY:no start", 2, "DTSTART is missing"), ("nonsense", 3, "no line of a calendar"),
    ("DTSTART;VALUE:20260308", 3, "parameter"), ("DTSTART:20260230T080000", 3, "20260230T080000"),
    ("DTSTART:20260308\r\nRRULE:FREQ=DAILY;BYHOUR=99", 4, "BYHOUR"),
    ("DTSTART:20260308\r\nRRULE:FREQ=DAILY\r\nRRULE:FREQ=DAILY", 5, "second RRULE"),
    ("DTSTART:20260308\r\nEXRULE:FREQ=DAILY", 4, "EXRULE"),
    ("DTSTART:20260308\r\nEXDATE:soon", 4, "EXDATE"),
    ("DTSTART:20260308\r\nRECURRENCE-ID:20260308", 4, "by hand"),
    ("DTSTART:20260308\r\nBEGIN:VALARM\r\nTRIGGER:soon\r\nEND:VALARM", 5, "TRIGGER"),
    ("SUMMARY:a\r\n b\r\n c\r\nDTSTART:x", 6, "DTSTART"),
  ])
  func aProblemNamesItsLine(_ lines: String, _ line: Int, _ words: String) throws {
    let result = try event(lines)
    #expect(result.reminders == [])
    let problem = try #require(result.problems.first)
    #expect(problem.line == line)
    #expect(problem.reason.contains(words), "\(problem)")
    #expect(problem.description.hasPrefix("line \(line): "))
  }

  @Test func aProblemLeavesTheOthersAlone() throws {
    let result = try read(
      "BEGIN:VCALENDAR\nBEGIN:VEVENT\nDTSTART:bad\nEND:VEVENT\nBEGIN:VEVENT\nDTSTART:20260308\n"
        + "END:VEVENT\nEND:VCALENDAR\n")
    #expect(result.reminders.count == 1)
    #expect(result.problems.map(\.line) == [3])
  }

  @Test func whatIsNoCalendarIsRefused() {
    for text in ["", "hello", "BEGIN:VCARD", "\u{0}\u{1}", "END:VCALENDAR"] {
      #expect(throws: CalendarProblem.self) { try read(text) }
    }
    #expect(throws: CalendarProblem.self) {
      try CalendarReader(zone: zones).read(
        [UInt8](repeating: 65, count: CalendarReader.largestFile + 1))
    }
  }

  @Test func hostileFilesCostLittle() throws {
    let begin = "BEGIN:VCALENDAR\n"
    let deep = try read(begin + String(repeating: "BEGIN:VEVENT\n", count: 50_000))
    #expect(deep.reminders == [])
    #expect(deep.problems.count <= CalendarReader.mostProblems + 1)
    let long = try read(begin + "SUMMARY:" + String(repeating: "a\n b", count: 300_000))
    #expect(long.problems.first?.reason.contains("too long") == true)
    let many = try read(
      begin + String(repeating: "BEGIN:VEVENT\nDTSTART:20260308\nEND:VEVENT\n", count: 10_050))
    #expect(many.reminders.count == CalendarReader.mostReminders)
    #expect(many.problems.count == 1)
    let dates = String(repeating: "20260308T080000,", count: 3000)
    let excepted = try event(
      "DTSTART:20260308T080000", "EXDATE:\(dates)", "EXDATE:\(dates)", "EXDATE:\(dates)",
      "EXDATE:\(dates)")
    #expect(excepted.reminders == [])
    #expect(excepted.problems.first?.line == 7)
  }

  @Test func anyBytesAreReadOrNot() throws {
    let text = CalendarWriter(zone: zones).file(of: try reminders(), stamp: Instant(seconds: 0))
    var generator = SeededGenerator(seed: 11)
    for _ in 0..<300 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...20, using: &generator) {
        let index = Int.random(in: 16..<bytes.count, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.remove(at: index)
        default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
        }
      }
      _ = try? CalendarReader(zone: zones).read(bytes)
    }
  }
}
