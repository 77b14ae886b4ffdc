import Glibc
import KithTime
import Synchronization

/// What the clocks show: the machine's, or those that are moved by hand.
final class ClockFaces: Sendable {
  /// What clocks show that are moved by hand.
  struct Virtual: Sendable, Hashable {
    var wall: Instant
    /// Since the product was started.
    var elapsed: Duration
  }

  /// The machine's clocks.
  static let machine = ClockFaces(virtual: nil)

  let isVirtual: Bool
  private let shown: Mutex<Virtual>

  init(virtual: Virtual?) {
    isVirtual = virtual != nil
    shown = Mutex(virtual ?? Virtual(wall: Instant(milliseconds: 0), elapsed: .zero))
  }

  var now: Instant {
    isVirtual ? virtual.wall : Instant(milliseconds: Self.milliseconds(CLOCK_REALTIME))
  }

  var awake: Duration {
    isVirtual ? virtual.elapsed : .milliseconds(Self.milliseconds(CLOCK_MONOTONIC))
  }

  var sinceBoot: Duration {
    isVirtual ? virtual.elapsed : .milliseconds(Self.milliseconds(CLOCK_BOOTTIME))
  }

  /// What is shown of clocks that are moved by hand.
  var virtual: Virtual {
    get { shown.withLock(\.self) }
    set { shown.withLock { $0 = newValue } }
  }

  private static func milliseconds(_ clock: clockid_t) -> Int {
    var time = timespec()
    clock_gettime(clock, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }
}
