import Glibc
import KithJSON

/// A log of bounded size: a file that is written and a few older ones, `NAME.log`, `NAME.log.1`, `NAME.log.2`, ...
///
/// Every byte that was ever written has a position of its own, whichever file it is in by now: each file begins with a
/// line that says at which position it begins. So a cursor stays valid when files are renamed and when the host is
/// started anew.
struct RotatedFile {
  /// How much is kept.
  struct Limits: Hashable {
    /// The size at which the next file is begun.
    var fileBytes: UInt64 = 4 << 20
    /// How many files there are at most.
    var files = 4
  }

  /// One of the files.
  private struct Part: Hashable {
    /// The position of its first byte.
    var begin: UInt64
    var size: UInt64
    var end: UInt64 { begin + size }
  }

  let path: String
  let limits: Limits
  /// Oldest first; the last is written. Part `count - 1 - n` is the file with the suffix `.n`.
  private var parts: [Part] = []
  private var current: Descriptor
  /// Whether the last write was cut short, so that the next must begin a new line.
  private var isTorn: Bool
  /// How many records could not be written since the last that was.
  private(set) var lost = 0

  /// Opens a log and goes on where it ended.
  init(path: String, limits: Limits = Limits()) throws(SystemError) {
    self.path = path
    self.limits = limits
    // From the newest to the oldest, as far as they belong together.
    for index in 0..<limits.files {
      guard let part = try Self.part(path: Self.name(path, index)) else {
        if index == 0 { continue }
        break
      }
      if let newer = parts.first, part.end != newer.begin { break }
      parts.insert(part, at: 0)
    }
    current = try Descriptor.open(path, O_RDWR | O_CREAT | O_APPEND)
    isTorn = false
    if try Self.part(path: path) == nil {
      // New, or without a first line that can be read: then what is in it cannot be placed.
      let begin = parts.last?.end ?? 0
      guard ftruncate(current.number, 0) == 0 else { throw SystemError("write \(path)") }
      let header = Self.header(begin: begin)
      try current.writeAll(header, to: path)
      parts.append(Part(begin: begin, size: UInt64(header.count)))
    } else {
      var last: UInt8 = 0
      let size = parts.last?.size ?? 0
      isTorn = pread(current.number, &last, 1, off_t(size) - 1) == 1 && last != UInt8(ascii: "\n")
    }
  }

  /// The position behind the last byte.
  var end: UInt64 { parts.last?.end ?? 0 }

  // MARK: Writing

  /// Appends records. A disk that is full loses lines and is said so in the log as soon as there is room; it stops nobody.
  mutating func append(_ records: [LogRecord]) {
    guard let last = records.last else { return }
    var bytes: [UInt8] = isTorn ? [UInt8(ascii: "\n")] : []
    if lost > 0 {
      bytes +=
        LogRecord(
          atMilliseconds: last.atMilliseconds, generation: last.generation, stream: .host,
          text: "\(lost) lines were lost: the log could not be written"
        ).encoded
    }
    for record in records { bytes += record.encoded }
    do throws(SystemError) {
      if let part = parts.last, part.size + UInt64(bytes.count) > limits.fileBytes,
        part.size > UInt64(Self.header(begin: part.begin).count)
      {
        try rotate()
      }
      try current.writeAll(bytes, to: path)
      lost = 0
      isTorn = false
      parts[parts.count - 1].size += UInt64(bytes.count)
    } catch {
      lost += records.count
      var status = stat()
      if fstat(current.number, &status) == 0 {
        let size = UInt64(status.st_size)
        isTorn = isTorn || size != parts[parts.count - 1].size
        parts[parts.count - 1].size = size
      }
    }
  }

  private mutating func rotate() throws(SystemError) {
    for index in stride(from: min(parts.count, limits.files - 1), to: 0, by: -1) {
      let (from, to) = (Self.name(path, index - 1), Self.name(path, index))
      guard rename(from, to) == 0 else { throw SystemError("rename \(from)") }
    }
    let begin = end
    if parts.count == limits.files { parts.removeFirst() }
    current = try Descriptor.open(path, O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
    parts.append(Part(begin: begin, size: 0))
    let header = Self.header(begin: begin)
    try current.writeAll(header, to: path)
    parts[parts.count - 1].size = UInt64(header.count)
  }

  // MARK: Reading

  /// The records from a position on, at most `limit` of them and `limitBytes` bytes, and the position behind them.
  ///
  /// A position that is too old begins at the oldest that is left, one behind the end at the end.
  func read(
    from position: UInt64, limit: Int, limitBytes: Int = 4 << 20
  ) throws(SystemError) -> (records: [LogRecord], next: UInt64) {
    var records: [LogRecord] = []
    var bytesLeft = limitBytes
    var next = min(max(position, parts.first?.begin ?? 0), end)
    for (index, part) in parts.enumerated() where part.end > next {
      let descriptor = try self.descriptor(part: index)
      var line: [UInt8] = []
      var offset = max(next, part.begin) - part.begin
      next = part.begin + offset
      while offset < part.size {
        let chunk = try Self.bytes(
          of: descriptor, at: offset, count: min(64 << 10, Int(part.size - offset)), path: path)
        guard !chunk.isEmpty else { break }
        offset += UInt64(chunk.count)
        for byte in chunk {
          guard byte == UInt8(ascii: "\n") else {
            line.append(byte)
            continue
          }
          next += UInt64(line.count) + 1
          bytesLeft -= line.count
          // A file's first line, and one that a full disk cut short, are no records.
          if let record = LogRecord(encoded: line) { records.append(record) }
          line.removeAll(keepingCapacity: true)
          if records.count == limit || bytesLeft <= 0 { return (records, next) }
        }
      }
    }
    return (records, next)
  }

  /// The position at which the last `count` lines begin.
  func position(ofLast count: Int) throws(SystemError) -> UInt64 {
    guard count > 0 else { return end }
    var left = count
    for (index, part) in parts.enumerated().reversed() {
      let descriptor = try self.descriptor(part: index)
      let header = UInt64(Self.header(begin: part.begin).count)
      var blockEnd = part.size
      while blockEnd > header {
        let blockBegin = blockEnd > header + 64 << 10 ? blockEnd - 64 << 10 : header
        let block = try Self.bytes(
          of: descriptor, at: blockBegin, count: Int(blockEnd - blockBegin), path: path)
        for (offset, byte) in block.enumerated().reversed() where byte == UInt8(ascii: "\n") {
          // The newline at the very end closes the last line; each one before it closes the line before.
          if blockBegin + UInt64(offset) + 1 == part.size { continue }
          left -= 1
          if left == 0 { return part.begin + blockBegin + UInt64(offset) + 1 }
        }
        blockEnd = blockBegin
      }
      // The line that follows the header has no newline of a record before it.
      if part.size > header { left -= 1 }
      if left == 0 { return part.begin + header }
    }
    return parts.first?.begin ?? 0
  }

  private func descriptor(part index: Int) throws(SystemError) -> Descriptor {
    if index == parts.count - 1 { return current }
    return try Descriptor.open(Self.name(path, parts.count - 1 - index), O_RDONLY)
  }

  private static func bytes(
    of descriptor: Descriptor, at offset: UInt64, count: Int, path: String
  ) throws(SystemError) -> [UInt8] {
    var result = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { buffer, initialized in
      result = pread(descriptor.number, buffer.baseAddress, count, off_t(offset))
      initialized = max(0, result)
    }
    guard result >= 0 else { throw SystemError("read \(path)") }
    return bytes
  }

  // MARK: Files

  private static func name(_ path: String, _ index: Int) -> String {
    index == 0 ? path : "\(path).\(index)"
  }

  private static func header(begin: UInt64) -> [UInt8] {
    Array("{\"log_begins_at\":\(begin)}\n".utf8)
  }

  /// What a file holds; nil when there is none or its first line cannot be read.
  private static func part(path: String) throws(SystemError) -> Part? {
    let descriptor: Descriptor
    do {
      descriptor = try Descriptor.open(path, O_RDONLY)
    } catch {
      if error.code == ENOENT { return nil }
      throw error
    }
    var status = stat()
    guard fstat(descriptor.number, &status) == 0 else { throw SystemError("look at \(path)") }
    let first = try bytes(of: descriptor, at: 0, count: 64, path: path)
      .prefix { $0 != UInt8(ascii: "\n") }
    guard let value = try? JSONValue(parsing: Array(first)), case .object(let object) = value,
      let begin = object["log_begins_at"]?.integerValue, begin >= 0
    else { return nil }
    return Part(begin: UInt64(begin), size: UInt64(status.st_size))
  }
}
