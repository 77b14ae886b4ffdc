import KithTime

/// Dates and times as iCalendar writes them (RFC 5545, 3.3.4 and 3.3.5): `20260308` and
/// `20260308T023000`.
enum BasicFormat {
  static func text(of date: CivilDate) -> String {
    digits(date.year, 4) + digits(date.month, 2) + digits(date.day, 2)
  }

  static func text(of civil: CivilDateTime) -> String {
    let time = civil.time
    return text(of: civil.date) + "T" + digits(time.hour, 2) + digits(time.minute, 2)
      + digits(time.second, 2)
  }

  static func date(_ text: some StringProtocol) -> CivilDate? {
    let bytes = Array(text.utf8)
    guard bytes.count == 8, let year = number(bytes[0..<4]), let month = number(bytes[4..<6]),
      let day = number(bytes[6..<8])
    else { return nil }
    return CivilDate(year: year, month: month, day: day)
  }

  /// A date and a time; of the second 60 the last one before it.
  static func dateTime(_ text: some StringProtocol) -> CivilDateTime? {
    let bytes = Array(text.utf8)
    guard bytes.count == 15, bytes[8] == UInt8(ascii: "T"), let date = date(text.prefix(8)),
      let hour = number(bytes[9..<11]), let minute = number(bytes[11..<13]),
      let second = number(bytes[13..<15]),
      let time = CivilTime(hour: hour, minute: minute, second: second == 60 ? 59 : second)
    else { return nil }
    return date.at(time)
  }

  private static func number(_ digits: ArraySlice<UInt8>) -> Int? {
    var value = 0
    for digit in digits {
      guard (48...57).contains(digit) else { return nil }
      value = value * 10 + Int(digit - 48)
    }
    return value
  }

  private static func digits(_ number: Int, _ count: Int) -> String {
    let text = String(max(0, number))
    return String(repeating: "0", count: max(0, count - text.count)) + text
  }
}
