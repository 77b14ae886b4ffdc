import Glibc
import KithTime
import Synchronization
import WorkerContract

/// What the clocks show: the machine's, or those that are moved by hand.
final class ClockFaces: Sendable {
  /// What clocks show that are moved by hand.
  struct Virtual: Sendable, Hashable {
    var wall: Instant
    /// Since the product was started.
    var elapsed: Duration
  }

  /// The boot of clocks that are moved by hand.
  private static let virtualBoot = "virtual"
  /// The machine's boot; a name that no other process has where the kernel does not say it.
  private static let machineBoot: String = {
    let boot = ProcessIdentity.current().bootId
    return boot.isEmpty ? "process-\(UInt64.random(in: 0 ... .max))" : boot
  }()

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

  /// All of it at one moment.
  var reading: ClockReading {
    guard isVirtual else {
      return ClockReading(wall: now, sinceBoot: sinceBoot, boot: Self.machineBoot)
    }
    let shown = virtual
    return ClockReading(wall: shown.wall, sinceBoot: shown.elapsed, boot: Self.virtualBoot)
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
