/// Cuts a stream of bytes into lines of text.
///
/// Nothing is lost: a line that is too long comes out as several, what is not UTF-8 as U+FFFD, and what stands behind the
/// last newline with `finish`.
struct LineSplitter {
  private var rest: [UInt8] = []

  /// Takes bytes and gives the lines that they complete.
  mutating func add(_ bytes: [UInt8]) -> [String] {
    var lines: [String] = []
    var begin = bytes.startIndex
    while let newline = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
      lines += Self.pieces(rest + bytes[begin..<newline], isComplete: true).lines
      rest.removeAll(keepingCapacity: true)
      begin = newline + 1
    }
    rest += bytes[begin...]
    let (more, left) = Self.pieces(rest, isComplete: false)
    rest = left
    return lines + more
  }

  /// Gives what is left, at the end of the stream.
  mutating func finish() -> [String] {
    guard !rest.isEmpty else { return [] }
    defer { rest = [] }
    return Self.pieces(rest, isComplete: true).lines
  }

  /// Cuts a line into texts of bounded length; of a line that goes on, the last and shorter piece is left.
  private static func pieces(
    _ line: [UInt8], isComplete: Bool
  ) -> (lines: [String], left: [UInt8]) {
    // A byte that is no UTF-8 takes three as U+FFFD: a third of the limit is safe whatever the bytes are.
    let isText = line.count <= LogRecord.maximumTextBytes || String(validating: line) != nil
    let limit = isText ? LogRecord.maximumTextBytes : LogRecord.maximumTextBytes / 3
    var lines: [String] = []
    var rest = line[...]
    while rest.count > limit {
      var cut = rest.startIndex + limit
      // Not within a character: continuation bytes are 10xxxxxx, and there are at most three.
      for _ in 0..<3 where rest[cut] & 0xC0 == 0x80 { cut -= 1 }
      lines.append(String(decoding: rest[..<cut], as: UTF8.self))
      rest = rest[cut...]
    }
    guard isComplete else { return (lines, Array(rest)) }
    let text = String(decoding: rest, as: UTF8.self)
    if text.utf8.count > LogRecord.maximumTextBytes {
      // Short enough as bytes, but not once its bad bytes are shown.
      var short = rest
      while short.count > LogRecord.maximumTextBytes / 3 {
        lines.append(
          String(decoding: short.prefix(LogRecord.maximumTextBytes / 3), as: UTF8.self))
        short = short.dropFirst(LogRecord.maximumTextBytes / 3)
      }
      lines.append(String(decoding: short, as: UTF8.self))
    } else {
      lines.append(text)
    }
    return (lines, [])
  }
}

extension String {
  fileprivate init?(validating bytes: [UInt8]) {
    self.init(validating: bytes, as: UTF8.self)
  }
}
