import Synchronization

/// Whether the caller at the other end of a connection has proved who it is. Once said it stays so.
final class ConnectionTrust: Sendable {
  private let flag = Atomic(false)

  /// Whether it has.
  var isTrusted: Bool { flag.load(ordering: .relaxed) }

  /// It has.
  func trust() { flag.store(true, ordering: .relaxed) }
}
