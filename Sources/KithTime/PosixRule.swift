/// The rule after the last transition of a zone's table: the `TZ` string of POSIX (RFC 8536, 3.3),
/// as in `EST5EDT,M3.2.0,M11.1.0`.
struct PosixRule: Sendable, Hashable {
  /// Seconds east of UTC in standard time.
  let standardOffset: Int
  /// The other time of the year; nil where there is none.
  let daylight: Daylight?

  /// Daylight saving time, every year.
  struct Daylight: Sendable, Hashable {
    var offset: Int
    var start: YearlyMoment
    var end: YearlyMoment
  }

  /// A day of each year and a time on it, on the wall as it is until then.
  struct YearlyMoment: Sendable, Hashable {
    enum Day: Sendable, Hashable {
      /// `Jn`: 1 to 365, 29 February never counted.
      case julian(Int)
      /// `n`: 0 to 365, 29 February counted.
      case ofYear(Int)
      /// `Mm.w.d`: the week 1 to 5 (5 is the last) of a month, its weekday from Sunday as 0.
      case ofWeek(month: Int, week: Int, weekday: Int)
    }

    var day: Day
    /// Seconds after midnight, -167 to 167 hours.
    var seconds: Int

    /// Seconds since 1970-01-01 on the wall in that year.
    func wallSeconds(in year: Int) -> Int {
      let newYear = CivilDate(year: year, month: 1, day: 1)?.dayNumber ?? 0
      let dayNumber =
        switch day {
        case .julian(let number):
          newYear + number - 1 + (CivilDate.isLeap(year) && number > 59 ? 1 : 0)
        case .ofYear(let number): newYear + number
        case .ofWeek(let month, let week, let weekday):
          Self.day(weekday, week: week, month: month, year: year)
        }
      return dayNumber * 86_400 + seconds
    }

    private static func day(_ weekday: Int, week: Int, month: Int, year: Int) -> Int {
      let first = CivilDate(year: year, month: month, day: 1)?.dayNumber ?? 0
      // Day 0 was a Thursday, 4 from Sunday.
      let firstWeekday = ((first + 4) % 7 + 7) % 7
      let day = (weekday - firstWeekday + 7) % 7 + (week - 1) * 7
      return first + (day >= CivilDate.days(inMonth: month, of: year) ? day - 7 : day)
    }
  }

  /// The segment of an instant by this rule alone; `table` is the last transition of the table,
  /// from which it holds.
  func segment(at seconds: Int, after table: Int?) -> Zone.Segment {
    guard let daylight else {
      return Zone.Segment(start: table, end: nil, offset: standardOffset)
    }
    let year = CivilDateTime(wallSeconds: seconds + standardOffset).date.year
    var changes: [(at: Int, offset: Int)] = []
    for year in (year - 1)...(year + 1) {
      changes.append(
        (daylight.start.wallSeconds(in: year) - standardOffset, daylight.offset))
      changes.append((daylight.end.wallSeconds(in: year) - daylight.offset, standardOffset))
    }
    changes.sort { ($0.at, $0.offset) < ($1.at, $1.offset) }
    let next = changes.firstIndex { $0.at > seconds } ?? changes.count
    let current = changes[max(0, next - 1)]
    // Two changes at one instant are daylight saving time all year: no end that can be told.
    return Zone.Segment(
      start: max(current.at, table ?? current.at),
      end: next < changes.count ? changes[next].at : nil, offset: current.offset)
  }
}

// MARK: - Reading

extension PosixRule {
  /// Reads a `TZ` string; nil where it is none.
  init?(parsing text: some Collection<UInt8>) {
    var reader = Reader(bytes: Array(text))
    guard reader.name(), let west = reader.hours(upTo: 24) else { return nil }
    standardOffset = -west
    if reader.isAtEnd {
      daylight = nil
      return
    }
    guard reader.name() else { return nil }
    var offset = standardOffset + 3600
    if reader.peek != UInt8(ascii: ",") {
      guard let west = reader.hours(upTo: 24) else { return nil }
      offset = -west
    }
    guard let start = reader.moment(), let end = reader.moment(), reader.isAtEnd else {
      return nil
    }
    daylight = Daylight(offset: offset, start: start, end: end)
  }

  private struct Reader {
    let bytes: [UInt8]
    var index = 0

    var isAtEnd: Bool { index == bytes.count }
    var peek: UInt8? { index < bytes.count ? bytes[index] : nil }

    mutating func take(_ character: Character) -> Bool {
      guard peek == character.asciiValue else { return false }
      index += 1
      return true
    }

    /// `EST` or `<+0330>`.
    mutating func name() -> Bool {
      let start = index
      if take("<") {
        while !isAtEnd, peek != UInt8(ascii: ">") { index += 1 }
        return take(">") && index - start > 2
      }
      while let byte = peek, (65...90).contains(byte & ~32) { index += 1 }
      return index - start >= 3
    }

    mutating func number(_ range: ClosedRange<Int>) -> Int? {
      var value = 0
      let start = index
      while let byte = peek, (48...57).contains(byte), index - start < 4 {
        value = value * 10 + Int(byte - 48)
        index += 1
      }
      return index > start && range.contains(value) ? value : nil
    }

    /// `[+-]hh[:mm[:ss]]` in seconds.
    mutating func hours(upTo limit: Int) -> Int? {
      let sign = take("-") ? -1 : 1
      if sign == 1 { _ = take("+") }
      guard var value = number(0...limit).map({ $0 * 3600 }) else { return nil }
      for unit in [60, 1] {
        guard take(":") else { break }
        guard let part = number(0...59) else { return nil }
        value += part * unit
      }
      return sign * value
    }

    /// `,M3.2.0/2`.
    mutating func moment() -> YearlyMoment? {
      guard take(","), let day = day() else { return nil }
      guard take("/") else { return YearlyMoment(day: day, seconds: 7200) }
      guard let seconds = hours(upTo: 167) else { return nil }
      return YearlyMoment(day: day, seconds: seconds)
    }

    private mutating func day() -> YearlyMoment.Day? {
      if take("J") { return number(1...365).map { .julian($0) } }
      guard take("M") else { return number(0...365).map { .ofYear($0) } }
      guard let month = number(1...12), take("."), let week = number(1...5), take("."),
        let weekday = number(0...6)
      else { return nil }
      return .ofWeek(month: month, week: week, weekday: weekday)
    }
  }
}
