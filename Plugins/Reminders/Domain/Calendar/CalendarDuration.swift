/// Durations as iCalendar writes them (RFC 5545, 3.3.6): `-PT15M`, `P1DT12H`, `P2W`.
enum CalendarDuration {
  static func duration(_ text: some StringProtocol) -> Duration? {
    var rest = Array(text.utf8)[...]
    var sign = 1
    if let first = rest.first, first == UInt8(ascii: "-") || first == UInt8(ascii: "+") {
      sign = first == UInt8(ascii: "-") ? -1 : 1
      rest = rest.dropFirst()
    }
    guard rest.first == UInt8(ascii: "P"), rest.count > 1 else { return nil }
    rest = rest.dropFirst()
    var seconds = 0
    var isTime = false
    while !rest.isEmpty {
      if rest.first == UInt8(ascii: "T"), !isTime {
        isTime = true
        rest = rest.dropFirst()
      }
      let digits = rest.prefix { (48...57).contains($0) }
      guard (1...7).contains(digits.count), let unit = rest.dropFirst(digits.count).first else {
        return nil
      }
      let number = digits.reduce(0) { $0 * 10 + Int($1 - 48) }
      switch (unit, isTime) {
      case (UInt8(ascii: "W"), false): seconds += number * 604_800
      case (UInt8(ascii: "D"), false): seconds += number * 86_400
      case (UInt8(ascii: "H"), true): seconds += number * 3600
      case (UInt8(ascii: "M"), true): seconds += number * 60
      case (UInt8(ascii: "S"), true): seconds += number
      default: return nil
      }
      rest = rest.dropFirst(digits.count + 1)
    }
    return .seconds(sign * seconds)
  }

  static func text(of duration: Duration) -> String {
    let seconds = Int(duration.components.seconds)
    let sign = seconds < 0 ? "-" : ""
    let (days, time) = Int(seconds.magnitude).quotientAndRemainder(dividingBy: 86_400)
    if time == 0, days > 0 { return "\(sign)P\(days)D" }
    var text = "\(sign)P\(days > 0 ? "\(days)D" : "")T"
    if time >= 3600 { text += "\(time / 3600)H" }
    if time / 60 % 60 > 0 { text += "\(time / 60 % 60)M" }
    if time % 60 > 0 || time == 0 { text += "\(time % 60)S" }
    return text
  }
}
