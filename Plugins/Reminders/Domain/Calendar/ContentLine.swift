/// A line of a calendar file: `DTSTART;TZID=America/New_York:20260308T023000` (RFC 5545, 3.1).
struct ContentLine: Sendable {
  /// In upper case.
  let name: String
  /// The names in upper case, quotes taken off the values.
  let parameters: [String: String]
  let value: String
  /// Where it begins, from 1.
  let line: Int

  /// The longest line, unfolded, in bytes.
  static let longest = 65_536

  /// Reads a line that was unfolded.
  init(_ bytes: [UInt8], line: Int) throws(CalendarProblem) {
    self.line = line
    guard bytes.count <= Self.longest else {
      throw CalendarProblem(line, "it is too long; expected are at most \(Self.longest) bytes")
    }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw CalendarProblem(line, "it is not valid UTF-8")
    }
    var parts: [Substring] = []
    var isQuoted = false
    var start = text.startIndex
    var colon: String.Index?
    // By scalars: a combining mark behind a quote is a character with it.
    for index in text.unicodeScalars.indices {
      let scalar = text.unicodeScalars[index]
      if scalar == "\"" { isQuoted.toggle() }
      if isQuoted { continue }
      if scalar == ";" || scalar == ":" {
        parts.append(text[start..<index])
        start = text.unicodeScalars.index(after: index)
      }
      if scalar == ":" {
        colon = start
        break
      }
    }
    guard let colon, let name = parts.first, !name.isEmpty,
      name.utf8.allSatisfy({ $0 == 45 || (48...57).contains($0) || (65...90).contains($0 & ~32) })
    else {
      throw CalendarProblem(
        line, "'\(text.prefix(40))' is no line of a calendar; expected is NAME:value")
    }
    self.name = name.uppercased()
    value = String(text[colon...])
    var parameters: [String: String] = [:]
    for part in parts.dropFirst() {
      guard let equals = part.firstIndex(of: "=") else {
        throw CalendarProblem(
          line, "'\(part.prefix(40))' is no parameter; expected is ;NAME=value")
      }
      let value = part[part.index(after: equals)...]
      let isQuoted = value.count >= 2 && value.first == "\"" && value.last == "\""
      parameters[part[..<equals].uppercased()] = String(
        isQuoted ? value.dropFirst().dropLast() : value)
    }
    self.parameters = parameters
  }

  /// A text value, its escapes undone (RFC 5545, 3.3.11).
  var text: String {
    var text = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in value.unicodeScalars {
      if isEscaped {
        text.append(scalar == "n" || scalar == "N" ? "\n" : scalar)
        isEscaped = false
      } else if scalar == "\\" {
        isEscaped = true
      } else {
        text.append(scalar)
      }
    }
    return String(text)
  }

  /// The lines of a file, unfolded: a line that begins with a space or a tab goes on where the one
  /// before ended.
  static func unfold(_ bytes: [UInt8]) -> [(bytes: [UInt8], line: Int)] {
    var lines: [(bytes: [UInt8], line: Int)] = []
    for (index, part) in bytes.split(separator: 10, omittingEmptySubsequences: false).enumerated() {
      let line = part.last == 13 ? part.dropLast() : part
      if line.isEmpty { continue }
      if line.first == 32 || line.first == 9, !lines.isEmpty {
        // One too long is refused when it is read; it need not be kept.
        if lines[lines.count - 1].bytes.count <= longest {
          lines[lines.count - 1].bytes += line.dropFirst()
        }
      } else {
        lines.append((Array(line), index + 1))
      }
    }
    return lines
  }
}
