import CLinux
import Glibc
import KithManifest
import KithSupervision

/// What a process writes to its standard output or error, in a file of the host's folder until it
/// stands in the log.
///
/// A file and no pipe, so that a host that is killed takes nothing along: the process writes on,
/// and the next host reads on behind what the log has. What stands in the log is given back to the
/// file system, so that the file never holds much.
struct OutputSpool {
  /// Output that was dropped.
  struct Dropped: Hashable, Sendable {
    var lines: UInt64 = 0
    var bytes: UInt64 = 0

    static func += (left: inout Dropped, right: Dropped) {
      left.lines += right.lines
      left.bytes += right.bytes
    }
  }

  /// How much is looked at at a time to count lines.
  private static let portion: UInt64 = 256 << 10
  /// How far the end of a line is looked for.
  private static let lineBytes = 16 << 10
  /// SEEK_DATA and SEEK_HOLE of lseek(2), which Glibc's module leaves out.
  private static let (seekData, seekHole): (Int32, Int32) = (3, 4)

  let path: String
  private let descriptor: Descriptor
  /// How far it has been read.
  private(set) var position: UInt64
  private var givenBack: UInt64

  /// The folder of the spools.
  static func folder(of places: ProductPlaces) -> String { places.hostDirectory }

  /// Where a process writes a stream.
  static func path(
    of incarnation: Incarnation, _ stream: LogRecord.Stream, in folder: String
  ) -> String {
    "\(folder)/\(name(of: incarnation, stream))"
  }

  /// The name of the file: `odd.1.out`, `odd.1.err`.
  static func name(of incarnation: Incarnation, _ stream: LogRecord.Stream) -> String {
    "\(incarnation).\(stream == .stdout ? "out" : "err")"
  }

  /// Makes the file of a process that is about to be started, which is handed the descriptor: it
  /// can append and no more.
  static func create(_ path: String) throws(SystemError) -> Descriptor {
    try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_APPEND)
  }

  /// Opens a file that was made for a process and reads on from a position.
  init(path: String, from position: UInt64 = 0) throws(SystemError) {
    self.path = path
    self.position = position
    givenBack = position
    descriptor = try Descriptor.open(path, O_RDWR)
  }

  /// How many bytes have not been read.
  var waiting: UInt64 { waiting(before: size) }

  /// How many bytes before a position have not been read.
  func waiting(before end: UInt64) -> UInt64 { end > position ? end - position : 0 }

  /// How many bytes the process has written.
  var size: UInt64 {
    var status = stat()
    return fstat(descriptor.number, &status) == 0 ? UInt64(status.st_size) : 0
  }

  /// Reads what comes next, at most `limit` bytes and none behind `end`; none at the end.
  ///
  /// `missing` says how many bytes before them are not there any more: an earlier host gave them
  /// back before it could say so in the log.
  mutating func read(
    atMost limit: Int, before end: UInt64 = .max
  ) throws(SystemError) -> (missing: UInt64, bytes: [UInt8]) {
    let missing = passHole()
    // A hole reads as zeros, which nobody wrote.
    let hole = lseek(descriptor.number, off_t(position), Self.seekHole)
    var limit = Int(min(UInt64(limit), waiting(before: min(end, size))))
    if hole > off_t(position) { limit = min(limit, Int(hole) - Int(position)) }
    let bytes = try bytes(atMost: limit)
    position += UInt64(bytes.count)
    // A process that cuts its own output off loses what it cut, and is read on at the new end.
    if bytes.isEmpty { position = min(position, size) }
    return (missing, bytes)
  }

  /// Moves to the next byte that is there; answers how many are not.
  private mutating func passHole() -> UInt64 {
    let data = lseek(descriptor.number, off_t(position), Self.seekData)
    // ENXIO: nothing is there from here on. Any other error: a file system that does not know of
    // holes has none.
    let next = data >= 0 ? UInt64(data) : errno == ENXIO ? size : position
    guard next > position else { return 0 }
    defer { position = next }
    return next - position
  }

  private func bytes(atMost limit: Int) throws(SystemError) -> [UInt8] {
    guard limit > 0 else { return [] }
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
      count = pread(descriptor.number, buffer.baseAddress, limit, off_t(position))
      initialized = max(0, count)
    }
    guard count >= 0 else { throw SystemError("read \(path)") }
    return bytes
  }

  /// Leaves out what comes next up to the end of a line, so that no more than `kept` bytes before
  /// `end` are left, and gives it back. At most 16 MiB at a time, so that whoever waits for the
  /// thread has a turn.
  mutating func drop(leaving kept: UInt64, before end: UInt64) -> Dropped {
    let begin = position
    let excess = waiting(before: end)
    guard excess > kept else { return Dropped() }
    let target = position + min(excess - kept, 16 << 20)
    var dropped = Dropped()
    var isWhole = true
    while position < target,
      let bytes = try? bytes(atMost: Int(min(target - position, Self.portion))), !bytes.isEmpty
    {
      dropped.lines += Self.newlines(in: bytes)
      position += UInt64(bytes.count)
      isWhole = bytes.last == UInt8(ascii: "\n")
    }
    if !isWhole,
      let rest = try? bytes(atMost: Int(min(waiting(before: end), UInt64(Self.lineBytes)))),
      let newline = rest.firstIndex(of: UInt8(ascii: "\n"))
    {
      position += UInt64(newline) + 1
      dropped.lines += 1
    }
    dropped.bytes = position - begin
    // Whole pages, since what is given back of a page reads as zeros: should this host die before
    // the log says what was dropped, the next one sees a hole and no bytes that nobody wrote.
    let (from, to) = (Self.page(upFrom: begin), Self.page(downFrom: position))
    if to > from { _ = kith_linux_punch_hole(descriptor.number, from, to - from) }
    return dropped
  }

  private static let pageBytes = UInt64(getpagesize())

  private static func page(downFrom position: UInt64) -> UInt64 { position / pageBytes * pageBytes }

  private static func page(upFrom position: UInt64) -> UInt64 {
    page(downFrom: position + pageBytes - 1)
  }

  private static func newlines(in bytes: [UInt8]) -> UInt64 {
    bytes.withUnsafeBytes { buffer in
      var count: UInt64 = 0
      var offset = 0
      // Byte by byte this takes ten times as long.
      while let base = buffer.baseAddress, offset < buffer.count,
        let found = memchr(base + offset, 0x0A, buffer.count - offset)
      {
        count += 1
        offset = UnsafeRawPointer(found) - base + 1
      }
      return count
    }
  }

  /// Gives back what stands in the log, unless it is less than `portion` bytes.
  mutating func giveBack(upTo end: UInt64, atLeast portion: UInt64) {
    // What is given back of a page is kept by the file system all the same.
    let end = Self.page(downFrom: end)
    guard end >= givenBack + portion else { return }
    // A file system that cannot give back keeps it until the process has ended.
    _ = kith_linux_punch_hole(descriptor.number, givenBack, end - givenBack)
    givenBack = end
  }
}
