import Glibc
import Synchronization

/// The service manager that started this process and listens at `NOTIFY_SOCKET`: systemd, or what
/// speaks like it.
///
/// Nothing waits for it and nothing fails because of it: a message that it does not take is lost.
final class ServiceManager: Sendable {
  /// How often it wants to hear that the process is alive: half of the time after which it takes it
  /// for dead. Nil when it does not watch.
  let watchdogInterval: Duration?

  private let address: NotifyAddress
  private let socket: Descriptor
  private let lastStatus = Mutex("")

  /// The service manager that these variables name; nil when there is none, or it is nothing that
  /// can be spoken to.
  init?(environment: [String: String], pid: Int32 = getpid()) {
    guard let path = environment["NOTIFY_SOCKET"], let address = NotifyAddress(path) else {
      return nil
    }
    let number = Glibc.socket(
      AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
    guard number >= 0 else { return nil }
    self.address = address
    socket = Descriptor(taking: number)
    watchdogInterval = Self.watchdogInterval(environment, pid: pid)
  }

  /// Half of `WATCHDOG_USEC`, when that is meant for this process.
  static func watchdogInterval(_ environment: [String: String], pid: Int32) -> Duration? {
    guard let time = environment["WATCHDOG_USEC"].flatMap({ Int64($0) }), time > 0,
      environment["WATCHDOG_PID"].map({ $0 == String(pid) }) ?? true
    else { return nil }
    return .microseconds(max(1, time / 2))
  }

  /// Sends a message.
  func send(_ notification: ServiceNotification) {
    let bytes = notification.bytes
    address.withSocketAddress { pointer, length in
      _ = sendto(
        socket.number, bytes, bytes.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT),
        pointer, length)
    }
  }

  /// Tells how the process is, unless that was told last.
  func send(status: String) {
    let isNew = lastStatus.withLock { last in
      defer { last = status }
      return last != status
    }
    if isNew { send(.status(status)) }
  }
}

/// The address of a unix socket as `NOTIFY_SOCKET` has it: a path, or `@` and a name that is in no
/// folder.
struct NotifyAddress: Hashable, Sendable {
  /// What stands in `sun_path`: for an abstract name a zero byte in front, for a path one behind.
  let bytes: [UInt8]

  /// The address; nil for anything else (`vsock:`) and for what is too long.
  init?(_ text: String) {
    let text = Array(text.utf8)
    switch text.first {
    case UInt8(ascii: "/"): bytes = text + [0]
    case UInt8(ascii: "@") where text.count > 1: bytes = [0] + text.dropFirst()
    default: return nil
    }
    guard bytes.count <= MemoryLayout.size(ofValue: sockaddr_un().sun_path) else { return nil }
  }

  /// Calls `body` with the address in the form of the system's calls.
  func withSocketAddress<Result>(
    _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
  ) -> Result {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
    let offset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) ?? 2
    return withUnsafePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        body($0, socklen_t(offset + bytes.count))
      }
    }
  }
}
