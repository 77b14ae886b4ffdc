import KithWire

/// The calls that a client has in progress on one connection: a value that decides how each ends.
///
/// A call is opened once and ended exactly once: by its answer, by the caller, by its deadline, or with
/// the connection. Whoever ends it is handed its outcome, and nobody a second time. All frames of a
/// call carry its id, and each goes to that call's own state: a call of many messages changes
/// nothing here.
struct ClientCallTable {
  /// A call that is over, and what its waiter is to be told.
  struct Ended {
    var call: ClientCall
    var outcome: ClientCall.Outcome
    /// Whether the worker may still work on it and must be told to stop.
    var tellsWorker = false
  }

  private let maximumCalls: Int
  private var calls: [UInt32: ClientCall] = [:]
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

  /// Opens a call under an id of its own, its frame to be put into `queue`. Nil means that it is open;
  /// otherwise it is over, and its frame was not sent.
  mutating func open(
    _ call: ClientCall, framing: MessageFraming, into queue: inout WriteQueue
  ) -> Ended? {
    guard case .new = call.phase else {
      return Ended(call: call, outcome: .failure(.cancelledBeforeSending))
    }
    if let failure { return refuse(call, failure.adding(.notStarted)) }
    guard calls.count < maximumCalls else {
      return refuse(
        call,
        RPCError(
          .resourceExhausted,
          "\(maximumCalls) calls are in progress on this connection, which is the limit: wait for some",
          details: CallExecution.notStarted.details))
    }
    while calls[nextID] != nil { nextID = (nextID &+ 1) | MessageHeader.idMark }
    call.phase = .open
    call.id = nextID
    nextID = (nextID &+ 1) | MessageHeader.idMark
    framing.seal(&call.frame, id: call.id)
    call.place = queue.append(call.frame)
    calls[call.id] = call
    return nil
  }

  /// A frame of the worker came in; nil when its call goes on, or is over already.
  mutating func receive(_ id: UInt32, _ frame: WorkerFrame) -> Ended? {
    guard let call = calls[id] else { return nil }
    if !frame.metadata.isEmpty { call.metadata.entries += frame.metadata.entries }
    if let message = frame.message {
      guard call.message == nil else {
        return end(call, .unexpected("more than one message"), tellsWorker: frame.status == nil)
      }
      call.message = message
    }
    guard let status = frame.status else { return nil }
    if let error = status.error { return end(call, error) }
    guard let message = call.message else { return end(call, .unexpected("no message")) }
    calls[id] = nil
    call.phase = .ended
    let answer = Answer(message: message, metadata: call.metadata, trailers: status.trailers)
    return Ended(call: call, outcome: .success(answer))
  }

  /// A frame came in that is none.
  mutating func receiveMalformed(_ id: UInt32, _ reason: String) -> Ended? {
    calls[id].flatMap {
      end($0, RPCError(.internal, "the worker's answer is damaged: \(reason)"), tellsWorker: true)
    }
  }

  /// The caller gives the call up; one that is not open yet never will be.
  mutating func cancel(_ call: ClientCall) -> Ended? {
    switch call.phase {
    case .new:
      call.phase = .ended
      return nil
    case .open: return end(call, .cancelledByCaller, tellsWorker: true)
    case .ended: return nil
    }
  }

  /// Ends the calls whose deadline has come.
  mutating func expire(_ now: Moment) -> [Ended] {
    calls.values.filter { $0.deadline.map { $0 <= now } ?? false }.sorted { $0.id < $1.id }
      .compactMap { end($0, .deadlinePassed, tellsWorker: true) }
  }

  /// The earliest deadline of a call in progress.
  var nextDeadline: Moment? { calls.values.lazy.compactMap(\.deadline).min() }

  /// The connection is over: ends all calls, each told whether its request was handed to the
  /// transport, and opens no more.
  mutating func close(_ error: RPCError, _ queue: WriteQueue) -> [Ended] {
    if failure == nil { failure = error }
    return calls.values.sorted { $0.id < $1.id }.compactMap { call in
      end(call, error.adding(queue.isSubmitted(call.place) ? .mayHaveRun : .notStarted))
    }
  }

  private mutating func end(
    _ call: ClientCall, _ error: RPCError, tellsWorker: Bool = false
  ) -> Ended? {
    guard calls.removeValue(forKey: call.id) != nil else { return nil }
    call.phase = .ended
    return Ended(call: call, outcome: .failure(error), tellsWorker: tellsWorker)
  }

  private func refuse(_ call: ClientCall, _ error: RPCError) -> Ended {
    call.phase = .ended
    return Ended(call: call, outcome: .failure(error))
  }
}

extension RPCError {
  static let cancelledByCaller = RPCError(.cancelled, "the caller gave the call up")
  static let cancelledBeforeSending = RPCError(
    .cancelled, "the caller gave the call up before it was sent",
    details: CallExecution.notStarted.details)
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
