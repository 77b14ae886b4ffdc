import KithWire
import Synchronization

/// A client's connection to one incarnation of a worker: carries out what its call table decides.
final class ClientConnection: ByteStreamReceiver, Flushable {
  typealias Outcome = Result<Answer, RPCError>

  /// The task that waits for a call. Unsafe means that resuming twice is not caught: the table gives
  /// each waiter back exactly once, which its tests prove.
  private typealias Waiter = UnsafeContinuation<Outcome, Never>
  private typealias Table = ClientCallTable<Waiter>

  private enum Phase {
    /// The peer's hello is awaited. Next: `open` or `closed`.
    case greeting(CheckedContinuation<RPCError?, Never>?)
    /// Calls are made. Next: `closed`.
    case open
    /// The end.
    case closed(RPCError)
  }

  private struct State {
    var phase = Phase.greeting(nil)
    var table: Table
    var queue = WriteQueue()
    /// When the peer's hello must be there; nil once it is.
    var helloDeadline: ContinuousClock.Instant?
  }

  /// Which incarnation of the worker it leads to.
  let generation: UInt64
  private let stream: any ByteStream
  /// Only the transport's reading thread comes here; the lock costs nothing and proves it.
  private let parser: Mutex<FrameParser>
  private let state: Mutex<State>
  private let alarm = Mutex<Alarm?>(nil)
  /// Told once, when no new call can be made; with whether the worker itself said so.
  private let lost: @Sendable (ClientConnection, _ isLeaving: Bool) -> Void

  init(
    _ established: EstablishedConnection, limits: RPCLimits,
    lost: @escaping @Sendable (ClientConnection, _ isLeaving: Bool) -> Void
  ) {
    self.stream = established.stream
    self.generation = established.generation
    self.lost = lost
    self.parser = Mutex(
      FrameParser(
        framing: stream.framing, expectedHello: MessageHeader.workerHello,
        maximumBytes: limits.maximumFrameBytes))
    self.state = Mutex(State(table: Table(maximumCalls: limits.maximumCallsPerConnection)))
    self.alarm.withLock { $0 = Alarm { [weak self] now in self?.ring(now) } }
  }

  /// Whether it is over.
  var isClosed: Bool {
    state.withLock { if case .closed = $0.phase { true } else { false } }
  }

  /// Exchanges the hellos, within `timeout`. No call is sent to a peer that has not shown what it is.
  func open(timeout: Duration) async throws(RPCError) {
    let deadline = ContinuousClock.now + timeout
    let hello = state.withLock { state in
      state.helloDeadline = deadline
      var hello = WireBuffer()
      hello.append(MessageHeader.callerHello)
      state.queue.append(hello)
      return state.queue.next()
    }
    alarm.withLock { $0 }?.set(deadline)
    stream.start(receiver: self)
    if let hello { stream.write(hello) }
    let error = await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let early = state.withLock { state -> RPCError?? in
          switch state.phase {
          case .greeting:
            state.phase = .greeting(continuation)
            return nil
          case .open: return .some(nil)
          case .closed(let error): return error
          }
        }
        if let early { continuation.resume(returning: early) }
      }
    } onCancel: {
      close(RPCError(.cancelled, "nobody waits for the connection any more"))
    }
    if let error { throw error }
  }

  // MARK: - Calls

  /// How frames are delimited on the stream.
  var framing: MessageFraming { stream.framing }

  /// Takes an id for a call.
  func reserveID() -> UInt32 { state.withLock { $0.table.reserveID() } }

  /// Makes the call whose first frame is `frame`, sealed with its id.
  func call(_ id: UInt32, frame: WireBuffer, deadline: ContinuousClock.Instant?) async -> Outcome {
    let outcome = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        open(id, frame, deadline, waiter)
      }
    } onCancel: {
      cancel(id)
    }
    if Task.isCancelled { state.withLock { $0.table.forget(id) } }
    return outcome
  }

  private func open(
    _ id: UInt32, _ frame: WireBuffer, _ deadline: ContinuousClock.Instant?, _ waiter: Waiter
  ) {
    let (error, size) = state.withLock { state -> (RPCError?, Int) in
      let error = state.table.open(
        id, waiter: waiter, place: state.queue.framesQueued, deadline: deadline)
      if error == nil { state.queue.append(frame) }
      return (error, state.queue.bytesQueued)
    }
    if let error { return waiter.resume(returning: .failure(error)) }
    if let deadline { alarm.withLock { $0 }?.set(deadline) }
    written(size)
  }

  private func cancel(_ id: UInt32) {
    finish(id, state.withLock { $0.table.cancel(id) }, reason: "")
  }

  private func finish(_ id: UInt32, _ ended: Table.Ended?, reason: String) {
    guard let ended else { return }
    if ended.tellsWorker { sendCancellation(id, reason) }
    ended.waiter.resume(returning: ended.result)
  }

  private func sendCancellation(_ id: UInt32, _ reason: String) {
    var frame = CallerFrame.cancellation(reason: reason)
    stream.framing.seal(&frame, id: id)
    let size = state.withLock { state -> Int in
      guard case .open = state.phase else { return 0 }
      state.queue.append(frame)
      return state.queue.bytesQueued
    }
    if size > 0 { written(size) }
  }

  // MARK: - Reading

  func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision {
    CallExecutor.shared.beginTurn()
    var events: [FrameParser.Event] = []
    var failure: FrameParser.Failure?
    parser.withLock { parser in
      do throws(FrameParser.Failure) {
        try parser.parse(bytes, into: &events)
      } catch {
        failure = error
      }
    }
    if events.first == .hello { greet() }
    take(events.compactMap(IncomingAnswer.init(event:)))
    guard let failure else { return .proceed }
    close(RPCError(.internal, "the worker broke the protocol: \(failure.reason)"))
    return .pause
  }

  func deliver() {
    CallExecutor.shared.endTurn()
  }

  private func greet() {
    let waiter = state.withLock { state -> CheckedContinuation<RPCError?, Never>? in
      guard case .greeting(let waiter) = state.phase else { return nil }
      state.phase = .open
      state.helloDeadline = nil
      return waiter
    }
    waiter?.resume(returning: nil)
  }

  private func take(_ answers: [IncomingAnswer]) {
    guard !answers.isEmpty else { return }
    let ended = state.withLock { state in
      answers.compactMap { answer in
        switch answer.content {
        case .frame(let frame): state.table.receive(answer.id, frame).map { (answer.id, $0) }
        case .damaged(let reason):
          state.table.receiveMalformed(answer.id, reason).map { (answer.id, $0) }
        }
      }
    }
    var isLeaving = false
    for (id, ended) in ended {
      if case .failure(let error) = ended.result, error.isSafeToMove { isLeaving = true }
      finish(id, ended, reason: "the answer was damaged")
    }
    if isLeaving { lost(self, true) }
  }

  // MARK: - Writing

  private func written(_ size: Int) {
    if let turn = Turn.current, size < WriteQueue.batchSize { turn.hold(self) } else { flush() }
  }

  func flush() {
    let batch = state.withLock { state -> WireBuffer? in
      if case .closed = state.phase { return nil }
      return state.queue.next()
    }
    if let batch { stream.write(batch) }
  }

  func wrote() {
    let batch = state.withLock { state -> WireBuffer? in
      state.queue.wrote()
      if case .closed = state.phase { return nil }
      return state.queue.next()
    }
    if let batch { stream.write(batch) }
  }

  // MARK: - The end

  /// Ends the connection; its calls fail with `error`.
  func close(_ error: RPCError) {
    end(error)
    stream.close()
  }

  func ended(_ error: RPCError?) {
    end(error ?? RPCError(.unavailable, "the worker closed the connection"))
  }

  private func end(_ error: RPCError) {
    let (greeter, calls, isFirst) = state.withLock { state in
      var greeter: CheckedContinuation<RPCError?, Never>?
      switch state.phase {
      case .greeting(let waiter): greeter = waiter
      case .open: break
      case .closed: return (greeter, [Table.Ended](), false)
      }
      state.phase = .closed(error)
      // What is queued but not handed over will not be.
      let queue = state.queue
      return (greeter, state.table.close(error) { queue.isSubmitted($0) }, true)
    }
    guard isFirst else { return }
    alarm.withLock { $0.take() }?.close()
    greeter?.resume(returning: error)
    // The client hears of it first, so that a caller who tries again at once gets a new connection.
    lost(self, false)
    for call in calls { call.waiter.resume(returning: call.result) }
  }

  private func ring(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    let (due, next, isSilent) = state.withLock { state in
      let due = state.table.expire(now)
      let next = [state.helloDeadline, state.table.nextDeadline].compactMap(\.self).min()
      return (due, next, state.helloDeadline.map { $0 <= now } ?? false)
    }
    for (id, ended) in due { finish(id, ended, reason: "the deadline passed") }
    guard isSilent else { return next }
    close(RPCError(.unavailable, "the worker accepted the connection but sent no hello in time"))
    return nil
  }
}
