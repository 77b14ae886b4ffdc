import Glibc

/// A system call that failed: which, on what, and why.
struct SystemError: Error, Hashable, CustomStringConvertible {
  /// The errno value.
  var code: Int32
  /// What was tried, for people: `open /run/kith/host.lock`.
  var operation: String

  init(_ operation: String, code: Int32 = errno) {
    self.code = code
    self.operation = operation
  }

  /// `cannot open /run/kith/host.lock: Permission denied`
  var description: String { "cannot \(operation): \(reason)" }

  /// `Permission denied`
  var reason: String { String(cString: strerror(code)) }

  /// Whether a disk or a quota is full.
  var isLackOfRoom: Bool { code == ENOSPC || code == EDQUOT }
}
