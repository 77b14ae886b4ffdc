/// How many messages, and how many bytes of them, the sender of a stream may still send:
/// `kith.rpc.v1.Credit`.
///
/// A message may be sent while both numbers are above zero, and takes one message and all its
/// bytes: so one that is larger than the whole credit can be sent too, and leaves a debt.
struct Credit: Equatable {
  var messages: Int
  var bytes: Int

  /// What each sender of a stream has at first. A receiver that stops holds so much at most, and
  /// one message more.
  static let initial = Credit(messages: 1024, bytes: 256 << 10)

  /// Whether a message may be sent, whatever its size.
  var allowsMessage: Bool { messages > 0 && bytes > 0 }

  /// Takes what a message of so many bytes costs.
  mutating func spend(_ size: Int) {
    messages -= 1
    bytes -= size
  }

  /// Adds what the receiver has granted. A peer that grants more than can be counted gets what can
  /// be counted: it harms only itself.
  mutating func add(_ more: Credit) {
    messages = min(messages + max(0, more.messages), Int(Int32.max))
    bytes = min(bytes + max(0, more.bytes), Int(Int32.max))
  }
}
