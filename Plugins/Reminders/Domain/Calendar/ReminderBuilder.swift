import KithTime

/// Makes a reminder of the lines of a VEVENT or VTODO.
struct ReminderBuilder {
  private let lines: [ContentLine]
  private let line: Int
  private let isTask: Bool
  private let named: (String) -> (name: String, zone: Zone)?
  /// The zone of the start.
  private var zone: Zone?

  init(
    _ lines: [ContentLine], line: Int, isTask: Bool,
    zone: @escaping (String) -> (name: String, zone: Zone)?
  ) {
    self.lines = lines
    self.line = line
    self.isTask = isTask
    named = zone
  }

  /// The reminder; nil for one that was cancelled.
  mutating func reminder(alarms: [Duration]) throws(CalendarProblem) -> CalendarReminder? {
    let status = first("STATUS")?.value.uppercased()
    if status == "CANCELLED" { return nil }
    if let override = first("RECURRENCE-ID") {
      throw CalendarProblem(
        override.line,
        "one occurrence of a series is changed by it, which is not read; change that one by hand")
    }
    guard let startLine = first("DTSTART") ?? (isTask ? first("DUE") : nil) else {
      throw CalendarProblem(line, "\(isTask ? "DTSTART or DUE" : "DTSTART") is missing")
    }
    let start = try time(of: startLine, startLine.value)
    zone = start.zone?.zone
    var schedule = Schedule(start: start.wall, rule: try rule())
    schedule.additions = try dates("RDATE").map(\.wall)
    schedule.exclusions = try dates("EXDATE").map {
      $0.isDay ? .day($0.wall.date) : .time($0.wall)
    }
    if first("X-KITH-POLICY")?.value.uppercased() == "ELAPSED" { schedule.policy = .elapsed }
    return CalendarReminder(
      uid: first("UID")?.text ?? "", text: first("SUMMARY")?.text ?? "",
      notes: first("DESCRIPTION")?.text ?? "", schedule: schedule, zone: start.zone?.name,
      isAllDay: start.isDay, isTask: isTask, isDone: isTask && status == "COMPLETED",
      isMedicine: first("X-KITH-KIND")?.value.uppercased() == "MEDICINE", alarms: alarms)
  }

  private func first(_ name: String) -> ContentLine? { lines.first { $0.name == name } }

  private func rule() throws(CalendarProblem) -> RecurrenceRule? {
    let rules = lines.filter { $0.name == "RRULE" }
    if rules.count > 1 {
      throw CalendarProblem(rules[1].line, "there is a second RRULE; expected is one")
    }
    if let exclusion = first("EXRULE") {
      throw CalendarProblem(
        exclusion.line, "EXRULE is not read, as RFC 5545 has it no more; expected is EXDATE")
    }
    guard let line = rules.first else { return nil }
    do throws(RecurrenceRuleError) {
      return try RecurrenceRule(parsing: line.value)
    } catch {
      throw CalendarProblem(line.line, "RRULE: \(error)")
    }
  }

  // MARK: Times

  private struct Time {
    var wall: CivilDateTime
    var isDay = false
    var zone: (name: String, zone: Zone)?
  }

  private func time(of line: ContentLine, _ value: some StringProtocol) throws(CalendarProblem)
    -> Time
  {
    if let date = BasicFormat.date(value) {
      return Time(wall: date.at(DayPart.morning.due), isDay: true)
    }
    if value.hasSuffix("Z"), let utc = BasicFormat.dateTime(value.dropLast()) {
      return Time(wall: utc, zone: ("UTC", .utc))
    }
    guard let wall = BasicFormat.dateTime(value) else {
      throw CalendarProblem(
        line.line,
        "\(line.name) is '\(value.prefix(40))'; expected is 20261231, 20261231T080000 or 20261231T080000Z"
      )
    }
    guard let id = line.parameters["TZID"] else { return Time(wall: wall) }
    guard let zone = named(id) else {
      throw CalendarProblem(
        line.line,
        "there is no time zone '\(id.prefix(60))'; expected is an IANA name such as America/New_York"
      )
    }
    return Time(wall: wall, zone: zone)
  }

  /// The dates of all lines of a name, on the walls of the start's zone.
  private func dates(_ name: String) throws(CalendarProblem) -> [Time] {
    var times: [Time] = []
    for line in lines where line.name == name {
      for value in line.value.split(separator: ",") {
        // Of a period its start.
        let begin = value.split(separator: "/").first ?? value
        var time = try time(of: line, begin)
        if let own = time.zone?.zone, let zone, own != zone {
          time.wall = zone.civil(at: own.instant(of: time.wall))
        }
        times.append(time)
        guard times.count <= CalendarReader.mostDates else {
          throw CalendarProblem(
            line.line, "there are more than \(CalendarReader.mostDates) dates of \(name)")
        }
      }
    }
    return times
  }
}
