/// Cuts a stream of bytes into lines of text.
///
/// Nothing is lost: a line that is too long comes out as several, what is not UTF-8 as U+FFFD, and
/// what stands behind the last newline with `finish`.
struct LineSplitter: Sendable {
  /// A line, or a piece of one that is too long.
  struct Line: Hashable {
    /// The text, without its newline.
    var text: String
    /// How many bytes of the stream it stands for, its newline among them.
    var bytes: Int
  }

  private var rest: [UInt8] = []

  /// Takes bytes and gives the lines that they complete.
  mutating func add(_ bytes: [UInt8]) -> [Line] {
    var lines: [Line] = []
    var begin = bytes.startIndex
    while let newline = bytes[begin...].firstIndex(of: UInt8(ascii: "\n")) {
      lines += Self.pieces(rest + bytes[begin..<newline], isComplete: true).lines
      lines[lines.count - 1].bytes += 1
      rest.removeAll(keepingCapacity: true)
      begin = newline + 1
    }
    rest += bytes[begin...]
    let (more, left) = Self.pieces(rest, isComplete: false)
    rest = left
    return lines + more
  }

  /// Gives what is left, at the end of the stream.
  mutating func finish() -> [Line] {
    guard !rest.isEmpty else { return [] }
    defer { rest = [] }
    return Self.pieces(rest, isComplete: true).lines
  }

  /// Forgets what is left: what follows it was dropped. Answers how many bytes that is.
  mutating func discard() -> Int {
    defer { rest = [] }
    return rest.count
  }

  /// Cuts a line into pieces of bounded length; of a line that goes on, the last and shorter piece
  /// is left.
  private static func pieces(
    _ line: [UInt8], isComplete: Bool
  ) -> (lines: [Line], left: [UInt8]) {
    // A byte that is no UTF-8 takes three as U+FFFD: a third of the limit is safe whatever the
    // bytes are.
    let isText = line.count <= LogRecord.maximumTextBytes || String(validating: line) != nil
    let limit = isText ? LogRecord.maximumTextBytes : LogRecord.maximumTextBytes / 3
    var lines: [Line] = []
    var rest = line[...]
    while rest.count > limit {
      var cut = rest.startIndex + limit
      // Not within a character: continuation bytes are 10xxxxxx, and there are at most three.
      for _ in 0..<3 where rest[cut] & 0xC0 == 0x80 { cut -= 1 }
      lines.append(Line(rest[..<cut]))
      rest = rest[cut...]
    }
    guard isComplete else { return (lines, Array(rest)) }
    // Short enough as bytes, but not once its bad bytes are shown.
    while Line(rest).text.utf8.count > LogRecord.maximumTextBytes {
      lines.append(Line(rest.prefix(LogRecord.maximumTextBytes / 3)))
      rest = rest.dropFirst(LogRecord.maximumTextBytes / 3)
    }
    return (lines + [Line(rest)], [])
  }
}

extension LineSplitter.Line {
  fileprivate init(_ bytes: ArraySlice<UInt8>) {
    self.init(text: String(decoding: bytes, as: UTF8.self), bytes: bytes.count)
  }
}

extension String {
  fileprivate init?(validating bytes: [UInt8]) {
    self.init(validating: bytes, as: UTF8.self)
  }
}
