import BenchmarkKit
import Glibc

/// The disk below: what a single durable write costs at least.
struct Disk {
  private let path: String

  init(folder: String) throws { path = "\(folder)/disk" }

  /// The middle time that a write of 4 KiB and the wait until it is durable take, in microseconds.
  func syncMedian() throws -> String {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw BenchmarkError("cannot write \(path)") }
    defer {
      close(file)
      unlink(path)
    }
    let page = [UInt8](repeating: 1, count: 4096)
    let clock = ContinuousClock()
    let times = (0..<200).map { number in
      let begin = clock.now
      pwrite(file, page, page.count, off_t(number * page.count))
      fdatasync(file)
      return (clock.now - begin) / .microseconds(1)
    }
    return times.median.formatted()
  }
}
