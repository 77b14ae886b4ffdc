public import KithTime

/// Writes reminders as a calendar file (RFC 5545) that other programs read, and `CalendarReader`
/// gives back as they were.
public struct CalendarWriter: Sendable {
  private let zone: @Sendable (String) -> Zone?

  /// A writer.
  /// - Parameter zone: the zone of an IANA name; what has none is written without its VTIMEZONE.
  public init(zone: @escaping @Sendable (String) -> Zone?) { self.zone = zone }

  /// The file, in UTF-8 with lines that end in CR LF, folded at 75 bytes.
  /// - Parameter stamp: when it is written (`DTSTAMP`).
  public func file(of reminders: [CalendarReminder], stamp: Instant) -> String {
    var lines = ["BEGIN:VCALENDAR", "VERSION:2.0", "PRODID:-//Kith//Reminders//EN"]
    for name in Set(reminders.compactMap(\.zone)).subtracting(["UTC"]).sorted() {
      let starts = reminders.filter { $0.zone == name }.map(\.schedule.start)
      if let zone = zone(name), let first = starts.min() {
        lines += ZoneComponent.lines(of: zone, named: name, from: first)
      }
    }
    for reminder in reminders { lines += self.lines(of: reminder, stamp: stamp) }
    lines.append("END:VCALENDAR")
    return lines.map { Self.folded($0) + "\r\n" }.joined()
  }

  private func lines(of reminder: CalendarReminder, stamp: Instant) -> [String] {
    let component = reminder.isTask ? "VTODO" : "VEVENT"
    let schedule = reminder.schedule
    let utc = CivilDateTime(wallSeconds: stamp.seconds)
    var lines = [
      "BEGIN:\(component)", "UID:\(Self.escaped(reminder.uid))",
      "DTSTAMP:\(BasicFormat.text(of: utc))Z", "SUMMARY:\(Self.escaped(reminder.text))",
    ]
    if !reminder.notes.isEmpty { lines.append("DESCRIPTION:\(Self.escaped(reminder.notes))") }
    lines.append(time("DTSTART", [schedule.start], reminder))
    if let rule = schedule.rule { lines.append("RRULE:\(rule.text)") }
    if !schedule.additions.isEmpty { lines.append(time("RDATE", schedule.additions, reminder)) }
    lines += exclusions(reminder)
    if schedule.policy == .elapsed { lines.append("X-KITH-POLICY:ELAPSED") }
    if reminder.isMedicine { lines.append("X-KITH-KIND:MEDICINE") }
    if reminder.isDone { lines.append("STATUS:COMPLETED") }
    for alarm in reminder.alarms {
      lines += [
        "BEGIN:VALARM", "ACTION:DISPLAY", "DESCRIPTION:\(Self.escaped(reminder.text))",
        "TRIGGER:\(CalendarDuration.text(of: alarm))", "END:VALARM",
      ]
    }
    return lines + ["END:\(component)"]
  }

  private func exclusions(_ reminder: CalendarReminder) -> [String] {
    var days: [String] = []
    var times: [CivilDateTime] = []
    for exclusion in reminder.schedule.exclusions {
      switch exclusion {
      case .day(let day): days.append(BasicFormat.text(of: day))
      case .time(let time): times.append(time)
      }
    }
    return (days.isEmpty ? [] : ["EXDATE;VALUE=DATE:\(days.joined(separator: ","))"])
      + (times.isEmpty ? [] : [time("EXDATE", times, reminder)])
  }

  private func time(
    _ name: String, _ times: [CivilDateTime], _ reminder: CalendarReminder
  ) -> String {
    func values(_ text: (CivilDateTime) -> String) -> String {
      times.map(text).joined(separator: ",")
    }
    if reminder.isAllDay {
      return "\(name);VALUE=DATE:\(values { BasicFormat.text(of: $0.date) })"
    }
    return switch reminder.zone {
    case nil: "\(name):\(values { BasicFormat.text(of: $0) })"
    case "UTC": "\(name):\(values { BasicFormat.text(of: $0) + "Z" })"
    case let zone?: "\(name);TZID=\(zone):\(values { BasicFormat.text(of: $0) })"
    }
  }

  // MARK: Text

  /// RFC 5545, 3.3.11. Control characters cannot be written and are left out.
  private static func escaped(_ text: String) -> String {
    var escaped = String.UnicodeScalarView()
    var wasReturn = false
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\", ";", ",": escaped.append(contentsOf: ["\\", scalar])
      case "\r": escaped.append(contentsOf: ["\\", "n"])
      case "\n": if !wasReturn { escaped.append(contentsOf: ["\\", "n"]) }
      case "\t": escaped.append(scalar)
      default: if scalar.value >= 32 && scalar.value != 127 { escaped.append(scalar) }
      }
      wasReturn = scalar == "\r"
    }
    return String(escaped)
  }

  /// At most 75 bytes a line, none cut within a character (RFC 5545, 3.1).
  private static func folded(_ line: String) -> String {
    guard line.utf8.count > 75 else { return line }
    var folded = String.UnicodeScalarView()
    var bytes = 0
    for scalar in line.unicodeScalars {
      let count = UTF8.width(scalar)
      if bytes + count > 75 {
        folded.append(contentsOf: ["\r", "\n", " "])
        bytes = 1
      }
      folded.append(scalar)
      bytes += count
    }
    return String(folded)
  }
}
