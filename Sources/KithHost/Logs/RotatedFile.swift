import Glibc
import KithJSON

/// A log of bounded size: a file that is written and a few older ones, `NAME.log`, `NAME.log.1`,
/// `NAME.log.2`, ...
///
/// Every byte that was ever written has a position of its own, whichever file it is in by now: each
/// file begins with a line that says at which position it begins. So a cursor stays valid when
/// files are renamed and when the host is started anew.
struct RotatedFile {
  /// How much is kept.
  struct Limits: Hashable {
    /// The size at which the next file is begun.
    var fileBytes: UInt64 = 4 << 20
    /// How many files there are at most.
    var files = 4
    /// How many bytes of records wait in memory for a file that cannot be written.
    var waitingBytes = 1 << 20
  }

  /// One of the files.
  private struct Part: Hashable {
    /// The position of its first byte.
    var begin: UInt64
    var size: UInt64
    var end: UInt64 { begin + size }
  }

  /// Records that wait until the file can be written, encoded, oldest first.
  private struct Backlog {
    var lines: [[UInt8]] = []
    var bytes = 0
  }

  /// Appends bytes to a file, whose path is for the error; tests replace it by one that fails.
  typealias Append = @Sendable (Descriptor, [UInt8], String) throws(SystemError) -> Void

  let path: String
  let limits: Limits
  private let appendBytes: Append
  /// Oldest first; the last is written. Part `count - 1 - n` is the file with the suffix `.n`.
  private var parts: [Part] = []
  private var current: Descriptor
  /// Whether the last write was cut short, so that the next must begin a new line.
  private var isTorn: Bool
  private var backlog = Backlog()
  /// How many records were given up since the last that was taken in; the log will say so.
  private var unsaid: UInt64 = 0

  /// Why the file cannot be written at the moment; nil when it can.
  private(set) var trouble: SystemError?
  /// How many records were given up since the file was opened.
  private(set) var lost: UInt64 = 0
  /// How many records wait until the file can be written.
  var waiting: Int { backlog.lines.count }
  /// What became of the file since this was last asked, for people: somebody removed it, or put
  /// another in its place.
  private var notices: [String] = []
  /// Whether the file is no longer at its path and cannot be made there: it is written where it has
  /// gone to.
  private var isAstray = false

  /// Opens a log and goes on where it ended.
  init(
    path: String, limits: Limits = Limits(),
    appending append: @escaping Append = { file, bytes, path throws(SystemError) in
      try file.writeAll(bytes, to: path)
    }
  ) throws(SystemError) {
    self.path = path
    self.limits = limits
    appendBytes = append
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
      try cutTornLine()
    }
  }

  /// Takes away a last line that has no end: the host died while it wrote it, and what it told is
  /// told again.
  private mutating func cutTornLine() throws(SystemError) {
    guard let part = parts.last else { return }
    var size = part.size
    search: while size > 0 {
      let begin = size > 64 << 10 ? size - 64 << 10 : 0
      let block = try Self.bytes(of: current, at: begin, count: Int(size - begin), path: path)
      if let newline = block.lastIndex(of: UInt8(ascii: "\n")) {
        size = begin + UInt64(newline) + 1
        break search
      }
      size = begin
    }
    guard size < part.size else { return }
    guard ftruncate(current.number, off_t(size)) == 0 else { throw SystemError("write \(path)") }
    parts[parts.count - 1].size = size
  }

  /// The position of the first byte that is left.
  var begin: UInt64 { parts.first?.begin ?? 0 }

  /// The position behind the last byte.
  var end: UInt64 { parts.last?.end ?? 0 }

  // MARK: Writing

  /// Appends records.
  ///
  /// While the file cannot be written, as on a full disk, they wait in memory and nobody is
  /// stopped; when more wait than there is room for, the newest are given up, counted, and the log
  /// says so at that place once there is room again.
  mutating func append(_ records: [LogRecord]) {
    append(records.map(LogRecord.Encoded.init))
  }

  /// As above, for records that have been encoded.
  mutating func append(_ records: [LogRecord.Encoded]) {
    for encoded in records {
      let record = encoded.record
      if unsaid > 0, backlog.bytes < limits.waitingBytes / 2 {
        let count = unsaid == 1 ? "1 line was lost" : "\(unsaid) lines were lost"
        wait(
          LogRecord(
            atMilliseconds: record.atMilliseconds, worker: record.worker,
            generation: record.generation, stream: .host, level: .error,
            text: "\(count): the log could not be written"
          ).encoded)
        unsaid = 0
      }
      let line = encoded.bytes
      if unsaid > 0 || backlog.bytes + line.count > limits.waitingBytes {
        unsaid += 1
        lost += 1
      } else {
        wait(line)
      }
    }
    flush()
  }

  private mutating func wait(_ line: [UInt8]) {
    backlog.lines.append(line)
    backlog.bytes += line.count
    // Written on the way, so that one batch can be larger than what may wait.
    if trouble == nil, backlog.bytes > limits.waitingBytes / 2 { flush() }
  }

  /// Writes what waits, as far as it can be written now.
  mutating func flush() {
    while !backlog.lines.isEmpty {
      do throws(SystemError) {
        let taken = try writeSome()
        backlog.bytes -= backlog.lines[..<taken].reduce(0) { $0 + $1.count }
        backlog.lines.removeFirst(taken)
        trouble = nil
      } catch {
        trouble = error
        return
      }
    }
  }

  /// Writes the first records that wait, as many as the file at hand has room for; answers how
  /// many.
  private mutating func writeSome() throws(SystemError) -> Int {
    try renewIfGone()
    if let part = parts.last, part.size + UInt64(backlog.lines[0].count) > limits.fileBytes,
      part.size > UInt64(Self.header(begin: part.begin).count)
    {
      try rotate()
    }
    var bytes: [UInt8] = isTorn ? [UInt8(ascii: "\n")] : []
    let before = parts[parts.count - 1].size
    var taken = 0
    for line in backlog.lines {
      guard taken == 0 || before + UInt64(bytes.count + line.count) <= limits.fileBytes else {
        break
      }
      bytes += line
      taken += 1
    }
    do throws(SystemError) {
      try appendBytes(current, bytes, path)
    } catch {
      // What was written of it is taken back, so that no line stands there twice when it is written
      // again.
      if ftruncate(current.number, off_t(before)) != 0 {
        var status = stat()
        if fstat(current.number, &status) == 0 {
          isTorn = isTorn || UInt64(status.st_size) != before
          parts[parts.count - 1].size = UInt64(status.st_size)
        }
      }
      throw error
    }
    isTorn = false
    parts[parts.count - 1].size = before + UInt64(bytes.count)
    return taken
  }

  private mutating func rotate() throws(SystemError) {
    // What has these names by now is another's.
    guard !isAstray else {
      throw SystemError(
        "rotate \(path), which is no longer the file that this host writes", code: ESTALE)
    }
    // The next file first, beside the others: on a full disk nothing has been renamed then.
    let begin = end
    let fresh = path + ".next"
    let next = try Descriptor.open(fresh, O_RDWR | O_CREAT | O_TRUNC | O_APPEND)
    let header = Self.header(begin: begin)
    try appendBytes(next, header, fresh)
    for index in stride(from: min(parts.count, limits.files - 1), to: 0, by: -1) {
      let (from, to) = (Self.name(path, index - 1), Self.name(path, index))
      guard rename(from, to) == 0 else { throw SystemError("rename \(from)") }
    }
    guard rename(fresh, path) == 0 else { throw SystemError("rename \(fresh)") }
    if parts.count == limits.files { parts.removeFirst() }
    current = next
    isTorn = false
    parts.append(Part(begin: begin, size: UInt64(header.count)))
  }

  /// What became of the file since this was last asked, in sentences for the host's own log.
  mutating func takeNotices() -> [String] {
    defer { notices = [] }
    return notices
  }

  /// Begins the file again when somebody has removed it or the folder: what is written to a file
  /// without a name is written to nobody. One that was only moved, with another in its place or
  /// with all of the root, is written on where it is.
  private mutating func renewIfGone() throws(SystemError) {
    var (held, named) = (stat(), stat())
    guard fstat(current.number, &held) == 0 else { throw SystemError("look at \(path)") }
    if stat(path, &named) == 0, named.st_dev == held.st_dev, named.st_ino == held.st_ino {
      isAstray = false
      return
    }
    // The folder of the logs and none above it: a root that was moved is not to stand there again.
    mkdir(String(path[..<(path.lastIndex(of: "/") ?? path.startIndex)]), 0o700)
    let begin = end
    do throws(SystemError) {
      let fresh = try Descriptor.open(path, O_RDWR | O_CREAT | O_EXCL | O_APPEND)
      let header = Self.header(begin: begin)
      try appendBytes(fresh, header, path)
      current = fresh
      parts = [Part(begin: begin, size: UInt64(header.count))]
    } catch {
      guard held.st_nlink > 0 else { throw error }
      if !isAstray { notices.append("\(path) was moved away and is written on where it is now") }
      isAstray = true
      return
    }
    isTorn = false
    isAstray = false
    notices.append("\(path) was removed while it was written; it was begun again")
  }

  // MARK: Reading

  /// A record and the position behind it.
  struct Entry: Hashable {
    var record: LogRecord
    var next: UInt64
  }

  /// The records from a position on that have this level or a higher one, at most `limit` of them
  /// and from at most `limitBytes` bytes, and the position behind all that was looked at.
  ///
  /// A position that is too old begins at the oldest that is left, one behind the end at the end.
  func read(
    from position: UInt64, minimumLevel: LogRecord.Level = .trace, limit: Int,
    limitBytes: Int = 4 << 20
  ) throws(SystemError) -> (entries: [Entry], next: UInt64) {
    var entries: [Entry] = []
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
          if let record = LogRecord(encoded: line), record.level >= minimumLevel {
            entries.append(Entry(record: record, next: next))
          }
          line.removeAll(keepingCapacity: true)
          if entries.count == limit || bytesLeft <= 0 { return (entries, next) }
        }
      }
    }
    return (entries, next)
  }

  /// The position at which the last `count` records of this level or a higher one begin.
  func position(
    ofLast count: Int, minimumLevel: LogRecord.Level
  ) throws(SystemError) -> UInt64 {
    guard minimumLevel > .trace else { return try position(ofLast: count) }
    guard count > 0 else { return end }
    // Forward, since a line is known to be of the level only once it has been read; a log is
    // bounded in size.
    var last: [UInt64] = []
    var position = parts.first?.begin ?? 0
    while position < end {
      let (entries, next) = try read(from: position, minimumLevel: minimumLevel, limit: 1000)
      guard next > position else { break }
      // Where a record ends the one before it may be followed by lines of lower levels, which
      // reading leaves out anyway.
      last += entries.map(\.next)
      last.removeFirst(max(0, last.count - count - 1))
      position = next
    }
    return last.count > count ? last[0] : parts.first?.begin ?? 0
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
          // The newline at the very end closes the last line; each one before it closes the line
          // before.
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

  /// The generation that each worker's log of a folder ends with.
  static func lastGenerations(in folder: String) -> [String: UInt64] {
    let suffix = ".log"
    var generations: [String: UInt64] = [:]
    for name in (try? DurableFile.names(in: folder)) ?? [] where name.hasSuffix(suffix) {
      guard let log = try? RotatedFile(path: "\(folder)/\(name)"),
        let last = try? log.position(ofLast: 1),
        let record = try? log.read(from: last, limit: 1).entries.first?.record
      else { continue }
      generations[String(name.dropLast(suffix.count))] = record.generation
    }
    return generations
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
    guard let end = first.firstIndex(of: UInt8(ascii: "\n")),
      let value = try? JSONValue(parsing: Array(first[..<end])), case .object(let object) = value,
      let begin = object["log_begins_at"]?.integerValue, begin >= 0
    else { return nil }
    return Part(begin: UInt64(begin), size: UInt64(status.st_size))
  }
}
