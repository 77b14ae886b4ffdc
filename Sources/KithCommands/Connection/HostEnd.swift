import CLinux
import Glibc

/// Waits for the end of a host that is told to end.
///
/// Made before the host is told, so that it is the host's process and not one that got its number
/// later.
final class HostEnd: Sendable {
  private let pidfd: Int32

  /// The end of that process.
  init(pid: Int32) {
    pidfd = pid > 0 ? kith_linux_pidfd_open(pid) : -1
  }

  deinit {
    if pidfd >= 0 { close(pidfd) }
  }

  /// Waits at most so long. Answers whether the process has ended; one that was gone before counts
  /// as ended. Blocks this thread, which has nothing else to do.
  func wait(atMost limit: Duration) -> Bool {
    guard pidfd >= 0 else { return true }
    let end = ContinuousClock.now + limit
    var set = pollfd(fd: pidfd, events: Int16(POLLIN), revents: 0)
    while true {
      let left = ContinuousClock.now.duration(to: end)
      let milliseconds = max(0, left.components.seconds * 1000 + 1)
      let ready = poll(&set, 1, Int32(clamping: milliseconds))
      if ready < 0, errno == EINTR { continue }
      return ready > 0
    }
  }
}
