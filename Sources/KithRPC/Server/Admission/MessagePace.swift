/// How long a message may take to be complete: a value. A sender has the time of
/// ``RPCLimits/messageTimeout``, and as much again for each 64 KiB that have come, so that a slow
/// line can send a large message and a silent one holds nothing.
struct MessagePace {
  /// As many bytes buy the time once more.
  static let step = 64 << 10

  /// When the message began, or the reader began to read again.
  private let begun: Moment
  /// How many of its bytes have come since.
  private var bytes = 0

  /// The pace of a message that begins.
  init(begun: Moment) { self.begun = begun }

  /// More of it has come.
  mutating func received(_ count: Int) { bytes += count }

  /// So many bytes of it have come by now.
  mutating func reached(_ total: Int) { bytes = total }

  /// When the message must be complete, at a time of `timeout`.
  func deadline(_ timeout: Duration) -> Moment {
    begun.advanced(by: timeout * (1 + bytes / Self.step))
  }
}
