import KithWire

/// One call that a client makes: who waits for it, and what has come in so far.
///
/// Unchecked: its variables are reached only by the table that it is in, under the lock of the
/// connection; before it is opened and after it has ended only its own task has it.
final class ClientCall: @unchecked Sendable {
  typealias Outcome = Result<Answer, RPCError>

  enum Phase {
    /// Not opened. Next: open, ended (cancelled early, or refused).
    case new
    /// In a table. Next: ended.
    case open
    /// The end: its waiter was given back.
    case ended
  }

  let deadline: Moment?
  /// The frame that opens it; sealed, with the id in front, when it is opened.
  var frame: WireBuffer
  var phase = Phase.new
  var id: UInt32 = 0
  /// The place of the frame in the write queue.
  var place: UInt64 = 0
  var metadata = Metadata()
  var message: ArraySlice<UInt8>?
  /// The task that waits. Unsafe means that resuming twice is not caught: a table ends a call exactly
  /// once, which its tests prove.
  var waiter: UnsafeContinuation<Outcome, Never>?

  init(frame: WireBuffer, deadline: Moment?) {
    self.frame = frame
    self.deadline = deadline
  }
}
