import KithWire

/// The calls that a client has in progress on one connection: a value that decides how each goes on
/// and how it ends.
///
/// A call is opened once and ended exactly once: by its answer, by the caller, by its deadline, or
/// with the connection. A unary call is gone with its end. A streaming call stays until it is
/// forgotten, so that what came before its end can still be read.
///
/// `Waiter` names a task that waits; each is handed back exactly once, with what it is to be told.
struct ClientCallTable<Waiter: Sendable> {
  /// What a call is opened with.
  enum Shape {
    /// One message each way; the waiter is told the answer.
    case unary(Waiter)
    /// Many messages at least one way. `sendsMore`: the frame that opens it is not the last.
    case streaming(sendsMore: Bool)
  }

  /// What is to be done, in this order: queue, grant, tell the worker, wake.
  struct Reaction {
    /// Messages that are to be sent now.
    var frames: [OutgoingFrame] = []
    /// What the worker is to be granted for the call.
    var grant: Credit?
    /// Whether the worker may still work on the call and must be told to stop; what waits in its
    /// lane is of no use any more.
    var tellsWorker = false
    /// Who is to be told, and what; mostly one.
    var wake: Wake<Waiter>?
    /// Who else.
    var otherWakes: [Wake<Waiter>] = []

    /// This, and `waiter` told `wakeup`.
    func waking(_ waiter: Waiter, _ wakeup: Wakeup) -> Reaction {
      var reaction = self
      reaction.wake(waiter, wakeup)
      return reaction
    }

    fileprivate mutating func wake(_ waiter: Waiter, _ wakeup: Wakeup) {
      if wake == nil {
        wake = Wake(waiter: waiter, wakeup: wakeup)
      } else {
        otherWakes.append(Wake(waiter: waiter, wakeup: wakeup))
      }
    }
  }

  /// A call that has ended beside the one that an event was for.
  struct Ended {
    var id: UInt32
    var reaction: Reaction
  }

  private enum Ending {
    /// The caller's part ended it, or the worker OK, with these trailers.
    case good(Metadata)
    case failed(RPCError)
  }

  private struct Call {
    let deadline: Moment?
    let place: WriteQueue.Place
    /// Waits for the answer of a unary call; nil for a stream.
    var answerWaiter: Waiter?
    var metadata = Metadata()
    var inbox: MessageInbox<Waiter>
    var gate: CreditGate<HeldMessage<Waiter>>
    var sendsMore: Bool
    var ending: Ending?

    /// The waiter of a unary call of which nothing has come in. Mutating only so that a dictionary
    /// lets it look in place: a getter would copy the call.
    mutating func unansweredWaiter() -> Waiter? {
      guard let answerWaiter, metadata.isEmpty, inbox.count == 0, !inbox.isWithinMessage else {
        return nil
      }
      return answerWaiter
    }
  }

  private let limits: RPCLimits
  private var calls: [UInt32: Call] = [:]
  private var failure: RPCError?
  private var lastID = MessageHeader.connectionID
  /// How many calls are in progress.
  private(set) var count = 0

  /// A table within `limits`.
  init(limits: RPCLimits) {
    self.limits = limits
    calls.reserveCapacity(64)
  }

  // MARK: - The caller

  /// An id that no call has, and that none will be given before another four thousand million.
  mutating func reserveID() -> UInt32 {
    repeat {
      lastID = (lastID &+ 1) | MessageHeader.idMark
    } while lastID == MessageHeader.connectionID || calls[lastID] != nil
    return lastID
  }

  /// Opens a call under a reserved id. Answers nil when it is open: its frame must then be queued,
  /// at `place`. Otherwise it is over, and its frame must not be sent.
  mutating func open(
    _ id: UInt32, _ shape: Shape, deadline: Moment?, place: WriteQueue.Place
  ) -> RPCError? {
    if let failure { return failure.adding(.notStarted) }
    guard count < limits.maximumCallsPerConnection else {
      return .tooManyCalls(limits.maximumCallsPerConnection)
    }
    count += 1
    switch shape {
    case .unary(let waiter):
      calls[id] = Call(
        deadline: deadline, place: place, answerWaiter: waiter, inbox: MessageInbox(credit: nil),
        gate: CreditGate(credit: nil), sendsMore: false)
    case .streaming(let sendsMore):
      calls[id] = Call(
        deadline: deadline, place: place, inbox: MessageInbox(credit: .initial),
        gate: CreditGate(credit: .initial), sendsMore: sendsMore)
    }
    return nil
  }

  /// The caller wants the next message of a stream: the waiter is told a message, the end or an
  /// error.
  mutating func read(_ id: UInt32, _ waiter: Waiter) -> Reaction {
    var reaction = Reaction()
    guard let index = calls.index(forKey: id) else {
      reaction.wake(waiter, .failed(.cancelledByCaller))
      return reaction
    }
    switch calls.values[index].inbox.take(waiter) {
    case .message(let message, let grant):
      reaction.wake(waiter, .message(message))
      if calls.values[index].ending == nil { reaction.grant = grant }
    case .end:
      if case .failed(let error) = calls.values[index].ending {
        reaction.wake(waiter, .failed(error))
      } else {
        reaction.wake(waiter, .end)
      }
    case .parked: break
    case .busy: reaction.wake(waiter, .failed(.twoReaders))
    }
    return reaction
  }

  /// The caller wants to send one more message of so many bytes, in a frame that is sealed: the
  /// waiter is told when it is on its way, or why it never will be.
  mutating func write(_ id: UInt32, _ frame: OutgoingFrame, size: Int, _ waiter: Waiter) -> Reaction
  {
    var reaction = Reaction()
    guard let index = calls.index(forKey: id) else {
      reaction.wake(waiter, .failed(.cancelledByCaller))
      return reaction
    }
    switch calls.values[index].ending {
    case .good: reaction.wake(waiter, .failed(.workerReadsNoMore))
    case .failed(let error): reaction.wake(waiter, .failed(error))
    case nil:
      guard calls.values[index].sendsMore else {
        reaction.wake(waiter, .failed(.alreadyFinished))
        return reaction
      }
      let held = HeldMessage(frame: frame, waiter: waiter)
      if calls.values[index].gate.offer(held, size: size) == nil {
        reaction.frames = [frame]
        reaction.wake(waiter, .sent)
      }
    }
    return reaction
  }

  /// The caller sends no more messages; `frame` tells the worker. Messages that are still held are
  /// given back to those who wait with them.
  mutating func finishWriting(_ id: UInt32, _ frame: OutgoingFrame) -> Reaction {
    var reaction = Reaction()
    guard let index = calls.index(forKey: id), calls.values[index].ending == nil,
      calls.values[index].sendsMore
    else { return reaction }
    calls.values[index].sendsMore = false
    for held in calls.values[index].gate.close() {
      reaction.wake(held.waiter, .failed(.alreadyFinished))
    }
    reaction.frames = [frame]
    return reaction
  }

  /// The caller gives the call up.
  mutating func cancel(_ id: UInt32) -> Reaction {
    end(id, .failed(.cancelledByCaller), tellsWorker: true, keepsMessages: false)
  }

  /// Nobody will ask about a streaming call any more; it ends if it is in progress.
  mutating func forget(_ id: UInt32) -> Reaction {
    defer { calls[id] = nil }
    return cancel(id)
  }

  /// What the worker has told beside the messages so far.
  func metadata(of id: UInt32) -> Metadata { calls[id]?.metadata ?? [:] }

  /// What the worker told at the end of a call that ended OK; empty before.
  func trailers(of id: UInt32) -> Metadata {
    if case .good(let trailers) = calls[id]?.ending { return trailers }
    return [:]
  }

  // MARK: - The worker

  /// A frame of the worker came in. It is ignored when the call is over.
  mutating func receive(_ id: UInt32, _ frame: WorkerFrame) -> Reaction {
    guard let index = calls.index(forKey: id) else { return Reaction() }
    if let reaction = answer(index, frame) { return reaction }
    guard calls.values[index].ending == nil else { return Reaction() }
    var reaction = Reaction()
    if !frame.metadata.isEmpty { calls.values[index].metadata.entries += frame.metadata.entries }
    if let credit = frame.credit {
      for held in calls.values[index].gate.grant(credit) {
        reaction.frames.append(held.frame)
        reaction.wake(held.waiter, .sent)
      }
    }
    if let message = frame.message {
      if let error = receive(index, message, frame, &reaction) {
        reaction.merge(
          end(id, .failed(error), tellsWorker: frame.status == nil, keepsMessages: false))
        return reaction
      }
    }
    if let status = frame.status { reaction.merge(finish(id, index, status)) }
    return reaction
  }

  /// The common case: the one frame of a unary answer. Nil when it is another.
  private mutating func answer(
    _ index: Dictionary<UInt32, Call>.Index, _ frame: WorkerFrame
  ) -> Reaction? {
    guard let status = frame.status, status.code == .ok, let message = frame.message,
      !frame.isPart, let waiter = calls.values[index].unansweredWaiter()
    else { return nil }
    calls.remove(at: index)
    count -= 1
    let answer = Answer(message: message, metadata: frame.metadata, trailers: status.trailers)
    return Reaction(wake: Wake(waiter: waiter, wakeup: .answer(answer)))
  }

  /// Takes a message in; answers what is wrong with it.
  private mutating func receive(
    _ index: Dictionary<UInt32, Call>.Index, _ message: ArraySlice<UInt8>, _ frame: WorkerFrame,
    _ reaction: inout Reaction
  ) -> RPCError? {
    let isUnary = calls.values[index].answerWaiter != nil
    if isUnary, calls.values[index].inbox.count > 0 { return .unexpected("more than one message") }
    do throws(MessageInbox<Waiter>.Violation) {
      let delivery = try calls.values[index].inbox.receive(
        message, isPart: frame.isPart, maximumBytes: limits.maximumMessageBytes)
      guard let delivery else { return nil }
      reaction.wake(delivery.reader, .message(delivery.message))
      if frame.status == nil { reaction.grant = delivery.grant }
      return nil
    } catch {
      switch error {
      case .noCredit:
        return RPCError(.internal, "the worker sent a message that it had no credit for")
      case .tooLong:
        return RPCError(
          .resourceExhausted,
          "the worker's message has more than \(limits.maximumMessageBytes) bytes, which is the limit"
        )
      }
    }
  }

  private mutating func finish(
    _ id: UInt32, _ index: Dictionary<UInt32, Call>.Index, _ status: CallStatus
  ) -> Reaction {
    if let error = status.error {
      return end(id, .failed(error), tellsWorker: false, keepsMessages: true)
    }
    if calls.values[index].inbox.isWithinMessage {
      return end(
        id, .failed(.unexpected("a part of a message")), tellsWorker: false, keepsMessages: true)
    }
    guard let waiter = calls.values[index].answerWaiter else {
      return end(id, .good(status.trailers), tellsWorker: false, keepsMessages: true)
    }
    guard let message = calls.values[index].inbox.takeFirst() else {
      return end(id, .failed(.unexpected("no message")), tellsWorker: false, keepsMessages: false)
    }
    let metadata = calls.values[index].metadata
    calls.remove(at: index)
    count -= 1
    var reaction = Reaction()
    reaction.wake(
      waiter, .answer(Answer(message: message, metadata: metadata, trailers: status.trailers)))
    return reaction
  }

  /// A frame came in that is none.
  mutating func receiveMalformed(_ id: UInt32, _ reason: String) -> Reaction {
    end(
      id, .failed(RPCError(.internal, "the worker's answer is damaged: \(reason)")),
      tellsWorker: true, keepsMessages: true)
  }

  // MARK: - Time and the connection

  /// Ends the calls whose deadline has come.
  mutating func expire(_ now: Moment) -> [Ended] {
    let due = calls.filter {
      $0.value.ending == nil && $0.value.deadline.map { $0 <= now } ?? false
    }
    return due.keys.sorted().map { id in
      Ended(
        id: id,
        reaction: end(
          id, .failed(.deadlinePassed), tellsWorker: true, keepsMessages: false))
    }
  }

  /// The earliest deadline of a call in progress.
  var nextDeadline: Moment? {
    calls.values.lazy.filter { $0.ending == nil }.compactMap(\.deadline).min()
  }

  /// The connection is over: ends all calls, each told whether its request was handed to the
  /// transport, and opens no more.
  mutating func close(_ error: RPCError, _ queue: WriteQueue) -> [Ended] {
    if failure == nil { failure = error }
    return calls.filter { $0.value.ending == nil }.keys.sorted().map { id in
      let execution: CallExecution =
        queue.isSubmitted(calls[id]?.place ?? .behind, of: id) ? .mayHaveRun : .notStarted
      return Ended(
        id: id,
        reaction: end(
          id, .failed(error.adding(execution)), tellsWorker: false, keepsMessages: true))
    }
  }

  /// Ends a call that is in progress; its waiters are told.
  private mutating func end(
    _ id: UInt32, _ ending: Ending, tellsWorker: Bool, keepsMessages: Bool
  ) -> Reaction {
    var reaction = Reaction()
    guard let index = calls.index(forKey: id), calls.values[index].ending == nil else {
      return reaction
    }
    count -= 1
    reaction.tellsWorker = tellsWorker
    let wakeup: Wakeup
    let writerError: RPCError
    switch ending {
    case .good: (wakeup, writerError) = (.end, .workerReadsNoMore)
    case .failed(let error): (wakeup, writerError) = (.failed(error), error)
    }
    if let waiter = calls.values[index].answerWaiter {
      calls.remove(at: index)
      reaction.wake(waiter, wakeup)
      return reaction
    }
    calls.values[index].ending = ending
    let reader =
      keepsMessages ? calls.values[index].inbox.end() : calls.values[index].inbox.close()
    if let reader { reaction.wake(reader, wakeup) }
    for held in calls.values[index].gate.close() {
      reaction.wake(held.waiter, .failed(writerError))
    }
    return reaction
  }
}

extension ClientCallTable.Reaction {
  /// Adds what another event of the same call asks for.
  fileprivate mutating func merge(_ other: Self) {
    frames += other.frames
    tellsWorker = tellsWorker || other.tellsWorker
    if other.tellsWorker { grant = nil }
    for wake in [other.wake].compactMap(\.self) + other.otherWakes {
      self.wake(wake.waiter, wake.wakeup)
    }
  }
}

extension RPCError {
  static let cancelledByCaller = RPCError(.cancelled, "the caller gave the call up")
  static let cancelledBeforeSending = RPCError(
    .cancelled, "the caller gave the call up before it was sent",
    details: CallExecution.notStarted.details)
  static let deadlinePassed = RPCError(
    .deadlineExceeded, "the deadline passed before the worker answered")
  static let alreadyFinished = RPCError(
    .failedPrecondition, "a message was written to a stream that was finished")
  static let workerReadsNoMore = RPCError(
    .failedPrecondition, "the worker has ended the call and reads no further message")
  static let twoReaders = RPCError(
    .failedPrecondition, "two tasks read one stream at the same time: let one read")

  fileprivate static func tooManyCalls(_ limit: Int) -> RPCError {
    RPCError(
      .resourceExhausted,
      "\(limit) calls are in progress on this connection, which is the limit: wait for some",
      details: CallExecution.notStarted.details)
  }

  fileprivate static func unexpected(_ what: String) -> RPCError {
    RPCError(.internal, "the worker ended its answer with \(what); it must be exactly one")
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
