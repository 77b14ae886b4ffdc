import CLinux
import Glibc

/// A process that an earlier host started and that was left running, held by a pidfd.
final class EarlierProcess: Sendable {
  /// Which process.
  let identity: ProcessIdentity
  /// Readable when the process has ended.
  let pidfd: Descriptor

  /// The process of this identity; nil when it has ended, also when another process has its pid by now.
  init?(_ identity: ProcessIdentity) {
    let number = kith_linux_pidfd_open(identity.pid)
    guard number >= 0 else { return nil }
    let pidfd = Descriptor(taking: number)
    // Asked after the pidfd was opened: if the pid is still that process's now, the pidfd is that process's too.
    guard ProcessIdentity.current(ofPid: identity.pid) == identity else { return nil }
    self.identity = identity
    self.pidfd = pidfd
  }

  /// Sends a signal to the process; one that has ended is left in peace.
  func signal(_ number: Int32) {
    _ = kith_linux_pidfd_send_signal(pidfd.number, number)
  }

  /// Waits until the process has ended, at most this long, and says whether it has.
  func waitForEnd(atMost timeout: Duration) -> Bool {
    var entry = pollfd(fd: pidfd.number, events: Int16(POLLIN), revents: 0)
    let milliseconds =
      timeout.components.seconds * 1000 + timeout.components.attoseconds / 1_000_000_000_000_000
    let deadline = ContinuousClock.now + timeout
    while true {
      let result = poll(&entry, 1, Int32(milliseconds))
      if result > 0 { return true }
      if result == 0 || ContinuousClock.now >= deadline { return false }
    }
  }
}
