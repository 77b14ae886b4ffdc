import Glibc
import KithManifest

/// Waits for the end of a host that was told to end.
enum HostEnd {
  /// How often the lock is tried. The kernel tells nobody who is not the parent when a lock is given back, other than by a
  /// wait without a time limit.
  private static let pause: Duration = .milliseconds(5)

  /// Waits until the host of these places has given its lock back, at most so long. Answers whether it has.
  static func wait(for places: ProductPlaces, atMost limit: Duration) async throws -> Bool {
    let descriptor = open(places.lockFile, O_RDONLY | O_CLOEXEC)
    // No file: the root is gone, and the host with it.
    guard descriptor >= 0 else { return true }
    defer { close(descriptor) }
    let end = ContinuousClock.now + limit
    while flock(descriptor, LOCK_SH | LOCK_NB) != 0 {
      guard errno == EWOULDBLOCK || errno == EINTR, ContinuousClock.now < end else { return false }
      try await Task.sleep(for: pause)
    }
    return true
  }
}
