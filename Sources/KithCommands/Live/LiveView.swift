/// Writes the same report again and again: in place on a terminal, one below the other elsewhere.
///
/// It changes nothing about the terminal, neither screen nor cursor nor modes: whatever ends the
/// command, even a SIGKILL, there is nothing to restore, and the last report stays to be read.
struct LiveView {
  /// How long after a report the next one is made.
  let interval: Duration
  /// How many reports are made; nil for no end but ctrl-C.
  let count: Int?

  /// Makes reports until the last one has been made or the task is cancelled.
  /// - Parameter report: the lines of the next report, for a terminal as it is now.
  func run(_ report: (Terminal) async throws -> [String]) async throws {
    var drawn = 0
    var number = 0
    while true {
      let terminal = Surroundings.current.terminal
      let lines = try await report(terminal)
      number += 1
      if let height = terminal.height {
        let frame = Self.frame(lines, width: terminal.width, height: height)
        try Output.text(Self.redraw(frame, over: drawn))
        drawn = frame.count
      } else {
        try Output.lines(number > 1 && lines.count > 1 ? [""] + lines : lines)
      }
      if let count, number >= count { return }
      try await Task.sleep(for: interval)
    }
  }

  /// The lines as far as the terminal has room for them; one row is left for the cursor.
  static func frame(_ lines: [String], width: Int, height: Int) -> [String] {
    let room = max(1, height - 1)
    let shown = lines.map { TextWidth.clipped($0, to: width) }
    guard shown.count > room else { return shown }
    return shown.prefix(room - 1) + ["... \(shown.count - room + 1) more lines"]
  }

  /// What writes the lines over `drawn` earlier ones, in one piece, so that nothing flickers.
  static func redraw(_ lines: [String], over drawn: Int) -> String {
    // Up to the first of the earlier lines; each line clears what is left of the one below it, the
    // last all that follows.
    let up = drawn > 0 ? "\u{1b}[\(drawn)A\r" : ""
    return up + lines.map { $0 + "\u{1b}[K\n" }.joined() + "\u{1b}[J"
  }
}
