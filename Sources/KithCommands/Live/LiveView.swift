import KithTerminal

/// Writes the same report again and again: in place on a terminal, one below the other elsewhere.
///
/// It leaves the terminal's screen and cursor alone, so that the last report stays to be read.
/// Where it reads keys it changes the terminal's mode for as long as it runs: arrows scroll a
/// report that has more lines than the terminal, `q` quits.
struct LiveView {
  /// How long after a report the next one is made.
  let interval: Duration
  /// How many reports are made; nil for no end but ctrl-C.
  let count: Int?

  /// Makes reports until the last one has been made or the task is cancelled.
  /// - Parameter report: the lines of the next report, for a terminal as it is now.
  func run(_ report: (Terminal) async throws -> [String]) async throws {
    let keyboard = Keyboard.open()
    defer { keyboard?.close() }
    var drawn = 0
    var number = 0
    var scroll = LiveScroll(hasKeys: keyboard != nil)
    while true {
      let lines = try await report(Surroundings.current.terminal)
      number += 1
      if Surroundings.current.terminal.height == nil {
        try Output.lines(number > 1 && lines.count > 1 ? [""] + lines : lines)
      } else {
        drawn = try Self.draw(lines, scroll: &scroll, over: drawn)
      }
      if let count, number >= count { return }
      guard let keyboard else {
        try await Task.sleep(for: interval)
        continue
      }
      let isToGoOn = try await react(
        to: keyboard, showing: lines, scroll: &scroll, over: &drawn)
      guard isToGoOn else { return }
    }
  }

  /// Scrolls by the keys that are pressed until the next report is due; false when one of them
  /// quits.
  private func react(
    to keyboard: Keyboard, showing lines: [String], scroll: inout LiveScroll, over drawn: inout Int
  ) async throws -> Bool {
    let end = ContinuousClock.now + interval
    while ContinuousClock.now < end {
      let keys = await keyboard.keys(within: end - ContinuousClock.now)
      try Task.checkCancellation()
      guard !keys.contains(.quit) else { return false }
      let terminal = Surroundings.current.terminal
      guard !keys.isEmpty, let height = terminal.height else { continue }
      for key in keys { scroll.take(key, lines: lines.count, room: Self.room(height)) }
      drawn = try Self.draw(lines, scroll: &scroll, over: drawn)
    }
    return true
  }

  private static func draw(
    _ lines: [String], scroll: inout LiveScroll, over drawn: Int
  ) throws -> Int {
    let terminal = Surroundings.current.terminal
    let frame = Self.frame(
      lines, width: terminal.width, height: terminal.height ?? Int.max, scroll: &scroll)
    try Output.text(redraw(frame, over: drawn))
    return frame.count
  }

  /// The lines as far as the terminal has room for them.
  static func frame(
    _ lines: [String], width: Int, height: Int, scroll: inout LiveScroll
  ) -> [String] {
    scroll.frame(lines, room: room(height)).map { TextWidth.clipped($0, to: width) }
  }

  /// One row is left for the cursor.
  private static func room(_ height: Int) -> Int { max(1, height - 1) }

  /// What writes the lines over `drawn` earlier ones, in one piece, so that nothing flickers.
  static func redraw(_ lines: [String], over drawn: Int) -> String {
    // Up to the first of the earlier lines; each line clears what is left of the one below it, the
    // last all that follows.
    let up = drawn > 0 ? "\u{1b}[\(drawn)A\r" : ""
    return up + lines.map { $0 + "\u{1b}[K\n" }.joined() + "\u{1b}[J"
  }
}
