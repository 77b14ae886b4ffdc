/// The calls that one connection of a server has in progress: a value that decides what each frame
/// starts, ends or is answered.
///
/// Ids are the caller's, so each call also gets a serial number: a handler that outlives its call (past
/// the deadline, say) cannot be taken for a later call with the same id. Frames go to their own call's
/// state, so a call of many messages is one more `State`, and changes nothing here.
struct ServerCallTable {
  /// A running handler.
  typealias Handler = Task<Void, Never>

  /// Whether the server takes a call.
  enum Opening {
    /// It does, and this method answers it.
    case allowed(MethodDescriptor)
    /// It does not, and this is why.
    case refused(CallStatus)
  }

  /// What is to be done.
  enum Reaction {
    /// Nothing.
    case none
    /// Run the handler, in a task of its own; then tell `attach` and, at its end, `finish`.
    case start(ServedCall)
    /// Answer the caller, which ends the call, and cancel the handler, if one runs.
    case end(Ending)
  }

  /// The end of a call that its handler has not brought about.
  struct Ending {
    var id: UInt32
    /// Nil when there is nobody to answer.
    var status: CallStatus?
    var handler: Handler?
  }

  private enum State {
    /// Opened without a message. Next: `running`, or gone.
    case waiting(CallerFrame.Start, MethodDescriptor)
    /// The handler runs; nil until `attach`. Next: gone, or into `lingering`.
    case running(Handler?)
  }

  private struct Call {
    var serial: UInt64
    var deadline: Moment?
    var state: State
  }

  private let maximumCalls: Int
  private let peer: PeerIdentity
  private var calls: [UInt32: Call] = [:]
  /// Handlers that have not returned although their call is over; they count as in progress.
  private var lingering: [UInt64: Handler?] = [:]
  private var lastSerial: UInt64 = 0
  private var isClosed = false

  /// A table for at most `maximumCalls` calls at once.
  init(maximumCalls: Int, peer: PeerIdentity = PeerIdentity()) {
    self.maximumCalls = maximumCalls
    self.peer = peer
    calls.reserveCapacity(64)
  }

  /// How many calls are in progress, lingering handlers included.
  var count: Int { calls.count + lingering.count }

  /// A frame of the caller came in; `opening` tells what becomes of it if it is the first of a call.
  mutating func receive(
    _ id: UInt32, _ frame: CallerFrame, _ opening: @autoclosure () -> Opening, now: Moment
  ) -> Reaction {
    guard !isClosed else { return .none }
    if frame.cancel != nil { return end(id, .cancelledByCaller) }
    if let call = calls[id] {
      // A second start is a plain REQ socket that asks again after its resend time: the call is in
      // progress, and its answer will come.
      guard frame.start == nil, case .waiting(let start, let method) = call.state else {
        return .none
      }
      guard let message = frame.message else {
        return frame.isHalfClose ? end(id, .noMessage) : .none
      }
      calls[id] = Call(serial: call.serial, deadline: call.deadline, state: .running(nil))
      return .start(served(id, call.serial, start, method, call.deadline, message))
    }
    // Anything but a start belongs to a call that is over.
    guard let start = frame.start else { return .none }
    return open(id, start, frame, opening(), now)
  }

  private mutating func open(
    _ id: UInt32, _ start: CallerFrame.Start, _ frame: CallerFrame, _ opening: Opening,
    _ now: Moment
  ) -> Reaction {
    let method: MethodDescriptor
    switch opening {
    case .allowed(let allowed): method = allowed
    case .refused(let status): return .end(Ending(id: id, status: status))
    }
    guard count < maximumCalls else {
      return .end(Ending(id: id, status: .tooManyCalls(maximumCalls, on: "this connection")))
    }
    var deadline: Moment?
    if let microseconds = start.timeoutMicroseconds {
      guard microseconds > 0 else {
        return .end(Ending(id: id, status: .deadlinePassedBeforeStart))
      }
      deadline = now.advanced(byMicroseconds: microseconds)
    }
    lastSerial += 1
    if let message = frame.message {
      calls[id] = Call(serial: lastSerial, deadline: deadline, state: .running(nil))
      return .start(served(id, lastSerial, start, method, deadline, message))
    }
    if frame.isHalfClose { return .end(Ending(id: id, status: .noMessage)) }
    calls[id] = Call(serial: lastSerial, deadline: deadline, state: .waiting(start, method))
    return .none
  }

  private func served(
    _ id: UInt32, _ serial: UInt64, _ start: CallerFrame.Start, _ method: MethodDescriptor,
    _ deadline: Moment?, _ message: ArraySlice<UInt8>
  ) -> ServedCall {
    ServedCall(
      id: id, serial: serial, method: method, metadata: start.metadata, deadline: deadline,
      peer: peer, traceparent: start.traceparent, message: message)
  }

  /// A frame came in that is none: its call ends, or is answered if there is none.
  mutating func receiveMalformed(_ id: UInt32, _ reason: String) -> Reaction {
    guard !isClosed else { return .none }
    let status = CallStatus(.invalidArgument, "the frame is damaged: \(reason)")
    return calls[id] == nil ? .end(Ending(id: id, status: status)) : end(id, status)
  }

  /// The handler of a call runs. Answers whether it must be cancelled at once.
  mutating func attach(_ handler: Handler, to call: ServedCall) -> Bool {
    if let index = calls.index(forKey: call.id), calls.values[index].serial == call.serial {
      calls.values[index].state = .running(handler)
      return false
    }
    guard lingering[call.serial] != nil else { return false }
    lingering[call.serial] = .some(handler)
    return true
  }

  /// The handler has returned. Answers whether its answer is still wanted.
  mutating func finish(_ call: ServedCall) -> Bool {
    if !lingering.isEmpty, lingering.removeValue(forKey: call.serial) != nil { return false }
    guard let index = calls.index(forKey: call.id), calls.values[index].serial == call.serial
    else { return false }
    calls.remove(at: index)
    return true
  }

  /// Ends the calls whose deadline has come.
  mutating func expire(_ now: Moment) -> [Ending] {
    let due = calls.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
    return due.compactMap { ending(of: $0, .deadlinePassed) }
  }

  /// The earliest deadline of a call in progress.
  var nextDeadline: Moment? { calls.values.lazy.compactMap(\.deadline).min() }

  /// The connection is over: all calls end, and no frame counts any more.
  mutating func close() -> [Ending] {
    isClosed = true
    return calls.keys.sorted().compactMap { ending(of: $0, nil) }
  }

  private mutating func end(_ id: UInt32, _ status: CallStatus) -> Reaction {
    ending(of: id, status).map { .end($0) } ?? .none
  }

  /// Takes a call out; its handler, if one runs, lingers until it returns.
  private mutating func ending(of id: UInt32, _ status: CallStatus?) -> Ending? {
    guard let call = calls.removeValue(forKey: id) else { return nil }
    guard case .running(let handler) = call.state else { return Ending(id: id, status: status) }
    lingering[call.serial] = .some(handler)
    return Ending(id: id, status: status, handler: handler)
  }
}

extension CallStatus {
  static let cancelledByCaller = CallStatus(.cancelled, "the caller gave the call up")
  static let deadlinePassed = CallStatus(
    .deadlineExceeded, "the deadline passed before the handler answered")
  static let deadlinePassedBeforeStart = CallStatus(
    .deadlineExceeded, "the deadline had passed before the call was started",
    details: CallExecution.notStarted.details)
  static let noMessage = CallStatus(.invalidArgument, "the call was closed without a request")

  static func tooManyCalls(_ limit: Int, on place: String) -> CallStatus {
    CallStatus(
      .resourceExhausted,
      "\(limit) calls are in progress on \(place), which is the limit: wait for some to end",
      details: CallExecution.notStarted.details)
  }
}
