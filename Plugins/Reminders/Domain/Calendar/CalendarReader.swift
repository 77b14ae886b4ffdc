public import KithTime

/// Reads reminders out of a calendar file (RFC 5545): VEVENTs and VTODOs with their rules, zones
/// and alarms.
///
/// What cannot be taken is left out and told, with its line; the rest is there. A file of any size
/// and content costs bounded work: `largestFile`, `mostReminders` and the limits of lines and
/// rules.
public struct CalendarReader: Sendable {
  /// What a file holds.
  public struct Result: Sendable, Hashable {
    /// The reminders, in order of the file.
    public var reminders: [CalendarReminder] = []
    /// What was left out and why; at most `mostProblems`.
    public var problems: [CalendarProblem] = []
  }

  /// The largest file that is read, in bytes.
  public static let largestFile = 8 << 20
  /// How many reminders are read from a file.
  public static let mostReminders = 10_000
  /// How many problems are told.
  public static let mostProblems = 100
  /// How many `RDATE`s and `EXDATE`s a reminder may have, each.
  public static let mostDates = 10_000

  private let zone: @Sendable (String) -> Zone?

  /// A reader.
  /// - Parameter zone: the zone of an IANA name, nil where there is none.
  public init(zone: @escaping @Sendable (String) -> Zone?) { self.zone = zone }

  /// Reads a file.
  /// - Throws: `CalendarProblem` where the file is no calendar at all.
  public func read(_ bytes: [UInt8]) throws(CalendarProblem) -> Result {
    guard bytes.count <= Self.largestFile else {
      throw CalendarProblem(
        1, "the file is too large; expected are at most \(Self.largestFile) bytes")
    }
    let hasMark = bytes.starts(with: [0xef, 0xbb, 0xbf])
    let lines = ContentLine.unfold(hasMark ? Array(bytes.dropFirst(3)) : bytes)
    guard let first = lines.first,
      first.bytes.map({ $0 & ~32 }).elementsEqual("BEGIN\u{1a}VCALENDAR".utf8)
    else { throw CalendarProblem(1, "the file is no calendar; expected is BEGIN:VCALENDAR") }
    var result = Result()
    var parser = ComponentParser(zone: zone)
    for (line, number) in lines {
      do throws(CalendarProblem) {
        if let reminder = try parser.take(try ContentLine(line, line: number)) {
          guard result.reminders.count < Self.mostReminders else {
            throw CalendarProblem(
              number, "there are more than \(Self.mostReminders) reminders; the rest is left out")
          }
          result.reminders.append(reminder)
        }
      } catch {
        parser.spoil()
        result.problems.append(error)
        let isFull =
          result.problems.count >= Self.mostProblems
          || result.reminders.count >= Self.mostReminders
        if isFull { return result }
      }
    }
    if let open = parser.openLine {
      result.problems.append(CalendarProblem(open, "it is begun and never ended; END is expected"))
    }
    return result
  }
}

/// Gathers the lines of one component after another.
private struct ComponentParser {
  let zone: @Sendable (String) -> Zone?
  /// The names of the components that are open, with their lines.
  private var open: [(name: String, line: Int)] = []
  private var lines: [ContentLine] = []
  private var alarm: [ContentLine] = []
  private var alarms: [Duration] = []
  private var isSpoilt = false
  private var aliases: [String: String] = [:]
  private var timeZoneID: String?

  init(zone: @escaping @Sendable (String) -> Zone?) { self.zone = zone }

  /// The line of a component that is still open.
  var openLine: Int? { open.last?.line }

  /// Leaves the component out that is being read.
  mutating func spoil() { isSpoilt = true }

  /// Takes a line; the reminder that it ends, if it does.
  mutating func take(_ line: ContentLine) throws(CalendarProblem) -> CalendarReminder? {
    switch line.name {
    case "BEGIN":
      guard open.count < 8 else {
        throw CalendarProblem(line.line, "components are nested too deeply; expected are at most 8")
      }
      open.append((line.value.uppercased(), line.line))
      if isItem(open.count - 1) {
        lines = []
        alarms = []
        isSpoilt = false
      }
      alarm = []
      return nil
    case "END":
      guard let last = open.last, last.name == line.value.uppercased() else {
        throw CalendarProblem(
          line.line,
          "END:\(line.value.prefix(40)) ends nothing; expected is END:\(open.last?.name ?? "nothing")"
        )
      }
      let wasItem = isItem(open.count - 1)
      open.removeLast()
      if last.name == "VALARM" { return try endAlarm() }
      guard wasItem, !isSpoilt else { return nil }
      var builder = ReminderBuilder(
        lines, line: last.line, isTask: last.name == "VTODO", zone: named)
      return try builder.reminder(alarms: alarms)
    default:
      if open.last?.name == "VALARM" {
        alarm.append(line)
      } else if isItem(open.count - 1) {
        lines.append(line)
      } else if open.last?.name == "VTIMEZONE" {
        noteZone(line)
      }
      return nil
    }
  }

  private func isItem(_ index: Int) -> Bool {
    open.indices.contains(index) && ["VEVENT", "VTODO"].contains(open[index].name)
  }

  private mutating func endAlarm() throws(CalendarProblem) -> CalendarReminder? {
    // An alarm at an instant, or relative to the end, is none of the start.
    guard let trigger = alarm.first(where: { $0.name == "TRIGGER" }),
      trigger.parameters["VALUE"]?.uppercased() != "DATE-TIME",
      trigger.parameters["RELATED"]?.uppercased() != "END", alarms.count < 16
    else { return nil }
    guard let duration = CalendarDuration.duration(trigger.value) else {
      throw CalendarProblem(
        trigger.line,
        "TRIGGER is '\(trigger.value.prefix(40))'; expected is a duration such as -PT15M")
    }
    alarms.append(duration)
    return nil
  }

  /// Some programs name a zone their own way, and say in it which of IANA's they mean.
  private mutating func noteZone(_ line: ContentLine) {
    if line.name == "TZID" { timeZoneID = line.value }
    if line.name == "X-LIC-LOCATION", let id = timeZoneID, aliases.count < 1000 {
      aliases[id] = line.value
    }
  }

  /// A zone by the name that the file has for it, and IANA's name.
  private func named(_ id: String) -> (name: String, zone: Zone)? {
    var candidates = [id]
    if let alias = aliases[id] { candidates.append(alias) }
    // "/freeassociation.sourceforge.net/America/New_York"
    let parts = id.split(separator: "/")
    for count in [3, 2] where parts.count > count {
      candidates.append(parts.suffix(count).joined(separator: "/"))
    }
    for name in candidates {
      if let zone = zone(name) { return (name, zone) }
    }
    return nil
  }
}
