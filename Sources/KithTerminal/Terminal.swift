import Glibc

/// What standard output can show.
package struct Terminal: Sendable, Equatable {
  /// How many columns there are: as `COLUMNS` says; without it those of the terminal, 80 where it
  /// is none.
  package var width: Int
  /// How many rows there are; nil where a text cannot be written over, as in a pipe.
  package var height: Int?
  /// Whether text may be coloured.
  package var hasColour: Bool
  /// Whether a table that is too wide is broken at the width. A pipe has none, unless `COLUMNS`
  /// gives it one: what searches it for a name must find it.
  package var breaksTables: Bool

  /// A terminal as described.
  package init(
    width: Int = 80, height: Int? = nil, hasColour: Bool = false, breaksTables: Bool = true
  ) {
    self.width = width
    self.height = height
    self.hasColour = hasColour
    self.breaksTables = breaksTables
  }

  /// Standard output as it is: colour only on a terminal, and not with `NO_COLOR` or `TERM=dumb`.
  package static func standardOutput(environment: [String: String]) -> Terminal {
    let asked = environment["COLUMNS"].flatMap { Int($0) }.map { min(max($0, narrowest), 1000) }
    guard isatty(STDOUT_FILENO) == 1 else {
      return Terminal(width: asked ?? 80, breaksTables: asked != nil)
    }
    var size = winsize()
    let isKnown = ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0
    let isDumb = environment["TERM"] == "dumb"
    let refusesColour = !(environment["NO_COLOR"] ?? "").isEmpty || isDumb
    return Terminal(
      // Lines that are too long are hard to read, and ones that are too short cannot hold a table.
      width: asked ?? (isKnown ? min(max(Int(size.ws_col), narrowest), 120) : 80),
      height: isDumb ? nil : isKnown && size.ws_row > 0 ? Int(size.ws_row) : 24,
      hasColour: !refusesColour)
  }

  private static let narrowest = 40

  /// The colours in use, with a meaning each.
  package enum Colour: Int {
    /// It went wrong.
    case red = 31
    /// It is as it should be.
    case green = 32
    /// It is on its way, or needs a look.
    case yellow = 33
    /// Beside the point.
    case faint = 2
    /// A heading.
    case bold = 1
  }

  /// The text in a colour where there are colours.
  package func text(_ text: String, _ colour: Colour?) -> String {
    guard hasColour, let colour else { return text }
    return "\u{1b}[\(colour.rawValue)m\(text)\u{1b}[0m"
  }
}
