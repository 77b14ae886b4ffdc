import Glibc
import KithTesting
import Synchronization

/// The steps that are left to a worker until it is killed, in a page of memory that both share: see
/// KillAtStep.c.
final class Countdown: Sendable {
  /// The path of the page.
  let path: String
  /// Held open; the page is written through the file, which the worker has mapped.
  private let file: Int32

  init(path: String) throws {
    self.path = path
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw TestingError("\(path) cannot be made") }
    set(0)
  }

  deinit { close(file) }

  /// Lets the worker take so many steps less one; 0 for as many as it likes.
  func set(_ steps: Int) {
    var steps = Int64(steps)
    pwrite(file, &steps, 8, 0)
  }

  /// The steps that are left; 0 or less when the worker was killed.
  var left: Int {
    var steps: Int64 = 0
    pread(file, &steps, 8, 0)
    return Int(steps)
  }
}
