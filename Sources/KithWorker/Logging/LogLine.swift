import Logging

/// One line of a worker's log: `2026-11-21T02:00:00.123Z info    message key=value`.
///
/// A line is always one line, whatever is put into it: control characters are escaped, so that no text that came from
/// outside can pretend to be a line of its own or steer a terminal.
enum LogLine {
  /// The longest line in bytes, its newline included; what is longer is cut and ends in `...`. A pipe takes this much in
  /// one piece, so that lines of several threads do not mix.
  static let longest = 4096

  /// Where the message begins after the start of the level: `warning` and a space.
  private static let messageOffset = 8

  static func bytes(
    millisecondsSince1970 time: Int64, level: Logger.Level, message: String,
    metadata: Logger.Metadata
  ) -> [UInt8] {
    var line: [UInt8] = []
    line.reserveCapacity(128)
    appendTimestamp(time, to: &line)
    line.append(0x20)
    let name = level.rawValue
    line += name.utf8
    // Messages stand in one column below each other, those of the rare `critical` apart.
    line += repeatElement(0x20, count: max(1, messageOffset - name.utf8.count))
    append(message, isQuoted: false, to: &line)
    for (key, value) in metadata.sorted(by: { $0.key < $1.key }) {
      line.append(0x20)
      append(key, isQuoted: false, to: &line)
      line.append(UInt8(ascii: "="))
      let text = value.description
      append(text, isQuoted: needsQuotes(text), to: &line)
    }
    if line.count > longest - 1 {
      let ending = Array("...".utf8)
      line.removeSubrange((longest - 1 - ending.count)...)
      // Not in the middle of a character.
      while let last = line.last, last & 0xc0 == 0x80 { line.removeLast() }
      if let last = line.last, last >= 0xc0 { line.removeLast() }
      line += ending
    }
    line.append(0x0a)
    return line
  }

  private static func needsQuotes(_ text: String) -> Bool {
    text.isEmpty || text.utf8.contains { $0 == 0x20 || $0 == UInt8(ascii: "=") }
  }

  private static func append(_ text: String, isQuoted: Bool, to line: inout [UInt8]) {
    if isQuoted { line.append(UInt8(ascii: "\"")) }
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": line += "\\n".utf8
      case "\r": line += "\\r".utf8
      case "\t": line += "\\t".utf8
      case "\"" where isQuoted: line += "\\\"".utf8
      case "\u{0}"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
        line += "\\u{\(String(scalar.value, radix: 16))}".utf8
      default: line += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
      // Nothing beyond the limit would be seen.
      if line.count > longest { break }
    }
    if isQuoted { line.append(UInt8(ascii: "\"")) }
  }

  /// `2026-11-21T02:00:00.123Z`. By hand, since a log line should cost no formatter and no locale.
  private static func appendTimestamp(_ milliseconds: Int64, to line: inout [UInt8]) {
    let (second, millisecond) = floorDivide(milliseconds, 1_000)
    let (day, secondOfDay) = floorDivide(second, 86_400)
    // Days to a date after Howard Hinnant's civil_from_days: eras of 400 years that begin on 1 March.
    let shifted = day + 719_468
    let (era, dayOfEra) = floorDivide(shifted, 146_097)
    let yearOfEra =
      (dayOfEra - dayOfEra / 1_460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
    let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
    let marchMonth = (5 * dayOfYear + 2) / 153
    let dayOfMonth = dayOfYear - (153 * marchMonth + 2) / 5 + 1
    let month = marchMonth < 10 ? marchMonth + 3 : marchMonth - 9
    let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)

    appendDigits(year, 4, to: &line)
    line.append(UInt8(ascii: "-"))
    appendDigits(month, 2, to: &line)
    line.append(UInt8(ascii: "-"))
    appendDigits(dayOfMonth, 2, to: &line)
    line.append(UInt8(ascii: "T"))
    appendDigits(secondOfDay / 3_600, 2, to: &line)
    line.append(UInt8(ascii: ":"))
    appendDigits(secondOfDay / 60 % 60, 2, to: &line)
    line.append(UInt8(ascii: ":"))
    appendDigits(secondOfDay % 60, 2, to: &line)
    line.append(UInt8(ascii: "."))
    appendDigits(millisecond, 3, to: &line)
    line.append(UInt8(ascii: "Z"))
  }

  private static func floorDivide(_ value: Int64, _ divisor: Int64) -> (Int64, Int64) {
    let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
  }

  private static func appendDigits(_ value: Int64, _ count: Int, to line: inout [UInt8]) {
    let digits = Array(String(value).utf8)
    line += repeatElement(UInt8(ascii: "0"), count: max(0, count - digits.count))
    line += digits
  }
}
