/// Which part of a report is shown on a terminal that has no room for all of it.
struct LiveScroll: Hashable {
  /// How many lines above are not shown.
  private(set) var above = 0
  /// Whether keys are read, so that the last line may name them.
  var hasKeys = false

  /// Moves by a key, in a report of so many lines with room for `room` of them.
  mutating func take(_ key: LiveKey, lines: Int, room: Int) {
    let page = max(1, Self.shown(lines: lines, room: room) - 1)
    switch key {
    case .up: above -= 1
    case .down: above += 1
    case .pageUp: above -= page
    case .pageDown: above += page
    case .first: above = 0
    case .last: above = lines
    case .quit: return
    }
    keep(lines: lines, room: room)
  }

  /// The lines that are shown, with a last one about the others where there are any.
  mutating func frame(_ lines: [String], room: Int) -> [String] {
    keep(lines: lines.count, room: room)
    guard lines.count > room else { return lines }
    let shown = Self.shown(lines: lines.count, room: room)
    let keys = hasKeys ? "; arrows scroll, q quits" : ""
    let last =
      above == 0
      ? "... \(lines.count - shown) more lines\(keys)"
      : "lines \(above + 1) to \(above + shown) of \(lines.count)\(keys)"
    return lines[above..<above + shown] + [last]
  }

  private mutating func keep(lines: Int, room: Int) {
    above = min(max(0, above), lines - Self.shown(lines: lines, room: room))
  }

  /// How many lines of the report are shown: one less where a line tells of the others.
  private static func shown(lines: Int, room: Int) -> Int {
    lines > room ? max(0, room - 1) : lines
  }
}
