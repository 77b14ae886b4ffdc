public import KithRPC
import KithSealing
public import KithWire

extension Store: AnswerKeeper {
  /// Writes what a call changes, once for its idempotency key: the change, and the answer by which
  /// repeats are answered, are one transaction. Whatever is killed when, either both are there or
  /// neither, and a repeat does what is left to do.
  ///
  ///     func createReminder(_ request: CreateReminderRequest, context: CallContext) async throws -> Reminder {
  ///       try await store.write(for: context, request, now: clock.now.seconds) { transaction in ... }
  ///     }
  ///
  /// The one way to write for the handlers of a service that keeps its answers here: see
  /// ``ServiceDefinition/keepingAnswers(in:)``. A call without a key is carried out each time.
  /// Neither key nor request is kept, only fingerprints of them; the answer is sealed. What `body`
  /// throws is not kept: nothing was changed, and a repeat is carried out.
  /// - Parameters:
  ///   - request: what was asked for; the same key with another request is refused.
  ///   - now: wall time in seconds since 1970, by which the key is forgotten.
  ///   - lifetime: how long the key is remembered from its first call on. Defaults to 24 hours.
  ///   - body: makes the change and answers the call. It may run a second time after the first was
  ///     taken back.
  /// - Throws: as ``write(_:)`` does; INVALID_ARGUMENT if the key was used for another request;
  ///   ABORTED if the key's answer was lost; INTERNAL if the call has written already.
  public func write<Answer: WireMessage>(
    for context: CallContext, _ request: some WireMessage, now: Int,
    lifetime: Duration = .seconds(24 * 60 * 60),
    _ body: @escaping @Sendable (WriteTransaction) throws -> Answer
  ) async throws -> Answer {
    let current = ChangingCall.current
    try current?.beginWrite(to: self)
    guard let call = context.keyedCall(try request.encoded()) else { return try await commit(body) }
    let expires = Int64(now) + lifetime.components.seconds
    do {
      let (answer, bytes) = try await commit { transaction in
        if let known = try transaction.answer(of: call, now: Int64(now)) {
          return (try Answer(decoding: known), known)
        }
        let answer = try body(transaction)
        let bytes = try answer.encoded()
        try transaction.keep(bytes, of: call, until: expires)
        return (answer, bytes)
      }
      current?.keep(bytes)
      return answer
    } catch let error as RPCError where error.execution == .mayHaveRun {
      current?.refuse(error)
      throw error
    }
  }
}
