/// The usage lines of the argument parser, which it does not break at the width of the terminal.
package enum UsageText {
  /// The text with its usage lines broken in front of an option, so that an option and its value
  /// stay together.
  package static func wrapped(_ text: String, width: Int) -> String {
    text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      guard let prefix = ["USAGE: ", "Usage: "].first(where: line.hasPrefix) else {
        return String(line)
      }
      return wrapped(line: String(line), width: width, indentation: prefix.count)
    }.joined(separator: "\n")
  }

  private static func wrapped(line: String, width: Int, indentation: Int) -> String {
    var lines: [String] = []
    var current = ""
    for part in parts(of: line) {
      if current.isEmpty {
        current = part
      } else if TextWidth.columns(current) + 1 + TextWidth.columns(part) <= width {
        current += " \(part)"
      } else {
        lines.append(current)
        current = String(repeating: " ", count: indentation) + part
      }
    }
    return (lines + [current]).joined(separator: "\n")
  }

  /// The words; what stands in brackets is one of them.
  private static func parts(of line: String) -> [String] {
    var parts: [String] = []
    var part = ""
    var depth = 0
    for character in line {
      switch character {
      case "[", "<": depth += 1
      case "]", ">": depth -= 1
      case " " where depth <= 0:
        parts.append(part)
        part = ""
        continue
      default: break
      }
      part.append(character)
    }
    return parts + [part]
  }
}
