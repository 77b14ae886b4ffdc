/// The calls that a client has in progress on one connection: a value that decides how each ends.
///
/// A call is reserved, opened with the one who waits for it, and ended exactly once: by its answer, by
/// the caller, by its deadline, or with the connection. Whoever ends it gets the waiter back, and
/// nobody does a second time. All frames of a call carry its id, and each is handed to that call's own
/// state: a call of many messages is one more kind of `Call`, and changes nothing here.
struct ClientCallTable<Waiter: Sendable>: Sendable {
  /// A call that is over.
  struct Ended: Sendable {
    var waiter: Waiter
    var result: Result<Answer, RPCError>
    /// Whether the worker may still work on it and must be told to stop.
    var tellsWorker = false
  }

  private struct Call {
    var waiter: Waiter
    var deadline: ContinuousClock.Instant?
    /// The place of the request in the write queue.
    var place: UInt64
    var metadata = Metadata()
    var message: ArraySlice<UInt8>?
  }

  private let maximumCalls: Int
  private var calls: [UInt32: Call] = [:]
  /// Calls that were cancelled between their reservation and their opening.
  private var cancelledEarly: Set<UInt32> = []
  private var nextID: UInt32
  private var failure: RPCError?

  /// A table for at most `maximumCalls` calls at once.
  init(maximumCalls: Int, firstID: UInt32 = 1) {
    self.maximumCalls = maximumCalls
    self.nextID = firstID | MessageHeader.idMark
    calls.reserveCapacity(64)
  }

  /// How many calls are in progress.
  var count: Int { calls.count }

  /// Takes an id for a call; it stays free of other calls as long as fewer than 2^31 are made meanwhile.
  mutating func reserveID() -> UInt32 {
    while calls[nextID] != nil { nextID = (nextID &+ 1) | MessageHeader.idMark }
    defer { nextID = (nextID &+ 1) | MessageHeader.idMark }
    return nextID
  }

  /// Opens a call, whose request stands at `place` of the write queue. Nil means that it is open; an
  /// error that it is not, and that its request must not be sent.
  mutating func open(
    _ id: UInt32, waiter: Waiter, place: UInt64, deadline: ContinuousClock.Instant?
  ) -> RPCError? {
    if cancelledEarly.remove(id) != nil { return .cancelledByCaller }
    if let failure { return failure.adding(.notStarted) }
    guard calls.count < maximumCalls else {
      return RPCError(
        .resourceExhausted,
        "\(maximumCalls) calls are in progress on this connection, which is the limit: wait for some",
        details: CallExecution.notStarted.details)
    }
    calls[id] = Call(waiter: waiter, deadline: deadline, place: place)
    return nil
  }

  /// A frame of the worker came in; nil when its call goes on, or is over already.
  mutating func receive(_ id: UInt32, _ frame: WorkerFrame) -> Ended? {
    guard var call = calls[id] else { return nil }
    call.metadata.entries += frame.metadata.entries
    if let message = frame.message {
      guard call.message == nil else {
        return end(id, .unexpected("more than one message"), tellsWorker: frame.status == nil)
      }
      call.message = message
    }
    guard let status = frame.status else {
      calls[id] = call
      return nil
    }
    if let error = status.error { return end(id, error) }
    guard let message = call.message else { return end(id, .unexpected("no message")) }
    calls[id] = nil
    let answer = Answer(
      message: message, metadata: call.metadata, trailers: status.trailers)
    return Ended(waiter: call.waiter, result: .success(answer))
  }

  /// A frame came in that is none.
  mutating func receiveMalformed(_ id: UInt32, _ reason: String) -> Ended? {
    end(
      id, RPCError(.internal, "the worker's answer is damaged: \(reason)"), tellsWorker: true)
  }

  /// The caller gives the call up. A call that is not open yet will not be.
  mutating func cancel(_ id: UInt32) -> Ended? {
    guard calls[id] != nil else {
      cancelledEarly.insert(id)
      return nil
    }
    return end(id, .cancelledByCaller, tellsWorker: true)
  }

  /// The caller is done with a call that it may have cancelled after its end.
  mutating func forget(_ id: UInt32) {
    cancelledEarly.remove(id)
  }

  /// Ends the calls whose deadline has come.
  mutating func expire(_ now: ContinuousClock.Instant) -> [(id: UInt32, ended: Ended)] {
    let due = calls.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
    return due.compactMap { id in
      end(id, .deadlinePassed, tellsWorker: true).map { (id, $0) }
    }
  }

  /// The earliest deadline of a call in progress.
  var nextDeadline: ContinuousClock.Instant? { calls.values.lazy.compactMap(\.deadline).min() }

  /// The connection is over: ends all calls, each told whether its request was handed to the
  /// transport, and opens no more.
  mutating func close(_ error: RPCError, isSubmitted: (UInt64) -> Bool) -> [Ended] {
    if failure == nil { failure = error }
    let ended = calls.sorted { $0.key < $1.key }.map { _, call in
      let execution: CallExecution = isSubmitted(call.place) ? .mayHaveRun : .notStarted
      return Ended(waiter: call.waiter, result: .failure(error.adding(execution)))
    }
    calls.removeAll()
    return ended
  }

  private mutating func end(_ id: UInt32, _ error: RPCError, tellsWorker: Bool = false) -> Ended? {
    guard let call = calls.removeValue(forKey: id) else { return nil }
    return Ended(waiter: call.waiter, result: .failure(error), tellsWorker: tellsWorker)
  }
}

extension RPCError {
  static let cancelledByCaller = RPCError(.cancelled, "the caller gave the call up")
  static let deadlinePassed = RPCError(
    .deadlineExceeded, "the deadline passed before the worker answered")

  fileprivate static func unexpected(_ what: String) -> RPCError {
    RPCError(.internal, "the worker answered a unary call with \(what); it must be exactly one")
  }

  /// The error with what is known about whether the call was carried out, in words and as a detail.
  func adding(_ execution: CallExecution) -> RPCError {
    var error = self
    switch execution {
    case .notStarted: error.message += "; the request was not sent, so repeating it is safe"
    case .mayHaveRun: error.message += "; the request was sent and may have been carried out"
    default: break
    }
    error.details += execution.details
    return error
  }
}
