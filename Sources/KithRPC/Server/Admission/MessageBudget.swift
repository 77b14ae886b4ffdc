import Synchronization

/// The memory that requests may take in a process before handlers have them: messages that have
/// begun and not ended, messages of streams that no handler has read, and large requests until they
/// are answered.
///
/// Shared by all servers of the process, so that the number of connections does not multiply it.
/// Callers that have not proved who they are (``CallContext/principal``) share a part of it; the
/// rest stays free for those that have. What a connection may hold without asking is
/// ``ConnectionCharge/free``.
public final class MessageBudget: Sendable {
  private struct Used {
    var bytes = 0
    /// Of these, the bytes of connections that have proved nothing.
    var bytesOfStrangers = 0
  }

  /// The most bytes, all connections together.
  public let maximumBytes: Int
  /// The most of these that belong to connections that have proved nothing.
  public let maximumBytesOfStrangers: Int
  private let used = Mutex(Used())

  /// A budget of `maximumBytes`, of which strangers may take half, or `maximumBytesOfStrangers`.
  public init(maximumBytes: Int = MessageBudget.standardBytes, maximumBytesOfStrangers: Int? = nil)
  {
    self.maximumBytes = maximumBytes
    self.maximumBytesOfStrangers = min(maximumBytesOfStrangers ?? maximumBytes / 2, maximumBytes)
  }

  /// The budget of a process whose memory is limited to so many bytes: a quarter of it, at most
  /// ``standardBytes``. 0 stands for a process without a limit.
  public convenience init(memoryLimit: UInt64) {
    let quarter = Int(clamping: memoryLimit / 4)
    self.init(
      maximumBytes: memoryLimit == 0 ? Self.standardBytes : min(quarter, Self.standardBytes))
  }

  /// The bytes of a budget where nothing else is said: 64 MiB.
  public static let standardBytes = 64 << 20

  /// How many bytes are taken now.
  public var bytesTaken: Int { used.withLock { $0.bytes } }

  /// Takes so many bytes, if they are free.
  func take(_ bytes: Int, isTrusted: Bool) -> Bool {
    used.withLock { used in
      guard used.bytes + bytes <= maximumBytes else { return false }
      if !isTrusted {
        guard used.bytesOfStrangers + bytes <= maximumBytesOfStrangers else { return false }
        used.bytesOfStrangers += bytes
      }
      used.bytes += bytes
      return true
    }
  }

  /// Gives bytes back that were taken.
  func giveBack(_ bytes: Int, isTrusted: Bool) {
    used.withLock { used in
      used.bytes -= bytes
      if !isTrusted { used.bytesOfStrangers -= bytes }
    }
  }

  /// A connection that holds so many bytes has proved who it is: they are a stranger's no longer.
  func trust(_ bytes: Int) { used.withLock { $0.bytesOfStrangers -= bytes } }
}
