/// Whether a server takes a call.
enum CallAdmission {
  /// It does: this method answers it, and this is who calls.
  case allowed(MethodDescriptor, by: Principal = .stranger)
  /// It does not, and this is why.
  case refused(CallStatus)
}

/// The calls that one connection of a server has in progress: a value that decides what each frame
/// starts, continues, ends or is answered.
///
/// Ids are the caller's, so each call also gets a serial number: a handler that outlives its call (past
/// the deadline, say) cannot be taken for a later call with the same id.
///
/// `Waiter` names a task of a handler that waits for a message or for credit; each is handed back
/// exactly once, with what it is to be told.
struct ServerCallTable<Waiter: Sendable> {
  /// A running handler.
  typealias Handler = Task<Void, Never>

  /// What is to be done, in this order: queue, grant, end, wake, start.
  struct Reaction {
    /// Messages that are to be sent now.
    var frames: [OutgoingFrame] = []
    /// What the caller is to be granted for the call.
    var grant: Credit?
    /// The call ends: answer the caller, and cancel the handler, if one runs.
    var ending: Ending?
    /// Whose tasks are to be told, and what.
    var wakes: [Wake<Waiter>] = []
    /// Run the handler, in a task of its own; then tell `attach` and, at its end, `finish`.
    var start: ServedCall?

    /// The call ends before it has begun, and the caller is told so.
    fileprivate static func refuse(_ id: UInt32, _ status: CallStatus) -> Reaction {
      Reaction(ending: Ending(id: id, status: status.ofCallNotStarted))
    }
  }

  /// The end of a call that its handler has not brought about.
  struct Ending {
    var id: UInt32
    /// Nil when there is nobody to answer.
    var status: CallStatus?
    var handler: Handler?
  }

  private struct Call {
    var serial: UInt64
    var deadline: Moment?
    /// What a call of one message was opened with, until that is there and the handler starts.
    var waiting: (start: CallerFrame.Start, method: MethodDescriptor, principal: Principal)?
    /// Nil until `attach`.
    var handler: Handler?
    var takesMany: Bool
    /// Whether it has more than one message either way, and may so hold as much as its credit.
    var isStream: Bool
    var inbox: MessageInbox<Waiter>
    var gate: CreditGate<HeldMessage<Waiter>>

    /// Whoever still waits for something of a call that is over.
    mutating func leftBehind() -> [Wake<Waiter>] {
      var waiters = gate.close().map(\.waiter)
      if let reader = inbox.close() { waiters.append(reader) }
      return waiters.map { Wake(waiter: $0, wakeup: .failed(.callIsOver)) }
    }
  }

  private let limits: RPCLimits
  private let peer: PeerIdentity
  private var calls: [UInt32: Call] = [:]
  /// Handlers that have not returned although their call is over; they count as in progress.
  private var lingering: [UInt64: Handler?] = [:]
  /// How many of the calls are streams.
  private var streams = 0
  private var lastSerial: UInt64 = 0
  private var isClosed = false

  /// Whether the caller takes messages in parts and keeps to credit; it says so before its first call.
  var peerTakesParts = false

  /// A table within `limits`, of a connection from `peer`.
  init(limits: RPCLimits, peer: PeerIdentity = PeerIdentity()) {
    self.limits = limits
    self.peer = peer
    calls.reserveCapacity(64)
  }

  /// How many calls are in progress, lingering handlers included.
  var count: Int { calls.count + lingering.count }

  /// The ids of the calls whose end the caller waits for.
  var openIDs: Set<UInt32> { Set(calls.keys) }

  // MARK: - The caller

  /// A frame of the caller came in; `admission` tells what becomes of it if it is the first of a call.
  mutating func receive(
    _ id: UInt32, _ frame: CallerFrame, _ admission: @autoclosure () -> CallAdmission, now: Moment
  ) -> Reaction {
    guard !isClosed else { return Reaction() }
    if frame.cancel != nil { return end(id, .cancelledByCaller) }
    if let index = calls.index(forKey: id) {
      // A second start is a plain REQ socket that asks again after its resend time: the call is in
      // progress, and its answer will come.
      return frame.start == nil ? proceed(id, index, frame) : Reaction()
    }
    // Anything but a start belongs to a call that is over.
    guard let start = frame.start else { return Reaction() }
    return open(id, start, frame, admission(), now)
  }

  private mutating func open(
    _ id: UInt32, _ start: CallerFrame.Start, _ frame: CallerFrame, _ admission: CallAdmission,
    _ now: Moment
  ) -> Reaction {
    let (method, principal): (MethodDescriptor, Principal)
    switch admission {
    case .allowed(let allowed, let caller): (method, principal) = (allowed, caller)
    case .refused(let status): return .refuse(id, status)
    }
    guard id != MessageHeader.connectionID else { return .refuse(id, .idOfTheConnection) }
    guard count < limits.maximumCallsPerConnection else {
      return .refuse(id, .tooManyCalls(limits.maximumCallsPerConnection, on: "this connection"))
    }
    let isStream = method.shape != .unary
    guard !isStream || streams < limits.maximumStreamsPerConnection else {
      return .refuse(id, .tooManyStreams(limits.maximumStreamsPerConnection))
    }
    var deadline: Moment?
    if let microseconds = start.timeoutMicroseconds {
      guard microseconds > 0 else { return .refuse(id, .deadlinePassedBeforeStart) }
      deadline = now.advanced(byMicroseconds: microseconds)
    }
    lastSerial += 1
    if isStream { streams += 1 }
    var call = Call(
      serial: lastSerial, deadline: deadline, takesMany: method.takesMany, isStream: isStream,
      inbox: MessageInbox(credit: method.takesMany && peerTakesParts ? .initial : nil),
      gate: CreditGate(credit: .initial)
    )
    if !method.takesMany, let message = frame.message, !frame.isPart {
      // The common case: all that a call needs came in one frame.
      calls[id] = call
      return Reaction(start: served(id, lastSerial, start, method, principal, deadline, message))
    }
    if !method.takesMany { call.waiting = (start, method, principal) }
    calls[id] = call
    guard let index = calls.index(forKey: id) else { return Reaction() }
    var reaction = proceed(id, index, frame)
    if method.takesMany, reaction.ending == nil {
      reaction.start = served(id, lastSerial, start, method, principal, deadline, [])
    }
    return reaction
  }

  /// What a frame adds to a call.
  private mutating func proceed(
    _ id: UInt32, _ index: Dictionary<UInt32, Call>.Index, _ frame: CallerFrame
  ) -> Reaction {
    var reaction = Reaction()
    if let credit = frame.credit {
      for held in calls.values[index].gate.grant(credit) {
        reaction.frames.append(held.frame)
        reaction.wakes.append(Wake(waiter: held.waiter, wakeup: .sent))
      }
    }
    if let message = frame.message,
      calls.values[index].takesMany || calls.values[index].waiting != nil
    {
      do throws(MessageInbox<Waiter>.Violation) {
        let delivery = try calls.values[index].inbox.receive(
          message, isPart: frame.isPart, maximumBytes: limits.maximumMessageBytes)
        if let delivery {
          reaction.wakes.append(
            Wake(waiter: delivery.reader, wakeup: .message(delivery.message)))
          reaction.grant = delivery.grant
        }
      } catch {
        return reaction.followed(by: end(id, .violation(error, limits)))
      }
    }
    if let (start, method, principal) = calls.values[index].waiting {
      guard let message = calls.values[index].inbox.takeFirst() else {
        return frame.isHalfClose ? reaction.followed(by: end(id, .noMessage)) : reaction
      }
      calls.values[index].waiting = nil
      reaction.start = served(
        id, calls.values[index].serial, start, method, principal, calls.values[index].deadline,
        message)
    } else if frame.isHalfClose, calls.values[index].takesMany {
      if calls.values[index].inbox.isWithinMessage {
        return reaction.followed(by: end(id, .endedWithinMessage))
      }
      if let reader = calls.values[index].inbox.end() {
        reaction.wakes.append(Wake(waiter: reader, wakeup: .end))
      }
    }
    return reaction
  }

  private func served(
    _ id: UInt32, _ serial: UInt64, _ start: CallerFrame.Start, _ method: MethodDescriptor,
    _ principal: Principal, _ deadline: Moment?, _ message: ArraySlice<UInt8>
  ) -> ServedCall {
    ServedCall(
      id: id, serial: serial, method: method, metadata: start.metadata, deadline: deadline,
      peer: peer, principal: principal, traceparent: start.traceparent,
      // One that is none was refused before.
      idempotencyKey: start.idempotencyKey.flatMap { try? IdempotencyKey($0) }, message: message)
  }

  /// A frame came in that is none: its call ends, or is answered if there is none.
  mutating func receiveMalformed(_ id: UInt32, _ reason: String) -> Reaction {
    guard !isClosed else { return Reaction() }
    let status = CallStatus(.invalidArgument, "the frame is damaged: \(reason)")
    return calls[id] == nil ? .refuse(id, status) : end(id, status)
  }

  // MARK: - The handler

  /// The handler of a call runs. Answers whether it must be cancelled at once.
  mutating func attach(_ handler: Handler, to call: ServedCall) -> Bool {
    if let index = index(of: call) {
      calls.values[index].handler = handler
      return false
    }
    guard lingering[call.serial] != nil else { return false }
    lingering[call.serial] = .some(handler)
    return true
  }

  /// The handler wants the caller's next message: the waiter is told a message, the end or an error.
  mutating func read(_ call: ServedCall, _ waiter: Waiter) -> Reaction {
    var reaction = Reaction()
    func wake(_ wakeup: Wakeup) { reaction.wakes.append(Wake(waiter: waiter, wakeup: wakeup)) }
    guard let index = index(of: call) else {
      wake(.failed(.callIsOver))
      return reaction
    }
    switch calls.values[index].inbox.take(waiter) {
    case .message(let message, let grant):
      wake(.message(message))
      reaction.grant = grant
    case .end: wake(.end)
    case .parked: break
    case .busy: wake(.failed(.twoReaders))
    }
    return reaction
  }

  /// The handler wants to send one more message of so many bytes: the waiter is told when it is on its
  /// way, or why it never will be. The ticket names a message that is held back.
  mutating func write(
    _ call: ServedCall, _ frame: OutgoingFrame, size: Int, _ waiter: Waiter
  ) -> (reaction: Reaction, ticket: UInt64?) {
    guard let index = index(of: call) else {
      return (Reaction(wakes: [Wake(waiter: waiter, wakeup: .failed(.callIsOver))]), nil)
    }
    let held = HeldMessage(frame: frame, waiter: waiter)
    if let ticket = calls.values[index].gate.offer(held, size: size) { return (Reaction(), ticket) }
    return (Reaction(frames: [frame], wakes: [Wake(waiter: waiter, wakeup: .sent)]), nil)
  }

  /// What was queued for the caller has been taken: one that keeps to no credit is sent as much again on each stream, so
  /// that the answers of a handler wait with it and not in memory when nobody reads them.
  mutating func refill() -> Reaction {
    var reaction = Reaction()
    guard !peerTakesParts, streams > 0 else { return reaction }
    for id in calls.keys.sorted() {
      guard let index = calls.index(forKey: id), calls.values[index].isStream else { continue }
      for held in calls.values[index].gate.refill(to: .initial) {
        reaction.frames.append(held.frame)
        reaction.wakes.append(Wake(waiter: held.waiter, wakeup: .sent))
      }
    }
    return reaction
  }

  /// The task that waits for a message was cancelled.
  mutating func withdrawReader(of call: ServedCall) -> Waiter? {
    index(of: call).flatMap { calls.values[$0].inbox.withdraw() }
  }

  /// The task that waits with a message that is held back was cancelled: the message is not sent.
  mutating func withdrawMessage(_ ticket: UInt64, of call: ServedCall) -> Waiter? {
    index(of: call).flatMap { calls.values[$0].gate.withdraw(ticket)?.waiter }
  }

  /// The handler has returned. Answers whether its answer is still wanted, and whose tasks, left behind
  /// by the handler, are to be told that the call is over.
  mutating func finish(_ call: ServedCall) -> (isWanted: Bool, wakes: [Wake<Waiter>]) {
    if !lingering.isEmpty, lingering.removeValue(forKey: call.serial) != nil { return (false, []) }
    guard let index = index(of: call) else { return (false, []) }
    var gone = calls.remove(at: index).value
    if gone.isStream { streams -= 1 }
    return (true, gone.leftBehind())
  }

  // MARK: - Time and the connection

  /// Ends the calls whose deadline has come.
  mutating func expire(_ now: Moment) -> [Reaction] {
    let due = calls.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
    return due.map { end($0, .deadlinePassed) }
  }

  /// The earliest deadline of a call in progress.
  var nextDeadline: Moment? { calls.values.lazy.compactMap(\.deadline).min() }

  /// The connection is over: all calls end, and no frame counts any more.
  mutating func close() -> [Reaction] {
    isClosed = true
    return calls.keys.sorted().map { end($0, nil) }
  }

  private func index(of call: ServedCall) -> Dictionary<UInt32, Call>.Index? {
    guard let index = calls.index(forKey: call.id), calls.values[index].serial == call.serial
    else { return nil }
    return index
  }

  /// Takes a call out; its handler, if one runs, lingers until it returns.
  private mutating func end(_ id: UInt32, _ status: CallStatus?) -> Reaction {
    guard var call = calls.removeValue(forKey: id) else { return Reaction() }
    if call.isStream { streams -= 1 }
    let wakes = call.leftBehind()
    guard call.waiting == nil else {
      return Reaction(ending: Ending(id: id, status: status?.ofCallNotStarted), wakes: wakes)
    }
    lingering[call.serial] = .some(call.handler)
    return Reaction(ending: Ending(id: id, status: status, handler: call.handler), wakes: wakes)
  }
}

extension ServerCallTable.Reaction {
  /// This, and then the end of the call.
  fileprivate func followed(by end: Self) -> Self {
    var both = self
    both.grant = nil
    both.ending = end.ending
    both.wakes += end.wakes
    return both
  }
}

extension RPCError {
  static let callIsOver = RPCError(
    .cancelled, "the call is over: its caller, its deadline or the connection ended it")
}

extension CallStatus {
  /// This, and that the call was not started, if it does not say so.
  fileprivate var ofCallNotStarted: CallStatus {
    guard !details.contains(where: { $0.type == CallExecution.typeName }) else { return self }
    var status = self
    status.details += CallExecution.notStarted.details
    return status
  }

  static let cancelledByCaller = CallStatus(.cancelled, "the caller gave the call up")
  static let deadlinePassed = CallStatus(
    .deadlineExceeded, "the deadline passed before the handler answered")
  static let deadlinePassedBeforeStart = CallStatus(
    .deadlineExceeded, "the deadline had passed before the call was started",
    details: CallExecution.notStarted.details)
  static let noMessage = CallStatus(.invalidArgument, "the call was closed without a request")
  static let endedWithinMessage = CallStatus(
    .invalidArgument, "the call was closed in the middle of a message")
  static let idOfTheConnection = CallStatus(
    .invalidArgument, "this call id belongs to the connection: use any other")

  static func violation<Waiter>(
    _ violation: MessageInbox<Waiter>.Violation, _ limits: RPCLimits
  ) -> CallStatus {
    switch violation {
    case .noCredit:
      CallStatus(.resourceExhausted, "a message was sent that there was no credit for")
    case .tooLong:
      CallStatus(
        .resourceExhausted,
        "the message has more than \(limits.maximumMessageBytes) bytes, which is the limit")
    }
  }

  static func tooManyStreams(_ limit: Int) -> CallStatus {
    CallStatus(
      .resourceExhausted,
      "\(limit) streams are in progress on this connection, which is the limit: wait for some to end"
    )
  }

  static func tooManyCalls(_ limit: Int, on place: String) -> CallStatus {
    CallStatus(
      .resourceExhausted,
      "\(limit) calls are in progress on \(place), which is the limit: wait for some to end")
  }
}
