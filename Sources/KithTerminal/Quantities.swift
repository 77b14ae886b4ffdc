import Glibc

/// Numbers as people read them.
package enum Quantities {
  /// A number of bytes: `812 B`, `38 MiB`, `1.5 GiB`.
  package static func bytes(_ count: UInt64) -> String {
    let units = ["B", "KiB", "MiB", "GiB", "TiB"]
    var value = Double(count)
    var unit = 0
    while value >= 1024, unit < units.count - 1 {
      value /= 1024
      unit += 1
    }
    let text = unit > 0 && value < 10 ? decimals(value, 1) : String(Int(value.rounded()))
    return "\(text) \(units[unit])"
  }

  /// How long a call took, in few characters: `850us`, `1.2ms`, `48ms`, `2.5s`, `90s`.
  package static func latency(microseconds: UInt64) -> String {
    if microseconds < 1000 { return "\(microseconds)us" }
    let milliseconds = Double(microseconds) / 1000
    if milliseconds < 10 { return "\(decimals(milliseconds, 1))ms" }
    if milliseconds < 1000 { return "\(Int(milliseconds.rounded()))ms" }
    let seconds = milliseconds / 1000
    return seconds < 10 ? "\(decimals(seconds, 1))s" : "\(Int(seconds.rounded()))s"
  }

  /// A time that has passed, by its two largest units at most: `450 ms`, `12 s`, `3 min`,
  /// `2 h 5 min`, `4 d 3 h`.
  package static func elapsed(milliseconds: Int64) -> String {
    if milliseconds < 0 { return "0 s" }
    if milliseconds < 1000 { return "\(milliseconds) ms" }
    let seconds = milliseconds / 1000
    if seconds < 60 { return "\(seconds) s" }
    if seconds < 600 {
      return seconds % 60 == 0 ? "\(seconds / 60) min" : "\(seconds / 60) min \(seconds % 60) s"
    }
    let minutes = seconds / 60
    if minutes < 60 { return "\(minutes) min" }
    if minutes < 1440 {
      return minutes % 60 == 0 ? "\(minutes / 60) h" : "\(minutes / 60) h \(minutes % 60) min"
    }
    let hours = minutes / 60
    return hours % 24 == 0 ? "\(hours / 24) d" : "\(hours / 24) d \(hours % 24) h"
  }

  /// A measured number with as many digits as a person can use: four that count, fewer where they
  /// are zeros.
  package static func real(_ value: Double) -> String {
    if value.isNaN { return "not a number" }
    if value.isInfinite { return value < 0 ? "minus infinity" : "infinity" }
    if value == 0 { return "0" }
    let magnitude = Int(log10(abs(value)).rounded(.down))
    guard (-5..<15).contains(magnitude) else { return value.description }
    return decimals(value, max(0, min(3 - magnitude, 9)))
  }

  /// A number with at most so many digits behind its point, and no zeros at the end.
  package static func decimals(_ value: Double, _ digits: Int) -> String {
    var scale = 1.0
    for _ in 0..<digits { scale *= 10 }
    let scaled = (abs(value) * scale).rounded()
    guard scaled < 9e15 else { return value.description }
    let whole = Int64(scaled / scale)
    let rest = Int64(scaled) - whole * Int64(scale)
    let sign = value < 0 && scaled > 0 ? "-" : ""
    guard rest > 0 else { return "\(sign)\(whole)" }
    var fraction = String(rest)
    fraction = String(repeating: "0", count: digits - fraction.count) + fraction
    while fraction.last == "0" { fraction.removeLast() }
    return "\(sign)\(whole).\(fraction)"
  }

  /// A moment by the clock on the wall: `14:03:09.120`, in the time zone of this machine.
  package static func timeOfDay(milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    let time = [parts.tm_hour, parts.tm_min, parts.tm_sec].map { twoDigits(Int($0)) }
    let fraction = String(Int(milliseconds % 1000) + 1000).dropFirst()
    return time.joined(separator: ":") + ".\(fraction)"
  }

  /// A day by the calendar on the wall: `2026-11-22`, in the time zone of this machine.
  package static func date(milliseconds: Int64) -> String {
    var seconds = time_t(milliseconds / 1000)
    var parts = tm()
    localtime_r(&seconds, &parts)
    return
      "\(parts.tm_year + 1900)-\(twoDigits(Int(parts.tm_mon) + 1))-\(twoDigits(Int(parts.tm_mday)))"
  }

  private static func twoDigits(_ number: Int) -> String {
    number < 10 ? "0\(number)" : String(number)
  }
}
