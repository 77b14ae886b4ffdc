import KithWire
import Synchronization

/// A client's connection to one incarnation of a worker: carries out what its call table decides.
final class ClientConnection: ByteStreamReceiver, Flushable, AlarmOwner {
  /// A task that waits. Unsafe means that resuming twice is not caught: the table hands each back
  /// exactly once, which its tests prove.
  private typealias Waiter = UnsafeContinuation<Wakeup, Never>
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
    var queue: WriteQueue
    var keepalive: Keepalive
    /// When the peer's hello must be there; nil once it is.
    var helloDeadline: Moment?

    var isClosed: Bool { if case .closed = phase { true } else { false } }

    /// Queues what a reaction has for the worker.
    mutating func queue(_ reaction: Table.Reaction, of id: UInt32, _ framing: MessageFraming) {
      guard !isClosed else { return }
      for frame in reaction.frames { queue.append(frame) }
      if let grant = reaction.grant {
        queue.append(grant.sealed(field: CallerFrame.creditField, id: id, framing: framing))
      }
      if reaction.tellsWorker {
        queue.discard(id)
        var frame = CallerFrame.cancellation(reason: "")
        framing.seal(&frame, id: id)
        queue.append(OutgoingFrame(id: id, sealed: frame))
      }
    }
  }

  /// Which incarnation of the worker it leads to.
  let generation: UInt64
  /// What each call shows of its caller.
  private let credentials: (@Sendable () -> [Metadata.Entry])?
  private let stream: any ByteStream
  private let framing: MessageFraming
  /// Only the transport's reading thread comes here; the lock costs nothing and proves it.
  private let parser: Mutex<FrameParser>
  private let state: Mutex<State>
  private let alarm = Alarm()
  private let peerTakesParts = Atomic(false)
  /// Told when no new call can be made, with whether the worker itself said so.
  private let lost: @Sendable (ClientConnection, _ isLeaving: Bool) -> Void

  init(
    _ established: EstablishedConnection, limits: RPCLimits,
    lost: @escaping @Sendable (ClientConnection, _ isLeaving: Bool) -> Void
  ) {
    self.stream = established.stream
    self.framing = established.stream.framing
    self.generation = established.generation
    self.credentials = established.credentials
    self.lost = lost
    self.parser = Mutex(
      FrameParser(
        framing: stream.framing, expectedHello: MessageHeader.workerHello,
        maximumBytes: limits.maximumFrameBytes))
    self.state = Mutex(
      State(
        table: Table(limits: limits), queue: WriteQueue(framing: stream.framing),
        keepalive: Keepalive(limits: limits)))
  }

  /// Whether it is over.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  /// Exchanges the hellos, within `timeout`. No call is sent to a peer that has not shown what it
  /// is.
  func open(timeout: Duration) async throws(RPCError) {
    let deadline = Moment.now.advanced(by: timeout)
    let notice = ConnectionNotice(takesParts: true)
      .sealed(field: CallerFrame.connectionField, framing: framing)
    state.withLock { state in
      state.helloDeadline = deadline
      state.queue.append(raw: MessageHeader.callerHello)
      state.queue.append(notice)
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

  /// Makes a unary call and waits for its answer. Cancelling the task ends it.
  func unary(
    _ start: CallStart, _ message: consuming WireBuffer, deadline: Moment?
  ) async -> Result<Answer, RPCError> {
    let id = reserveID()
    let frame = self.frame(id, start.showing(credentials?()), consume message)
    let wakeup = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        if let error = open(id, frame, deadline, .unary(waiter)) {
          waiter.resume(returning: .failed(error))
        }
      }
    } onCancel: {
      change(id) { $0.cancel(id) }
    }
    switch wakeup {
    case .answer(let answer): return .success(answer)
    case .failed(let error): return .failure(error)
    case .message, .end, .sent:
      preconditionFailure("a unary call is told its answer and nothing else")
    }
  }

  /// Opens a streaming call, with its only message if it sends no more, and answers its id. It
  /// stays in the table until `forget`.
  func openStream(
    _ start: CallStart, _ message: consuming WireBuffer?, deadline: Moment?, sendsMore: Bool
  ) throws(RPCError) -> UInt32 {
    let id = reserveID()
    let frame = self.frame(id, start.showing(credentials?()), consume message)
    if let error = open(id, frame, deadline, .streaming(sendsMore: sendsMore)) { throw error }
    return id
  }

  private func reserveID() -> UInt32 { state.withLock { $0.table.reserveID() } }

  private func frame(
    _ id: UInt32, _ start: CallStart?, _ message: consuming WireBuffer?
  ) -> OutgoingFrame {
    .caller(
      id, start: start, message: consume message, framing: framing,
      inParts: peerTakesParts.load(ordering: .relaxed))
  }

  private func open(
    _ id: UInt32, _ frame: OutgoingFrame, _ deadline: Moment?, _ shape: sending Table.Shape
  ) -> RPCError? {
    // A cancellation that came before the call is in the table found nothing to end; one that comes
    // later will.
    let (error, size, check) = state.withLock { state -> (RPCError?, Int, Moment?) in
      if Task.isCancelled { return (.cancelledBeforeSending, 0, nil) }
      let place = state.queue.place(of: frame)
      if let error = state.table.open(id, shape, deadline: deadline, place: place) {
        return (error, 0, nil)
      }
      state.queue.append(frame)
      return (nil, state.queue.bytesQueued, state.keepalive.callOpened(.now))
    }
    if let error { return error }
    if let deadline { alarm.set(deadline, for: self) }
    if let check { alarm.set(check, for: self) }
    queued(size)
    return nil
  }

  /// Changes what the table knows of a call, and carries out what that asks for.
  private func change(_ id: UInt32, _ body: (inout Table) -> Table.Reaction) {
    let (reaction, size) = state.withLock { state -> (Table.Reaction, Int) in
      let reaction = body(&state.table)
      let before = state.queue.bytesQueued
      state.queue(reaction, of: id, framing)
      return (reaction, state.queue.bytesQueued > before ? state.queue.bytesQueued : 0)
    }
    if size > 0 { queued(size) }
    wake(reaction)
  }

  private func wake(_ reaction: Table.Reaction) {
    if let wake = reaction.wake { wake.waiter.resume(returning: wake.wakeup) }
    for wake in reaction.otherWakes { wake.waiter.resume(returning: wake.wakeup) }
  }

  // MARK: - Streams

  /// The next message of a stream; nil at its end. Cancelling the task ends the call.
  func read(_ id: UInt32) async throws(RPCError) -> ArraySlice<UInt8>? {
    let wakeup = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        change(id) { table in
          Task.isCancelled
            ? table.cancel(id).waking(waiter, .failed(.cancelledByCaller)) : table.read(id, waiter)
        }
      }
    } onCancel: {
      change(id) { $0.cancel(id) }
    }
    switch wakeup {
    case .message(let message): return message
    case .failed(let error): throw error
    case .end, .answer, .sent: return nil
    }
  }

  /// Sends a message of a stream; waits while there is no credit for it. Cancelling the task ends
  /// the call.
  func write(_ id: UInt32, _ message: consuming WireBuffer) async throws(RPCError) {
    let size = message.count
    let outgoing = frame(id, nil, consume message)
    let wakeup = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        change(id) { table in
          Task.isCancelled
            ? table.cancel(id).waking(waiter, .failed(.cancelledByCaller))
            : table.write(id, outgoing, size: size, waiter)
        }
      }
    } onCancel: {
      change(id) { $0.cancel(id) }
    }
    if case .failed(let error) = wakeup { throw error }
  }

  /// Says that no message follows.
  func finishWriting(_ id: UInt32) {
    var frame = CallerFrame.halfClose
    framing.seal(&frame, id: id)
    let outgoing = OutgoingFrame(id: id, sealed: frame)
    change(id) { $0.finishWriting(id, outgoing) }
  }

  /// Ends a stream, if it goes on.
  func cancel(_ id: UInt32) { change(id) { $0.cancel(id) } }

  /// Ends a stream that nobody will ask about any more.
  func forget(_ id: UInt32) { change(id) { $0.forget(id) } }

  func metadata(of id: UInt32) -> Metadata { state.withLock { $0.table.metadata(of: id) } }
  func trailers(of id: UInt32) -> Metadata { state.withLock { $0.table.trailers(of: id) } }

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
    state.withLock { $0.keepalive.heard() }
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
    let frame: WorkerFrame
    do throws(WireError) {
      frame = try WorkerFrame(decoding: message.frame)
    } catch {
      return change(message.id) { $0.receiveMalformed(message.id, error.message) }
    }
    if let notice = frame.connection { receive(notice) }
    // The client hears of it first, so that a caller who tries again at once gets a new connection.
    if let error = frame.status?.error, error.isSafeToMove { lost(self, true) }
    change(message.id) { $0.receive(message.id, frame) }
  }

  private func receive(_ notice: ConnectionNotice) {
    if notice.takesParts { peerTakesParts.store(true, ordering: .relaxed) }
    if notice.isLeaving { lost(self, true) }
    if let number = notice.ping { send(ConnectionNotice(pong: number)) }
  }

  // MARK: - Writing

  private func send(_ notice: ConnectionNotice) {
    let frame = notice.sealed(field: CallerFrame.connectionField, framing: framing)
    let size = state.withLock { state -> Int in
      guard !state.isClosed else { return 0 }
      state.queue.append(frame)
      return state.queue.bytesQueued
    }
    if size > 0 { queued(size) }
  }

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
      state -> (CheckedContinuation<RPCError?, Never>?, [Table.Ended])? in
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
    for ended in calls { wake(ended.reaction) }
  }

  func alarmRang(_ now: Moment) -> Moment? {
    let (due, next, isSilent, probe) = state.withLock {
      state -> ([Table.Ended], Moment?, Bool, Keepalive.Verdict) in
      let due = state.table.expire(now)
      for ended in due { state.queue(ended.reaction, of: ended.id, framing) }
      let probe = state.keepalive.check(now, isBusy: state.table.count > 0)
      let moments = [state.helloDeadline, state.table.nextDeadline, state.keepalive.nextCheck]
      return (
        due, moments.compactMap(\.self).min(), state.helloDeadline.map { $0 <= now } ?? false, probe
      )
    }
    if !due.isEmpty { flush() }
    for ended in due { wake(ended.reaction) }
    if isSilent {
      close(RPCError(.unavailable, "the worker accepted the connection but sent no hello in time"))
      return nil
    }
    switch probe {
    case .fine: break
    case .probe(let number): send(ConnectionNotice(ping: number))
    case .dead(let silence):
      close(
        RPCError(
          .unavailable, "the worker has not answered a ping for \(silence): it is stuck or stopped")
      )
      return nil
    }
    return next
  }
}
