import KithPersonalData
import Logging

/// One line of a worker's log, as the host reads it: a JSON object and a newline.
///
/// ```
/// {"at_ms":1795226400123,"level":"info","call":"17","text":"model loaded","fields":{"version":"3"}}
/// ```
/// A line is always one line, whatever is put into it: control characters are escaped, so that no
/// text that came from outside can pretend to be a line of its own or steer a terminal. Personal
/// data that got into it is replaced by placeholders such as `[REDACTED_PHONE]`, before anything is
/// cut off or written anywhere.
enum LogLine {
  /// The longest line in bytes, its newline included; a text that is too long is cut and ends in
  /// `...`, and fields for which there is no room are left out. A pipe takes this much in one
  /// piece, so that lines of several threads do not mix.
  static let longest = 4096
  /// The longest message in bytes as it is written; the rest is for the fields.
  static let longestText = 3072

  private static let scanner = PersonalDataScanner(policy: .log)

  static func bytes(
    millisecondsSince1970 time: Int64, level: Logger.Level, call: String = "", message: String,
    metadata: Logger.Metadata
  ) -> [UInt8] {
    var line = Array("{\"at_ms\":\(time),\"level\":\"\(level.rawValue)\"".utf8)
    line.reserveCapacity(256)
    if !call.isEmpty {
      line += ",\"call\":".utf8
      append(call, to: &line, limit: 64)
    }
    line += ",\"text\":".utf8
    append(scanner.redacted(message), to: &line, limit: longestText)
    var isFirst = true
    for (name, value) in metadata.sorted(by: { $0.key < $1.key }) {
      let start = line.count
      line += (isFirst ? ",\"fields\":{" : ",").utf8
      append(name, to: &line, limit: 256)
      line.append(UInt8(ascii: ":"))
      // Behind a value there is at least `}}` and the newline.
      let room = longest - line.count - 3
      guard room >= shortestCut else {
        line.removeSubrange(start...)
        break
      }
      append(scanner.redacted(value.description, named: name), to: &line, limit: room)
      isFirst = false
    }
    line += (isFirst ? "}\n" : "}}\n").utf8
    return line
  }

  /// Quotes, one character that is escaped, and the three dots.
  private static let shortestCut = 2 + 6 + 3

  /// Appends a text in quotes, in at most `limit` bytes.
  private static func append(_ text: String, to line: inout [UInt8], limit: Int) {
    let end = line.count + limit - 1
    line.append(UInt8(ascii: "\""))
    // Where the three dots would still have room.
    var cut = line.count
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\n": line += "\\n".utf8
      case "\r": line += "\\r".utf8
      case "\t": line += "\\t".utf8
      case "\"": line += "\\\"".utf8
      case "\\": line += "\\\\".utf8
      case "\u{0}"..<" ", "\u{7f}"..."\u{9f}", "\u{2028}", "\u{2029}":
        let digits = String(scalar.value, radix: 16)
        line += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
      default: line += UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter
      }
      if line.count <= end - 3 { cut = line.count }
      if line.count > end {
        line.removeSubrange(cut...)
        line += "...".utf8
        break
      }
    }
    line.append(UInt8(ascii: "\""))
  }
}
