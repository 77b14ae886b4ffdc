import Glibc
import KithTime
import RemindersDomain

// Reads schedules, one a line, and prints what each gives, as `recurrence.py` compares it. A line
// has, with tabs between: the start (19970902T090000), the rule, how many occurrences at most, the
// zone or nothing, wall or elapsed, the time from which on or nothing, and RDATE and EXDATE with
// commas between.

/// A time as iCalendar writes it.
func civil(_ text: some StringProtocol) -> CivilDateTime? {
  let digits = text.filter(\.isNumber).map(String.init)
  func number(_ range: Range<Int>) -> Int { Int(digits[range].joined()) ?? 0 }
  guard digits.count == 14,
    let date = CivilDate(year: number(0..<4), month: number(4..<6), day: number(6..<8)),
    let time = CivilTime(hour: number(8..<10), minute: number(10..<12), second: number(12..<14))
  else { return nil }
  return date.at(time)
}

func answer(_ line: String) -> String {
  let fields = line.split(separator: "\t", omittingEmptySubsequences: false)
  guard fields.count == 8, let start = civil(fields[0]), let limit = Int(fields[2]) else {
    return "error: a line has eight fields"
  }
  do {
    let rule = fields[1].isEmpty ? nil : try RecurrenceRule(parsing: fields[1])
    if let rule, try RecurrenceRule(parsing: rule.text) != rule {
      return "error: \(rule.text) is not read as it is written"
    }
    let additions = fields[6].split(separator: ",").compactMap { civil($0) }
    let exclusions = fields[7].split(separator: ",").compactMap { civil($0) }
    if fields[3].isEmpty, additions.isEmpty, exclusions.isEmpty, let rule {
      return Occurrences(rule, start: start, from: civil(fields[5])).prefix(limit)
        .map(\.description).joined(separator: ",")
    }
    let zone = fields[3].isEmpty ? Zone.utc : try ZoneFiles().zone(named: String(fields[3]))
    let schedule = Schedule(
      start: start, rule: rule, additions: additions,
      exclusions: exclusions.map { .time($0) },
      policy: fields[4] == "elapsed" ? .elapsed : .wall)
    let after = civil(fields[5]).map { zone.instant(of: $0) - .milliseconds(1) }
    return schedule.occurrences(in: zone, after: after).prefix(limit)
      .map { fields[3].isEmpty ? $0.wall.description : $0.instant.description }
      .joined(separator: ",")
  } catch {
    return "error: \(error)"
  }
}

while let line = readLine() {
  print(answer(line))
  fflush(nil)
}
