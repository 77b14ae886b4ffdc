import KithWire
import Synchronization

/// One caller's connection to a server: carries out what its call table decides.
final class ServerConnection: ByteStreamReceiver, Flushable {
  private typealias Table = ServerCallTable<Task<Void, Never>>

  private struct State {
    var table: Table
    var queue = WriteQueue()
    /// When the peer's hello must be there; nil once it is.
    var helloDeadline: ContinuousClock.Instant?
    var isReadingPaused = false
    var isClosed = false
  }

  private let server: RPCServer.Core
  private let stream: any ByteStream
  /// Only the transport's reading thread comes here; the lock costs nothing and proves it.
  private let parser: Mutex<FrameParser>
  private let state: Mutex<State>
  private let alarm = Mutex<Alarm?>(nil)

  init(stream: any ByteStream, server: RPCServer.Core) {
    self.server = server
    self.stream = stream
    self.parser = Mutex(
      FrameParser(
        framing: stream.framing, expectedHello: MessageHeader.callerHello,
        maximumBytes: server.limits.maximumFrameBytes))
    self.state = Mutex(
      State(table: Table(maximumCalls: server.limits.maximumCallsPerConnection)))
  }

  /// Sends the hello and starts to read.
  func start() {
    let alarm = Alarm { [weak self] now in self?.ring(now) }
    self.alarm.withLock { $0 = alarm }
    let helloDeadline = ContinuousClock.now + server.limits.helloTimeout
    let hello = state.withLock { state in
      state.helloDeadline = helloDeadline
      var hello = WireBuffer()
      hello.append(MessageHeader.workerHello)
      state.queue.append(hello)
      return state.queue.next()
    }
    alarm.set(helloDeadline)
    stream.start(receiver: self)
    if let hello { stream.write(hello) }
  }

  /// Whether all answers are written.
  var isFlushed: Bool { state.withLock { $0.queue.isEmpty } }

  /// Ends the connection and cancels what runs for it.
  func close() {
    end()
    stream.close()
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
    let frames = events.compactMap(IncomingCall.init(event:))
    let isPaused = take(frames, hasHello: events.first == .hello)
    if failure != nil {
      close()
      return .pause
    }
    return isPaused ? .pause : .proceed
  }

  func deliver() {
    CallExecutor.shared.endTurn()
  }

  /// Hands frames to the table and does what it says; answers whether reading shall pause.
  private func take(_ frames: [IncomingCall], hasHello: Bool) -> Bool {
    let methods = server.methods
    let refusals = frames.map { server.refusal(of: $0, methods) }
    var actions: [Table.Action] = []
    let isPaused = state.withLock { state in
      if hasHello { state.helloDeadline = nil }
      for (frame, refusal) in zip(frames, refusals) {
        receive(frame, refusal, &state.table, &actions)
      }
      if state.queue.bytesQueued > server.limits.maximumQueuedBytes { state.isReadingPaused = true }
      return state.isReadingPaused
    }
    perform(actions, methods)
    return isPaused
  }

  private func receive(
    _ incoming: IncomingCall, _ refusal: CallStatus?, _ table: inout Table,
    _ actions: inout [Table.Action]
  ) {
    switch incoming.content {
    case .damaged(let reason): actions += table.receiveMalformed(incoming.id, reason)
    case .frame(let frame):
      // A place among the server's calls is taken first and given back when no call came of it, so
      // that two connections can never both take the last one.
      let isStart = frame.start != nil
      var refusal = refusal
      var holdsPlace = false
      if isStart, refusal == nil {
        holdsPlace = server.takePlace()
        if !holdsPlace {
          refusal = .tooManyCalls(server.limits.maximumCallsPerServer, on: "this worker")
        }
      }
      let before = table.count
      actions += table.receive(incoming.id, frame, refusal: refusal, now: .now)
      let surplus = (holdsPlace ? 1 : 0) - (table.count - before)
      if surplus > 0 { server.givePlacesBack(surplus) }
    }
  }

  // MARK: - Calls

  /// Does what the table says; `methods` is what was served when it decided.
  private func perform(_ actions: [Table.Action], _ methods: MethodTable = MethodTable()) {
    var started: [(Table.Start, Task<Void, Never>)] = []
    for action in actions {
      switch action {
      case .start(let start):
        if let deadline = start.deadline { alarm.withLock { $0 }?.set(deadline) }
        if let method = methods[start.start.method] { started.append((start, run(start, method))) }
      case .answer(let id, let status):
        var frame = WorkerFrame.failure(status)
        stream.framing.seal(&frame, id: id)
        send(frame)
      case .cancel(let handler): handler.cancel()
      }
    }
    guard !started.isEmpty else { return }
    let late = state.withLock { state in
      started.filter { start, task in
        state.table.attach(task, id: start.id, serial: start.serial)
      }
    }
    for (_, task) in late { task.cancel() }
  }

  /// Runs a call's handler in a task of its own, which the table holds on to until it has returned.
  private func run(_ start: Table.Start, _ method: MethodImplementation) -> Task<Void, Never> {
    Task(executorPreference: CallExecutor.shared) {
      var frame = await self.answer(to: start, method)
      self.stream.framing.seal(&frame, id: start.id)
      self.finish(start, frame)
    }
  }

  private func answer(to start: Table.Start, _ method: MethodImplementation) async -> WireBuffer {
    if let deadline = start.deadline, deadline <= .now {
      return WorkerFrame.failure(.deadlinePassedBeforeStart)
    }
    let context = CallContext(
      method: method.descriptor, metadata: start.start.metadata, deadline: start.deadline,
      peer: stream.peer, traceparent: start.start.traceparent)
    do {
      var buffer = try await method.body(start.message, context, 96)
      let (metadata, trailers) = try context.outgoing(limits: server.limits)
      guard buffer.count <= server.limits.maximumMessageBytes else {
        throw RPCError(
          .resourceExhausted,
          "the answer has \(buffer.count) bytes; the limit is \(server.limits.maximumMessageBytes)")
      }
      WorkerFrame.answer(&buffer, metadata: metadata, trailers: trailers)
      return buffer
    } catch {
      return failure(error, context)
    }
  }

  private func failure(_ error: any Error, _ context: CallContext) -> WireBuffer {
    var status = server.status(of: error, context)
    let outgoing = try? context.outgoing(limits: server.limits)
    status.trailers.entries += outgoing?.trailers.entries ?? []
    if status.trailers.size > server.limits.maximumMetadataBytes { status.trailers = [:] }
    return WorkerFrame.failure(status, metadata: outgoing?.metadata ?? [:])
  }

  private func finish(_ start: Table.Start, _ frame: WireBuffer) {
    let isWanted = state.withLock { $0.table.finish(id: start.id, serial: start.serial) }
    if isWanted { send(frame) }
    server.endCall()
  }

  // MARK: - Writing

  /// Queues a sealed frame.
  private func send(_ frame: WireBuffer) {
    let size = state.withLock { state -> Int in
      guard !state.isClosed else { return 0 }
      state.queue.append(frame)
      return state.queue.bytesQueued
    }
    guard size > 0 else { return }
    if let turn = Turn.current, size < WriteQueue.batchSize { turn.hold(self) } else { flush() }
  }

  func flush() {
    if let batch = state.withLock({ $0.isClosed ? nil : $0.queue.next() }) { stream.write(batch) }
  }

  func wrote() {
    let (batch, resumes, isFlushed) = state.withLock { state in
      state.queue.wrote()
      let batch = state.isClosed ? nil : state.queue.next()
      let resumes =
        state.isReadingPaused && !state.isClosed
        && state.queue.bytesQueued <= server.limits.maximumQueuedBytes / 2
      if resumes { state.isReadingPaused = false }
      return (batch, resumes, state.queue.isEmpty)
    }
    if let batch { stream.write(batch) }
    if resumes { stream.resumeReading() }
    if isFlushed { server.connectionFlushed() }
  }

  // MARK: - The end

  func ended(_ error: RPCError?) {
    end()
    server.connectionEnded(self)
  }

  private func end() {
    let (actions, abandoned) = state.withLock { state -> ([Table.Action], Int) in
      guard !state.isClosed else { return ([], 0) }
      state.isClosed = true
      let before = state.table.count
      let actions = state.table.close()
      return (actions, before - state.table.count)
    }
    server.givePlacesBack(abandoned)
    perform(actions)
    alarm.withLock { $0.take() }?.close()
  }

  private func ring(_ now: ContinuousClock.Instant) -> ContinuousClock.Instant? {
    var isSilent = false
    var abandoned = 0
    var actions: [Table.Action] = []
    let next = state.withLock { state -> ContinuousClock.Instant? in
      guard !state.isClosed else { return nil }
      if let deadline = state.helloDeadline, deadline <= now { isSilent = true }
      let before = state.table.count
      actions = state.table.expire(now)
      abandoned = before - state.table.count
      return [state.helloDeadline, state.table.nextDeadline].compactMap(\.self).min()
    }
    server.givePlacesBack(abandoned)
    perform(actions)
    guard isSilent else { return next }
    close()
    return nil
  }
}
