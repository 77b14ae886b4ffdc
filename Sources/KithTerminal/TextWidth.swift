/// How many columns a text takes on a terminal.
package enum TextWidth {
  /// The columns of a text: two for wide characters (Chinese, Japanese, Korean, emoji), none for
  /// marks that combine.
  package static func columns(_ text: some StringProtocol) -> Int {
    text.reduce(0) { $0 + columns($1) }
  }

  /// The columns of a character.
  package static func columns(_ character: Character) -> Int {
    guard let first = character.unicodeScalars.first else { return 0 }
    if first.isASCII { return 1 }
    switch first.properties.generalCategory {
    case .nonspacingMark, .enclosingMark, .format: return 0
    default: break
    }
    switch first.value {
    case 0x1100...0x115f, 0x2e80...0x303e, 0x3041...0x33ff, 0x3400...0x4dbf, 0x4e00...0x9fff,
      0xa000...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
      0xffe0...0xffe6, 0x1f300...0x1f64f, 0x1f680...0x1f6ff, 0x1f900...0x1f9ff, 0x20000...0x3fffd:
      return 2
    default: return 1
    }
  }

  /// The text with spaces behind it up to so many columns.
  package static func padded(_ text: String, to width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - columns(text)))
  }

  /// The text up to so many columns; what colours it takes no column and is kept to its end.
  package static func clipped(_ text: String, to width: Int) -> String {
    var result = ""
    var column = 0
    var isInSequence = false
    for character in text {
      if isInSequence || character == "\u{1b}" {
        // `ESC [ numbers letter`
        isInSequence = character == "\u{1b}" || !character.isLetter
        result.append(character)
        continue
      }
      column += columns(character)
      if column <= width { result.append(character) }
    }
    return result
  }

  /// The text broken into lines of at most so many columns, those behind the first one indented.
  package static func hanging(_ text: String, width: Int, indentation: Int = 2) -> [String] {
    let lines = wrapped(text, width: width - indentation)
    guard lines.count > 1, columns(text) > width else { return [text] }
    let space = String(repeating: " ", count: indentation)
    return [lines[0]] + lines.dropFirst().map { space + $0 }
  }

  /// The text cut into pieces of at most so many columns, wherever that is: for names, which have
  /// no spaces.
  package static func cut(_ text: String, to width: Int) -> [String] {
    var pieces: [String] = []
    var piece = ""
    var column = 0
    for character in text {
      let next = columns(character)
      if column + next > width, !piece.isEmpty {
        pieces.append(piece)
        piece = ""
        column = 0
      }
      piece.append(character)
      column += next
    }
    return pieces + [piece]
  }

  /// The text broken between words into lines of at most so many columns; spaces within a line are
  /// kept.
  package static func wrapped(_ text: String, width: Int) -> [String] {
    guard columns(text) > width else { return [text] }
    var lines: [String] = []
    var line = ""
    var lineWidth = 0
    for word in text.split(separator: " ", omittingEmptySubsequences: false) {
      let wordWidth = columns(word)
      if line.isEmpty, lines.isEmpty || lineWidth == 0 {
        line = String(word)
        lineWidth = wordWidth
      } else if lineWidth + 1 + wordWidth <= width {
        line += " \(word)"
        lineWidth += 1 + wordWidth
      } else {
        lines.append(line)
        line = String(word)
        lineWidth = wordWidth
      }
    }
    lines.append(line)
    return lines
  }
}
