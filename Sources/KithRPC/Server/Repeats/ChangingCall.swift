import Synchronization

/// A store that keeps the answers of calls under idempotency keys, each in the transaction of what
/// the call changed.
public protocol AnswerKeeper: AnyObject, Sendable {}

/// A call that may change what its worker keeps, while its handler runs.
///
/// Through it the store knows which calls may write in one way only, and the service knows whether
/// its handler did so.
package final class ChangingCall: Sendable {
  /// The call whose handler this task, or the task that it is a child of, runs; nil outside of
  /// handlers.
  @TaskLocal package static var current: ChangingCall?

  private struct State {
    var hasWritten = false
    var isOver = false
    var answer: [UInt8]?
    var refusal: RPCError?
  }

  private let method: String
  private let keeper: any AnswerKeeper
  private let state = Mutex(State())

  init(_ method: MethodDescriptor, _ keeper: any AnswerKeeper) {
    self.method = method.fullName
    self.keeper = keeper
  }

  /// The answer that the store has kept; nil before, and for a call without a key.
  var answer: [UInt8]? { state.withLock { $0.answer } }

  /// Notes that the handler has ended: what it has left running may write as it likes.
  func end() { state.withLock { $0.isOver = true } }

  /// Checks a write that keeps no answer.
  /// - Throws: INTERNAL if it belongs to the handler of a call whose answers that store keeps.
  package func checkPlainWrite(to store: any AnswerKeeper) throws(RPCError) {
    guard store === keeper, !state.withLock({ $0.isOver }) else { return }
    throw RPCError(
      .internal,
      "\(method) writes to its store without keeping its answer, and a repeat of the call would be "
        + "carried out again; use write(for:), or call the method IDEMPOTENT in its contract")
  }

  /// Begins the one write of a call.
  /// - Throws: INTERNAL if there was one already.
  package func beginWrite(to store: any AnswerKeeper) throws(RPCError) {
    guard store === keeper else { return }
    let isFirst = state.withLock { state in
      defer { state.hasWritten = true }
      return !state.hasWritten
    }
    guard !isFirst else { return }
    throw RPCError(
      .internal,
      "\(method) calls write(for:) twice, and its second change would be lost; make both in one")
  }

  /// The error by which the store has refused the call; nil if it has not.
  var refusal: RPCError? { state.withLock { $0.refusal } }

  /// Takes the error by which the store refuses the call. What it says of an earlier attempt
  /// reaches the caller, as it would not from a handler.
  package func refuse(_ error: RPCError) { state.withLock { $0.refusal = error } }

  /// Takes the answer that the store has kept.
  package func keep(_ answer: [UInt8]) { state.withLock { $0.answer = answer } }

  /// The answer of a call under a key whose handler has ended well.
  /// - Throws: INTERNAL if the store has kept none.
  func keptAnswer() throws(CallRefusal) -> [UInt8] {
    if let answer { return answer }
    throw CallRefusal(
      error: RPCError(
        .internal,
        "\(method) was called under an idempotency key and has kept no answer, so that a repeat would be "
          + "carried out again; its handler has to write with write(for:)",
        details: CallExecution.mayHaveRun.details))
  }
}
