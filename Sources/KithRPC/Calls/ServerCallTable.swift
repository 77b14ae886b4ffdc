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
/// Ids are the caller's, so each call also gets a serial number: a handler that outlives its call
/// (past the deadline, say) cannot be taken for a later call with the same id.
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
    /// Run the handler, in a task of its own; then tell `attach` and, at its end, `finish`. A place
    /// was taken for it.
    var start: ServedCall?
    /// When to tell `expire` at the latest.
    var alarm: Moment?

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
    /// How the message under way comes; nil while none is.
    var pace: MessagePace?
    /// The bytes that it counts in `bytesHeld`.
    var held = 0
    /// The bytes of its request, where it is one that counts until the handler has returned.
    var heldByHandler = 0
    /// Whether its handler was started.
    var isRunning = false
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

  /// A handler that has not returned although its call is over.
  private struct Lingering {
    /// Nil until `attach`.
    var handler: Handler?
    var held: Int
  }

  private let limits: RPCLimits
  private let peer: PeerIdentity
  private var calls: [UInt32: Call] = [:]
  /// Handlers that have not returned although their call is over; they count as in progress.
  private var lingering: [UInt64: Lingering] = [:]
  /// How many of the calls are streams.
  private var streams = 0
  /// How many calls wait for their only message.
  private(set) var waiting = 0
  /// How many bytes its calls hold: of messages that are not complete or that no handler has taken,
  /// of requests that wait, and of large ones until their handler has returned.
  private(set) var bytesHeld = 0
  private var lastSerial: UInt64 = 0
  private var isClosed = false

  /// Whether the caller takes messages in parts and keeps to credit; it says so before its first
  /// call.
  var peerTakesParts = false

  /// A table within `limits`, of a connection from `peer`.
  init(
    limits: RPCLimits, peer: PeerIdentity = PeerIdentity()
  ) {
    self.limits = limits
    self.peer = peer
    calls.reserveCapacity(64)
  }

  /// How many calls are in progress, lingering handlers included.
  var count: Int { calls.count + lingering.count }

  /// How many handlers run.
  var running: Int { count - waiting }

  /// The ids of the calls whose end the caller waits for.
  var openIDs: Set<UInt32> { Set(calls.keys) }

  // MARK: - The caller

  /// Whether a message of so many bytes, or a part of one, is kept by the table if it is received,
  /// so that `fits` is to be asked for it. A small request that is complete goes to its handler at
  /// once.
  func keeps(_ id: UInt32, _ frame: CallerFrame) -> Bool {
    guard let message = frame.message else { return frame.start != nil }
    return frame.isPart || message.count > OutgoingFrame.partSize || frame.start == nil
  }

  /// A frame of the caller came in; `admission` tells what becomes of it if it is the first of a
  /// call. `place` takes one of the server's places for running calls, or answers why there is
  /// none; it is asked last, when a handler is to start. `fits` tells whether there is memory for
  /// what the table keeps of the frame.
  mutating func receive(
    _ id: UInt32, _ frame: CallerFrame, _ admission: @autoclosure () -> CallAdmission,
    place: @autoclosure () -> CallStatus? = nil, fits: Bool = true, now: Moment
  ) -> Reaction {
    guard !isClosed else { return Reaction() }
    if frame.cancel != nil { return end(id, .cancelledByCaller) }
    if let index = calls.index(forKey: id) {
      // A second start is a plain REQ socket that asks again after its resend time: the call is in
      // progress, and its answer will come.
      guard frame.start == nil else { return Reaction() }
      guard fits || frame.message == nil else { return end(id, .noMemory) }
      return proceed(id, index, frame, place(), now)
    }
    // Anything but a start belongs to a call that is over.
    guard let start = frame.start else { return Reaction() }
    return open(id, start, frame, admission(), place(), fits, now)
  }

  /// A message of the call was dropped before it was complete, because there is no memory for it.
  mutating func refuseMessage(_ id: UInt32) -> Reaction {
    guard !isClosed else { return Reaction() }
    return calls[id] == nil ? .refuse(id, .noMemory) : end(id, .noMemory)
  }

  private mutating func open(
    _ id: UInt32, _ start: CallerFrame.Start, _ frame: CallerFrame, _ admission: CallAdmission,
    _ place: @autoclosure () -> CallStatus?, _ fits: Bool, _ now: Moment
  ) -> Reaction {
    let (method, principal): (MethodDescriptor, Principal)
    switch admission {
    case .allowed(let allowed, let caller): (method, principal) = (allowed, caller)
    case .refused(let status): return .refuse(id, status)
    }
    guard fits else { return .refuse(id, .noMemory) }
    let isStream = method.shape != .unary
    if let refusal = limitReached(by: id, isStream: isStream) { return .refuse(id, refusal) }
    var deadline: Moment?
    if let microseconds = start.timeoutMicroseconds {
      guard microseconds > 0 else { return .refuse(id, .deadlinePassedBeforeStart) }
      deadline = now.advanced(byMicroseconds: microseconds)
    }
    let isWhole = !method.takesMany && frame.message != nil && !frame.isPart
    if isWhole, let refusal = place() { return .refuse(id, refusal) }
    lastSerial += 1
    if isStream { streams += 1 }
    var call = Call(
      serial: lastSerial, deadline: deadline, takesMany: method.takesMany, isStream: isStream,
      inbox: MessageInbox(credit: method.takesMany && peerTakesParts ? .initial : nil),
      gate: CreditGate(credit: .initial)
    )
    if isWhole, let message = frame.message {
      // The common case: all that a call needs came in one frame.
      call.heldByHandler = bytesKept(with: message)
      call.held = call.heldByHandler
      bytesHeld += call.held
      call.isRunning = true
      calls[id] = call
      return Reaction(
        start: served(id, lastSerial, start, method, principal, deadline, message),
        alarm: deadline)
    }
    if !method.takesMany { wait(for: method, start, principal, &call, now) }
    calls[id] = call
    guard let index = calls.index(forKey: id) else { return Reaction() }
    var reaction = proceed(id, index, frame, nil, now)
    guard reaction.ending == nil else { return reaction }
    reaction.alarm = [deadline, reaction.alarm].compactMap(\.self).min()
    if method.takesMany {
      if let refusal = place() { return reaction.followed(by: end(id, refusal)) }
      calls.values[index].isRunning = true
      reaction.start = served(id, lastSerial, start, method, principal, deadline, [])
    }
    return reaction
  }

  /// Why the connection takes no more calls of this kind; nil when it does.
  private func limitReached(by id: UInt32, isStream: Bool) -> CallStatus? {
    if id == MessageHeader.connectionID { return .idOfTheConnection }
    if count >= limits.maximumCallsPerConnection {
      return .tooManyCalls(limits.maximumCallsPerConnection, on: "this connection")
    }
    return isStream && streams >= limits.maximumStreamsPerConnection
      ? .tooManyStreams(limits.maximumStreamsPerConnection) : nil
  }

  /// A call of one message was opened without it.
  private mutating func wait(
    for method: MethodDescriptor, _ start: CallerFrame.Start, _ principal: Principal,
    _ call: inout Call, _ now: Moment
  ) {
    // The method's name lies in the frame, which is not kept for it.
    var start = start
    start.method = []
    call.waiting = (start, method, principal)
    call.pace = MessagePace(begun: now)
    waiting += 1
  }
  /// A large request counts until its handler has returned, which may hold on to it.
  private func bytesKept(with request: ArraySlice<UInt8>) -> Int {
    request.count > OutgoingFrame.partSize ? request.count : 0
  }

  /// Counts what a call holds.
  private mutating func recount(_ index: Dictionary<UInt32, Call>.Index) {
    var held = calls.values[index].inbox.bytesHeld + calls.values[index].heldByHandler
    if let waiting = calls.values[index].waiting { held += waiting.start.bytesHeld }
    bytesHeld += held - calls.values[index].held
    calls.values[index].held = held
  }

  /// What a frame adds to a call.
  private mutating func proceed(
    _ id: UInt32, _ index: Dictionary<UInt32, Call>.Index, _ frame: CallerFrame,
    _ place: @autoclosure () -> CallStatus?, _ now: Moment
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
      followPace(of: message.count, index, now)
    }
    reaction.alarm = calls.values[index].pace?.deadline(limits.messageTimeout)
    if let (start, method, principal) = calls.values[index].waiting {
      guard let message = calls.values[index].inbox.takeFirst() else {
        recount(index)
        return frame.isHalfClose ? reaction.followed(by: end(id, .noMessage)) : reaction
      }
      if let refusal = place() { return reaction.followed(by: end(id, refusal)) }
      calls.values[index].waiting = nil
      calls.values[index].pace = nil
      calls.values[index].isRunning = true
      waiting -= 1
      calls.values[index].heldByHandler = bytesKept(with: message)
      reaction.alarm = calls.values[index].deadline
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
    recount(index)
    return reaction
  }

  /// So many bytes of a message came in.
  private mutating func followPace(
    of count: Int, _ index: Dictionary<UInt32, Call>.Index, _ now: Moment
  ) {
    let isUnderWay =
      calls.values[index].inbox.isWithinMessage || calls.values[index].waiting != nil
    guard isUnderWay else { return calls.values[index].pace = nil }
    var pace = calls.values[index].pace ?? MessagePace(begun: now)
    pace.received(count)
    calls.values[index].pace = pace
  }

  /// Nothing was read for a while, which is not the caller's doing: the time of the messages under
  /// way begins again.
  mutating func restartPaces(now: Moment) {
    for index in calls.values.indices where calls.values[index].pace != nil {
      calls.values[index].pace = MessagePace(begun: now)
    }
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
    lingering[call.serial]?.handler = handler
    return true
  }

  /// The handler wants the caller's next message: the waiter is told a message, the end or an
  /// error.
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
    recount(index)
    return reaction
  }

  /// The handler wants to send one more message of so many bytes: the waiter is told when it is on
  /// its way, or why it never will be. The ticket names a message that is held back.
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

  /// What was queued for the caller has been taken: one that keeps to no credit is sent as much
  /// again on each stream, so that the answers of a handler wait with it and not in memory when
  /// nobody reads them.
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

  /// The handler has returned. Answers whether its answer is still wanted, and whose tasks, left
  /// behind by the handler, are to be told that the call is over.
  mutating func finish(_ call: ServedCall) -> (isWanted: Bool, wakes: [Wake<Waiter>]) {
    if !lingering.isEmpty, let gone = lingering.removeValue(forKey: call.serial) {
      bytesHeld -= gone.held
      return (false, [])
    }
    guard let index = index(of: call) else { return (false, []) }
    var gone = calls.remove(at: index).value
    if gone.isStream { streams -= 1 }
    bytesHeld -= gone.held
    return (true, gone.leftBehind())
  }

  // MARK: - Time and the connection

  /// Ends the calls whose deadline has come, and those of which a message has been under way for
  /// too long.
  mutating func expire(_ now: Moment) -> [Reaction] {
    let late = calls.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
    let slow = calls.filter {
      $0.value.pace.map { $0.deadline(limits.messageTimeout) <= now } ?? false
    }.keys.sorted()
    return late.map { end($0, .deadlinePassed) }
      + slow.map { end($0, .messageTooSlow) }
      .filter { $0.ending != nil }
  }

  /// The earliest moment at which a call in progress is over, or a message of it must be complete.
  var nextDeadline: Moment? {
    let deadlines = calls.values.lazy.compactMap(\.deadline).min()
    let paces = calls.values.lazy.compactMap { $0.pace?.deadline(limits.messageTimeout) }.min()
    return [deadlines, paces].compactMap(\.self).min()
  }

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
    guard call.isRunning else {
      if call.waiting != nil { waiting -= 1 }
      bytesHeld -= call.held
      return Reaction(ending: Ending(id: id, status: status?.ofCallNotStarted), wakes: wakes)
    }
    bytesHeld -= call.held - call.heldByHandler
    lingering[call.serial] = Lingering(handler: call.handler, held: call.heldByHandler)
    return Reaction(ending: Ending(id: id, status: status, handler: call.handler), wakes: wakes)
  }
}

extension ServerCallTable.Reaction {
  /// This, and then the end of the call.
  fileprivate func followed(by end: Self) -> Self {
    var both = self
    both.grant = nil
    both.alarm = nil
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
  static let messageTooSlow = CallStatus(
    .deadlineExceeded,
    "a message of the call was begun and not completed in the time for it: send it faster, or in smaller ones"
  )
  static let noMemory = CallStatus(
    .resourceExhausted,
    "too many large requests are under way for another one: wait for some to end, or send a smaller one"
  )
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
