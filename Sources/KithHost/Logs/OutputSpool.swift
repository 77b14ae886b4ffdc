import CLinux
import Glibc
import KithSupervision

/// What a process writes to its standard output or error, in a file of the host's folder until it stands in the log.
///
/// A file and no pipe, so that a host that is killed takes nothing along: the process writes on, and the next host reads on
/// behind what the log has. What stands in the log is given back to the file system, so that the file never holds much.
struct OutputSpool {
  /// How much is given back at a time.
  private static let portion: UInt64 = 256 << 10

  let path: String
  private let descriptor: Descriptor
  /// How far it has been read.
  private(set) var position: UInt64
  private var givenBack: UInt64

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

  /// Makes the file of a process that is about to be started, which is handed the descriptor: it can append and no more.
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
  var waiting: UInt64 {
    let size = size
    return size > position ? size - position : 0
  }

  private var size: UInt64 {
    var status = stat()
    return fstat(descriptor.number, &status) == 0 ? UInt64(status.st_size) : 0
  }

  /// Reads what comes next, at most `limit` bytes; none at the end.
  mutating func read(atMost limit: Int) throws(SystemError) -> [UInt8] {
    var count = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
      count = pread(descriptor.number, buffer.baseAddress, limit, off_t(position))
      initialized = max(0, count)
    }
    guard count >= 0 else { throw SystemError("read \(path)") }
    position += UInt64(count)
    // A process that cuts its own output off loses what it cut, and is read on at the new end.
    if count == 0 { position = min(position, size) }
    return bytes
  }

  /// Leaves out what comes next.
  mutating func skip(_ count: UInt64) {
    position += count
  }

  /// Takes note of how much stands in the log and need not be kept.
  mutating func giveBack(upTo end: UInt64) {
    guard end >= givenBack + Self.portion else { return }
    // A file system that cannot give back keeps it until the process has ended.
    _ = kith_linux_punch_hole(descriptor.number, givenBack, end - givenBack)
    givenBack = end
  }
}
