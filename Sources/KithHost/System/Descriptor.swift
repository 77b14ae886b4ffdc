import CLinux
import Glibc

/// Owns an open file descriptor and closes it when the last reference is gone.
final class Descriptor: Sendable {
  /// The number; valid for as long as this object lives.
  let number: Int32

  /// Takes over an open descriptor.
  init(taking number: Int32) {
    self.number = number
  }

  deinit {
    close(number)
  }

  /// Opens a file; the descriptor is not inherited.
  static func open(_ path: String, _ flags: Int32, mode: mode_t = 0o600) throws(SystemError)
    -> Descriptor
  {
    let number = Glibc.open(path, flags | O_CLOEXEC, mode)
    guard number >= 0 else { throw SystemError("open \(path)") }
    return Descriptor(taking: number)
  }

  /// A pipe; neither end is inherited.
  static func pipe() throws(SystemError) -> (reading: Descriptor, writing: Descriptor) {
    var numbers: [Int32] = [-1, -1]
    guard kith_linux_pipe(&numbers) == 0 else { throw SystemError("create a pipe") }
    return (Descriptor(taking: numbers[0]), Descriptor(taking: numbers[1]))
  }

  /// Makes reads and writes return at once instead of waiting.
  func setNonBlocking() throws(SystemError) {
    let flags = fcntl(number, F_GETFL)
    guard flags >= 0, fcntl(number, F_SETFL, flags | O_NONBLOCK) == 0 else {
      throw SystemError("make a descriptor non-blocking")
    }
  }

  /// A second descriptor of the same open file with a number of at least `least`.
  func duplicated(least: Int32) throws(SystemError) -> Descriptor {
    let copy = fcntl(number, F_DUPFD_CLOEXEC, least)
    guard copy >= 0 else { throw SystemError("duplicate a descriptor") }
    return Descriptor(taking: copy)
  }

  /// What one read gives.
  enum Reading {
    case bytes([UInt8])
    case wouldBlock
    case end
  }

  /// Reads what is there, up to `limit` bytes.
  func read(atMost limit: Int) throws(SystemError) -> Reading {
    while true {
      var count = 0
      let bytes = [UInt8](unsafeUninitializedCapacity: limit) { buffer, initialized in
        count = Glibc.read(number, buffer.baseAddress, limit)
        initialized = max(0, count)
      }
      if count > 0 { return .bytes(bytes) }
      if count == 0 { return .end }
      switch errno {
      case EINTR: continue
      case EAGAIN: return .wouldBlock
      default: throw SystemError("read")
      }
    }
  }

  /// Writes all of it; the descriptor must be a blocking one or have room enough.
  func writeAll(_ bytes: some Collection<UInt8>, to what: String) throws(SystemError) {
    var failure: SystemError?
    let done: Void? = bytes.withContiguousStorageIfAvailable { buffer in
      failure = writeAll(buffer, to: what)
    }
    if done == nil {
      Array(bytes).withUnsafeBufferPointer { failure = writeAll($0, to: what) }
    }
    if let failure { throw failure }
  }

  private func writeAll(_ buffer: UnsafeBufferPointer<UInt8>, to what: String) -> SystemError? {
    var offset = 0
    while offset < buffer.count {
      let count = Glibc.write(
        number, buffer.baseAddress.map { $0 + offset }, buffer.count - offset)
      if count < 0 {
        if errno == EINTR { continue }
        return SystemError("write \(what)")
      }
      offset += count
    }
    return nil
  }
}
