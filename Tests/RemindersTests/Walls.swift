import KithTime
import RemindersDomain
import Testing

/// A time on the wall, written `2026-03-08 02:30`.
func wall(_ text: String) throws -> CivilDateTime {
  let numbers = text.split { !$0.isNumber }.compactMap { Int($0) }
  try #require(numbers.count >= 3, "\(text)")
  let date = try #require(CivilDate(year: numbers[0], month: numbers[1], day: numbers[2]))
  let clock = numbers.dropFirst(3) + [0, 0, 0]
  let time = try #require(
    CivilTime(
      hour: clock[clock.startIndex], minute: clock[clock.startIndex + 1],
      second: clock[clock.startIndex + 2]))
  return date.at(time)
}

/// The day of a date written `2026-03-08`.
func day(_ text: String) throws -> CivilDate { try wall(text).date }

/// The instants of a schedule, as text.
func instants(
  _ schedule: Schedule, in zone: String, after: String? = nil, atMost count: Int = 10
) throws -> [String] {
  let zone = try ZoneFiles().zone(named: zone)
  let after = try after.map { zone.instant(of: try wall($0)) }
  return schedule.occurrences(in: zone, after: after).prefix(count).map { "\($0.instant)" }
}
