/// The calls that one connection of a server has in progress: a value that decides what each frame
/// starts, ends or is answered.
///
/// `Handle` stands for a running handler. Ids are the caller's, so each call also gets a serial number:
/// a handler that outlives its call (past the deadline, say) cannot be taken for a later call with the
/// same id. Frames go to their own call's state, so a call of many messages is one more kind of `State`.
struct ServerCallTable<Handle: Sendable>: Sendable {
  /// A call that can start.
  struct Start: Equatable {
    var id: UInt32
    var serial: UInt64
    var start: CallerFrame.Start
    var message: ArraySlice<UInt8>
    var deadline: ContinuousClock.Instant?
  }

  /// What is to be done.
  enum Action: Sendable {
    /// Run the handler, in a task of its own; then tell `attach` and, at its end, `finish`.
    case start(Start)
    /// Send an answer that ends the call.
    case answer(id: UInt32, CallStatus)
    /// Cancel a handler.
    case cancel(Handle)
  }

  private enum State {
    /// Opened without a message. Next: `running`, or gone.
    case waiting(CallerFrame.Start)
    /// The handler runs; its handle is nil until `attach`. Next: gone, or into `lingering`.
    case running(Handle?)
  }

  private struct Call {
    var serial: UInt64
    var deadline: ContinuousClock.Instant?
    var state: State
  }

  private let maximumCalls: Int
  private var calls: [UInt32: Call] = [:]
  /// Handlers that have not returned although their call is over; they count as in progress.
  private var lingering: [UInt64: Handle?] = [:]
  private var nextSerial: UInt64 = 0
  private var isClosed = false

  /// A table for at most `maximumCalls` calls at once.
  init(maximumCalls: Int) {
    self.maximumCalls = maximumCalls
    calls.reserveCapacity(64)
  }

  /// How many calls are in progress, lingering handlers included.
  var count: Int { calls.count + lingering.count }

  /// A frame of the caller came in. `refusal` is why the server takes no new call of this kind now.
  mutating func receive(
    _ id: UInt32, _ frame: CallerFrame, refusal: CallStatus? = nil,
    now: @autoclosure () -> ContinuousClock.Instant
  ) -> [Action] {
    guard !isClosed else { return [] }
    if frame.cancel != nil { return end(id, .cancelledByCaller) }
    if let call = calls[id] {
      // A second start is a plain REQ socket that asks again after its resend time: the call is in
      // progress, and its answer will come.
      guard frame.start == nil, case .waiting(let start) = call.state else { return [] }
      if let message = frame.message { return [run(id, start, message)] }
      return frame.isHalfClose ? end(id, .noMessage) : []
    }
    // Anything but a start belongs to a call that is over.
    guard let start = frame.start else { return [] }
    return open(id, start, frame, refusal, now)
  }

  private mutating func open(
    _ id: UInt32, _ start: CallerFrame.Start, _ frame: CallerFrame, _ refusal: CallStatus?,
    _ now: () -> ContinuousClock.Instant
  ) -> [Action] {
    if let refusal { return [.answer(id: id, refusal)] }
    guard count < maximumCalls else {
      return [.answer(id: id, .tooManyCalls(maximumCalls, on: "this connection"))]
    }
    var deadline: ContinuousClock.Instant?
    if let microseconds = start.timeoutMicroseconds {
      guard microseconds > 0 else { return [.answer(id: id, .deadlinePassedBeforeStart)] }
      // A budget beyond a century is none; unbounded, it would overflow the clock.
      deadline = now() + .microseconds(min(microseconds, 100 * 365 * 86_400 * 1_000_000))
    }
    nextSerial += 1
    calls[id] = Call(serial: nextSerial, deadline: deadline, state: .waiting(start))
    if let message = frame.message { return [run(id, start, message)] }
    return frame.isHalfClose ? end(id, .noMessage) : []
  }

  private mutating func run(
    _ id: UInt32, _ start: CallerFrame.Start, _ message: ArraySlice<UInt8>
  ) -> Action {
    guard let call = calls[id] else { preconditionFailure("only an open call is run") }
    calls[id]?.state = .running(nil)
    return .start(
      Start(id: id, serial: call.serial, start: start, message: message, deadline: call.deadline))
  }

  /// A frame came in that is none: its call ends, or is answered if there is none.
  mutating func receiveMalformed(_ id: UInt32, _ reason: String) -> [Action] {
    guard !isClosed else { return [] }
    let status = CallStatus(.invalidArgument, "the frame is damaged: \(reason)")
    return calls[id] == nil ? [.answer(id: id, status)] : end(id, status)
  }

  /// The handler of a call runs as `handle`. Answers whether it must be cancelled at once.
  mutating func attach(_ handle: Handle, id: UInt32, serial: UInt64) -> Bool {
    if let call = calls[id], call.serial == serial {
      calls[id]?.state = .running(handle)
      return false
    }
    if lingering[serial] != nil {
      lingering[serial] = .some(handle)
      return true
    }
    return false
  }

  /// The handler has returned. Answers whether its answer is still wanted.
  mutating func finish(id: UInt32, serial: UInt64) -> Bool {
    if lingering.removeValue(forKey: serial) != nil { return false }
    guard let call = calls[id], call.serial == serial else { return false }
    calls[id] = nil
    return true
  }

  /// Ends the calls whose deadline has come.
  mutating func expire(_ now: ContinuousClock.Instant) -> [Action] {
    let due = calls.filter { $0.value.deadline.map { $0 <= now } ?? false }.keys.sorted()
    return due.flatMap { end($0, .deadlinePassed) }
  }

  /// The earliest deadline of a call in progress.
  var nextDeadline: ContinuousClock.Instant? { calls.values.lazy.compactMap(\.deadline).min() }

  /// The connection is over: cancels all handlers and takes nothing more. `abandoned` is how many
  /// calls ended that no handler will report.
  mutating func close() -> [Action] {
    isClosed = true
    return calls.keys.sorted().flatMap { end($0, nil) }
  }

  /// Ends a call: answers it, if `status` is given, and cancels its handler, which then lingers.
  private mutating func end(_ id: UInt32, _ status: CallStatus?) -> [Action] {
    guard let call = calls.removeValue(forKey: id) else { return [] }
    var actions: [Action] = []
    if let status { actions.append(.answer(id: id, status)) }
    if case .running(let handle) = call.state {
      lingering[call.serial] = .some(handle)
      if let handle { actions.append(.cancel(handle)) }
    }
    return actions
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
