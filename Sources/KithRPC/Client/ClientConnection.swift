import KithWire
import Synchronization

/// A client's connection to one incarnation of a worker: carries out what its call table decides.
final class ClientConnection: ByteStreamReceiver, Flushable, AlarmOwner {
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
    var table: ClientCallTable
    var queue = WriteQueue()
    /// When the peer's hello must be there; nil once it is.
    var helloDeadline: Moment?

    var isClosed: Bool { if case .closed = phase { true } else { false } }
  }

  /// Which incarnation of the worker it leads to.
  let generation: UInt64
  private let stream: any ByteStream
  private let framing: MessageFraming
  /// Only the transport's reading thread comes here; the lock costs nothing and proves it.
  private let parser: Mutex<FrameParser>
  private let state: Mutex<State>
  private let alarm = Alarm()
  /// Told when no new call can be made, with whether the worker itself said so.
  private let lost: @Sendable (ClientConnection, _ isLeaving: Bool) -> Void

  init(
    _ established: EstablishedConnection, limits: RPCLimits,
    lost: @escaping @Sendable (ClientConnection, _ isLeaving: Bool) -> Void
  ) {
    self.stream = established.stream
    self.framing = established.stream.framing
    self.generation = established.generation
    self.lost = lost
    self.parser = Mutex(
      FrameParser(
        framing: stream.framing, expectedHello: MessageHeader.workerHello,
        maximumBytes: limits.maximumFrameBytes))
    self.state = Mutex(
      State(table: ClientCallTable(maximumCalls: limits.maximumCallsPerConnection)))
  }

  /// Whether it is over.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Exchanges the hellos, within `timeout`. No call is sent to a peer that has not shown what it is.
  func open(timeout: Duration) async throws(RPCError) {
    let deadline = Moment.now.advanced(by: timeout)
    state.withLock { state in
      state.helloDeadline = deadline
      var hello = WireBuffer()
      hello.append(MessageHeader.callerHello)
      state.queue.append(hello)
    }
    alarm.set(deadline, for: self)
    stream.start(receiver: self)
    flush()
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

  /// Makes a call and waits for its outcome. Cancelling the task ends it.
  func perform(_ call: ClientCall) async -> ClientCall.Outcome {
    await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        call.waiter = waiter
        open(call)
      }
    } onCancel: {
      if let ended = state.withLock({ $0.table.cancel(call) }) { finish(ended, reason: "") }
    }
  }

  private func open(_ call: ClientCall) {
    let (ended, size) = state.withLock { state in
      (state.table.open(call, framing: framing, into: &state.queue), state.queue.bytesQueued)
    }
    if let ended { return finish(ended, reason: "") }
    if let deadline = call.deadline { alarm.set(deadline, for: self) }
    queued(size)
  }

  private func finish(_ ended: ClientCallTable.Ended, reason: String) {
    if ended.tellsWorker { sendCancellation(ended.call.id, reason) }
    // A call has its waiter from before it is opened.
    ended.call.waiter.take()?.resume(returning: ended.outcome)
  }

  private func sendCancellation(_ id: UInt32, _ reason: String) {
    var frame = CallerFrame.cancellation(reason: reason)
    framing.seal(&frame, id: id)
    let size = state.withLock { state -> Int in
      guard !state.isClosed else { return 0 }
      state.queue.append(frame)
      return state.queue.bytesQueued
    }
    if size > 0 { queued(size) }
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
    for event in events {
      switch event {
      case .hello: greet()
      case .message(let message): receive(message)
      }
    }
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

  private func receive(_ message: FrameParser.Message) {
    let ended: ClientCallTable.Ended?
    do throws(WireError) {
      let frame = try WorkerFrame(decoding: message.frame)
      ended = state.withLock { $0.table.receive(message.id, frame) }
    } catch {
      ended = state.withLock { $0.table.receiveMalformed(message.id, error.message) }
    }
    guard let ended else { return }
    if case .failure(let error) = ended.outcome, error.isSafeToMove { lost(self, true) }
    finish(ended, reason: "the answer was damaged")
  }

  // MARK: - Writing

  /// Writes what is queued, at the end of this thread's turn if it has one.
  private func queued(_ size: Int) {
    if size < WriteQueue.batchSize, let turn = Turn.current { turn.hold(self) } else { flush() }
  }

  func flush() {
    var batch = state.withLock { $0.isClosed ? nil : $0.queue.next() }
    while let next = batch, stream.write(next) { batch = nextAfterWriting() }
  }

  func wrote() {
    var batch = nextAfterWriting()
    while let next = batch, stream.write(next) { batch = nextAfterWriting() }
  }

  private func nextAfterWriting() -> WireBuffer? {
    state.withLock { state in
      state.queue.wrote()
      return state.isClosed ? nil : state.queue.next()
    }
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
    let outcome = state.withLock {
      state -> (CheckedContinuation<RPCError?, Never>?, [ClientCallTable.Ended])? in
      var greeter: CheckedContinuation<RPCError?, Never>?
      switch state.phase {
      case .greeting(let waiter): greeter = waiter
      case .open: break
      case .closed: return nil
      }
      state.phase = .closed(error)
      return (greeter, state.table.close(error, state.queue))
    }
    guard let (greeter, calls) = outcome else { return }
    alarm.close()
    greeter?.resume(returning: error)
    // The client hears of it first, so that a caller who tries again at once gets a new connection.
    lost(self, false)
    for ended in calls { finish(ended, reason: "") }
  }

  func alarmRang(_ now: Moment) -> Moment? {
    let (due, next, isSilent) = state.withLock { state in
      let due = state.table.expire(now)
      let next = [state.helloDeadline, state.table.nextDeadline].compactMap(\.self).min()
      return (due, next, state.helloDeadline.map { $0 <= now } ?? false)
    }
    for ended in due { finish(ended, reason: "the deadline passed") }
    guard isSilent else { return next }
    close(RPCError(.unavailable, "the worker accepted the connection but sent no hello in time"))
    return nil
  }
}
