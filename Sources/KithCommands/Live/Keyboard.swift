import Dispatch
import Glibc
import Synchronization

/// The keys of the terminal, one at a time and unseen, while a live report is shown.
///
/// The terminal's mode is changed for that time only; ``close()`` restores it. Ctrl-C and ctrl-Z
/// work as always.
final class Keyboard: Sendable {
  private let saved: Mutex<termios>
  private let queue = DispatchQueue(label: "kith.keyboard")

  /// The keyboard, where input and output are one terminal and this process is in its foreground.
  static func open() -> Keyboard? {
    guard isatty(STDIN_FILENO) == 1, isatty(STDOUT_FILENO) == 1,
      // From the background, to change the mode would stop the process.
      tcgetpgrp(STDIN_FILENO) == getpgrp()
    else { return nil }
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
    return Keyboard(saved: mode)
  }

  private init(saved: termios) {
    self.saved = Mutex(saved)
  }

  /// Gives the terminal the mode back that it had.
  func close() {
    saved.withLock { mode in _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) }
  }

  /// Waits for keys, for no longer than a time; empty when none was pressed, or when the task was
  /// cancelled.
  func keys(within limit: Duration) async -> [LiveKey] {
    let end = ContinuousClock.now + limit
    // In short waits, so that a task that was cancelled ends soon.
    while !Task.isCancelled {
      let left = end - ContinuousClock.now
      guard left > .zero else { return [] }
      let wait = min(left, .milliseconds(100))
      let bytes = await withCheckedContinuation { continuation in
        queue.async { continuation.resume(returning: self.bytes(within: wait)) }
      }
      // The other end of the terminal is gone: there is no key to wait for.
      guard let bytes else {
        try? await Task.sleep(until: end)
        return []
      }
      let keys = LiveKey.keys(in: bytes)
      guard keys.isEmpty else { return keys }
    }
    return []
  }

  private func bytes(within limit: Duration) -> [UInt8]? {
    // Each time anew: after ctrl-Z the shell has given the terminal its own mode.
    unseen()
    var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
    let milliseconds = limit / .milliseconds(1)
    guard poll(&file, 1, Int32(max(1, milliseconds))) > 0 else { return [] }
    var bytes = [UInt8](repeating: 0, count: 64)
    let count = read(STDIN_FILENO, &bytes, bytes.count)
    guard count > 0 else { return count < 0 && errno == EINTR ? [] : nil }
    return Array(bytes[..<count])
  }

  private func unseen() {
    guard tcgetpgrp(STDIN_FILENO) == getpgrp() else { return }
    var mode = saved.withLock(\.self)
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO)
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }
}
