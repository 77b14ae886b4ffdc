import KithTime

/// The VTIMEZONE of a zone (RFC 5545, 3.6.5), for programs that do not know it by its name: the
/// changes of its clocks in the ten years from the first reminder on.
enum ZoneComponent {
  private static let years = 10

  static func lines(of zone: Zone, named name: String, from start: CivilDateTime) -> [String] {
    let first = zone.instant(of: start) - .seconds(366 * 86_400)
    let end = first + .seconds(years * 366 * 86_400)
    var lines = ["BEGIN:VTIMEZONE", "TZID:\(name)"]
    // What holds before the first change.
    let offset = zone.offset(at: first)
    lines += component(
      at: zone.civil(at: first), from: offset, to: offset, isDaylight: false)
    var instant = first
    while let change = zone.change(after: instant), change.instant < end {
      lines += component(
        at: CivilDateTime(wallSeconds: change.instant.seconds + change.offsetBefore),
        from: change.offsetBefore, to: change.offsetAfter,
        isDaylight: change.offsetAfter > change.offsetBefore)
      instant = change.instant
    }
    return lines + ["END:VTIMEZONE"]
  }

  private static func component(
    at wall: CivilDateTime, from: Int, to: Int, isDaylight: Bool
  ) -> [String] {
    let name = isDaylight ? "DAYLIGHT" : "STANDARD"
    return [
      "BEGIN:\(name)", "DTSTART:\(BasicFormat.text(of: wall))",
      "TZOFFSETFROM:\(text(of: from))", "TZOFFSETTO:\(text(of: to))", "END:\(name)",
    ]
  }

  /// `+0545`, with seconds where there are any.
  private static func text(of offset: Int) -> String {
    let size = abs(offset)
    let parts = [size / 3600, size / 60 % 60] + (size % 60 == 0 ? [] : [size % 60])
    return (offset < 0 ? "-" : "+") + parts.map { $0 < 10 ? "0\($0)" : "\($0)" }.joined()
  }
}
