import Glibc
import KithWire
import WorkerContract

/// What a worker inherits from its host: the launch record from one pipe, and another pipe to tell
/// when it listens.
struct Launch: Sendable {
  /// The variable with the number of the descriptor from which the launch record is read.
  static let recordVariable = "KITH_LAUNCH_FD"
  /// The variable with the number of the descriptor to which `listening` is written.
  static let notifyVariable = "KITH_NOTIFY_FD"

  /// A launch record is some hundred bytes; this is far above.
  private static let largestRecord = 64 << 10

  /// The record.
  let record: LaunchRecord
  private let notifyDescriptor: Int32?

  /// Reads what the host left; `nil` when nobody left anything, so that a person has started the
  /// program by hand.
  static func read() throws(LaunchError) -> Launch? {
    guard let value = environment(recordVariable) else { return nil }
    let recordDescriptor = try descriptor(recordVariable, value)
    let notifyDescriptor = try environment(notifyVariable).map { value throws(LaunchError) in
      try descriptor(notifyVariable, value)
    }
    // Programs that this worker starts are not workers of the host.
    unsetenv(recordVariable)
    unsetenv(notifyVariable)
    if let notifyDescriptor { _ = fcntl(notifyDescriptor, F_SETFD, FD_CLOEXEC) }
    defer { close(recordDescriptor) }
    let record = try decode(try readAll(recordDescriptor))
    return Launch(record: record, notifyDescriptor: notifyDescriptor)
  }

  /// A launch without a host behind it: tests.
  init(record: LaunchRecord, notifyDescriptor: Int32? = nil) {
    self.record = record
    self.notifyDescriptor = notifyDescriptor
  }

  /// Decodes a record and checks what nothing works without.
  static func decode(_ bytes: [UInt8]) throws(LaunchError) -> LaunchRecord {
    let record: LaunchRecord
    do {
      record = try LaunchRecord(decoding: bytes)
    } catch {
      throw LaunchError("the launch record does not decode: \(error.message)")
    }
    guard record.secret.count == Proof.byteCount else {
      throw LaunchError(
        "the secret of the launch record has \(record.secret.count) bytes, expected \(Proof.byteCount)"
      )
    }
    for (field, value) in [
      ("product", record.product), ("worker", record.worker), ("address", record.address),
    ] where value.isEmpty {
      throw LaunchError("the launch record has no \(field)")
    }
    guard record.generation > 0 else { throw LaunchError("the launch record has no generation") }
    return record
  }

  /// Tells the host that the worker listens, and closes the pipe.
  func notifyListening() {
    guard let notifyDescriptor else { return }
    var line = Array("listening\n".utf8)[...]
    while !line.isEmpty {
      let count = line.withUnsafeBytes { write(notifyDescriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      // A host that is gone will find the worker by its record, or not at all.
      guard count > 0 else { break }
      line = line.dropFirst(count)
    }
    close(notifyDescriptor)
  }

  private static func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
  }

  private static func descriptor(
    _ variable: String, _ value: String
  ) throws(LaunchError) -> Int32 {
    guard let number = Int32(value), number > STDERR_FILENO, fcntl(number, F_GETFD) >= 0 else {
      throw LaunchError("\(variable) is no open descriptor above 2")
    }
    return number
  }

  private static func readAll(_ descriptor: Int32) throws(LaunchError) -> [UInt8] {
    var bytes: [UInt8] = []
    while true {
      var count = 0
      let chunk = 4096
      bytes += [UInt8](unsafeUninitializedCapacity: chunk) { buffer, initialized in
        count = Glibc.read(descriptor, buffer.baseAddress, chunk)
        initialized = max(0, count)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        throw LaunchError("the launch record cannot be read: \(String(cString: strerror(errno)))")
      }
      guard bytes.count <= largestRecord else {
        throw LaunchError("the launch record has more than \(largestRecord) bytes")
      }
      if count == 0 { return bytes }
    }
  }
}

/// Why a worker cannot begin. Told on standard error; the process then leaves with exit code 70.
struct LaunchError: Error, Equatable, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }
}
