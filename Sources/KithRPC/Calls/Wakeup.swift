/// What a task that waits for its call is told.
enum Wakeup {
  /// A unary call was answered.
  case answer(Answer)
  /// The next message of a stream.
  case message(ArraySlice<UInt8>)
  /// No message follows; the call ended well.
  case end
  /// A message that was held back for want of credit is on its way.
  case sent
  /// The call failed, or what was asked of it.
  case failed(RPCError)
}

/// Whom to tell what.
struct Wake<Waiter: Sendable> {
  var waiter: Waiter
  var wakeup: Wakeup
}

/// A message of a stream that waits for credit, and the task that waits with it.
struct HeldMessage<Waiter: Sendable> {
  var frame: OutgoingFrame
  var waiter: Waiter
}
