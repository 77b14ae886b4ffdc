import KithWire
import Synchronization

/// One caller's connection to a server: carries out what its call table decides.
final class ServerConnection: ByteStreamReceiver, Flushable, AlarmOwner {
  private struct State {
    var table: ServerCallTable
    var queue = WriteQueue()
    /// When the peer's hello must be there; nil once it is.
    var helloDeadline: Moment?
    var isReadingPaused = false
    var isClosed = false
  }

  /// What only the transport's reading thread uses; its lock costs nothing and proves it.
  private struct Reading {
    var parser: FrameParser
    /// The method that was called last: most calls of a connection go to one.
    var lastName: ArraySlice<UInt8> = []
    var lastMethod: MethodImplementation?
    var methods = MethodTable()

    /// The method of the given name; `current` is the server's table.
    mutating func method(_ name: ArraySlice<UInt8>, _ current: MethodTable)
      -> MethodImplementation?
    {
      if methods.version != current.version {
        methods = current
        lastMethod = nil
      }
      if let lastMethod, lastName == name { return lastMethod }
      guard let method = methods[name] else { return nil }
      lastName = ArraySlice(Array(name))
      lastMethod = method
      return method
    }
  }

  /// Room in front of an answer for its envelope and header.
  private static let headroom = 64

  private let server: RPCServer.Core
  private let stream: any ByteStream
  private let framing: MessageFraming
  private let reading: Mutex<Reading>
  private let state: Mutex<State>
  private let alarm = Alarm()

  init(stream: any ByteStream, server: RPCServer.Core) {
    self.server = server
    self.stream = stream
    self.framing = stream.framing
    self.reading = Mutex(
      Reading(
        parser: FrameParser(
          framing: stream.framing, expectedHello: MessageHeader.callerHello,
          maximumBytes: server.limits.maximumFrameBytes)))
    self.state = Mutex(
      State(
        table: ServerCallTable(
          maximumCalls: server.limits.maximumCallsPerConnection, peer: stream.peer)))
  }

  /// Sends the hello and starts to read.
  func start() {
    let deadline = Moment.now.advanced(by: server.limits.helloTimeout)
    state.withLock { state in
      state.helloDeadline = deadline
      var hello = WireBuffer()
      hello.append(MessageHeader.workerHello)
      state.queue.append(hello)
    }
    alarm.set(deadline, for: self)
    stream.start(receiver: self)
    flush()
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
    reading.withLock { reading in
      do throws(FrameParser.Failure) {
        try reading.parser.parse(bytes, into: &events)
      } catch {
        failure = error
      }
    }
    let methods = server.methods
    let now = Moment.now
    for event in events {
      switch event {
      case .hello: state.withLock { $0.helloDeadline = nil }
      case .message(let message): receive(message, methods, now)
      }
    }
    if failure != nil {
      close()
      return .pause
    }
    return state.withLock { state in
      if state.queue.bytesQueued > server.limits.maximumQueuedBytes { state.isReadingPaused = true }
      return state.isReadingPaused ? .pause : .proceed
    }
  }

  func deliver() {
    CallExecutor.shared.endTurn()
  }

  private func receive(_ message: FrameParser.Message, _ methods: MethodTable, _ now: Moment) {
    let frame: CallerFrame
    do throws(WireError) {
      frame = try CallerFrame(decoding: message.frame)
    } catch {
      return react(change { $0.table.receiveMalformed(message.id, error.message) }, nil)
    }
    var method: MethodImplementation?
    var opening = ServerCallTable.Opening.refused(.noMessage)
    var holdsPlace = false
    if let start = frame.start {
      method = reading.withLock { $0.method(start.method, methods) }
      if let method {
        opening = server.opening(of: frame, start, method)
      } else {
        opening = .refused(methods.unimplemented(start.method))
      }
      // A place among the server's calls is taken first and given back when no call came of it, so
      // that two connections can never both take the last one.
      if case .allowed = opening {
        holdsPlace = server.takePlace()
        if !holdsPlace {
          opening = .refused(
            .tooManyCalls(server.limits.maximumCallsPerServer, on: "this worker"))
        }
      }
    }
    let reaction = change(holdingPlace: holdsPlace) {
      $0.table.receive(message.id, frame, opening, now: now)
    }
    react(reaction, method)
  }

  /// Changes the state, and gives back to the server the places of the calls that are gone by it.
  private func change<Value: Sendable>(
    holdingPlace: Bool = false, _ body: (inout sending State) -> Value
  ) -> Value {
    let (value, surplus) = state.withLock { state in
      let before = state.table.count
      let value = body(&state)
      return (value, (holdingPlace ? 1 : 0) - (state.table.count - before))
    }
    if surplus > 0 { server.givePlacesBack(surplus) }
    return value
  }

  // MARK: - Calls

  private func react(_ reaction: ServerCallTable.Reaction, _ method: MethodImplementation?) {
    switch reaction {
    case .none: break
    case .start(let call):
      guard let method = method ?? server.methods[ArraySlice(call.method.fullName.utf8)] else {
        preconditionFailure("a call is opened only for a method that is served")
      }
      if let deadline = call.deadline { alarm.set(deadline, for: self) }
      run(call, method)
    case .end(let ending): finish(ending)
    }
  }

  private func finish(_ ending: ServerCallTable.Ending) {
    if let status = ending.status {
      var frame = WorkerFrame.failure(status)
      framing.seal(&frame, id: ending.id)
      send(frame)
    }
    ending.handler?.cancel()
  }

  /// Runs a call's handler in a task of its own, which the table holds on to until it has returned.
  private func run(_ call: ServedCall, _ method: MethodImplementation) {
    let task = Task(executorPreference: CallExecutor.shared) {
      var frame = await self.answer(call, method)
      self.framing.seal(&frame, id: call.id)
      self.finish(call, frame)
    }
    if state.withLock({ $0.table.attach(task, to: call) }) { task.cancel() }
  }

  private func answer(_ call: ServedCall, _ method: MethodImplementation) async -> WireBuffer {
    if let deadline = call.deadline, deadline <= .now {
      return WorkerFrame.failure(.deadlinePassedBeforeStart)
    }
    do {
      var buffer = try await method.body(call.message, CallContext(call), Self.headroom)
      let outgoing = try call.checkedOutgoing(limits: server.limits)
      guard buffer.count <= server.limits.maximumMessageBytes else {
        throw RPCError(
          .resourceExhausted,
          "the answer has \(buffer.count) bytes; the limit is \(server.limits.maximumMessageBytes)")
      }
      WorkerFrame.answer(&buffer, metadata: outgoing.metadata, trailers: outgoing.trailers)
      return buffer
    } catch {
      return failure(error, call)
    }
  }

  private func failure(_ error: any Error, _ call: ServedCall) -> WireBuffer {
    var status = server.status(of: error, call.method)
    let outgoing = try? call.checkedOutgoing(limits: server.limits)
    status.trailers.entries += outgoing?.trailers.entries ?? []
    if status.trailers.size > server.limits.maximumMetadataBytes { status.trailers = [:] }
    return WorkerFrame.failure(status, metadata: outgoing?.metadata ?? [:])
  }

  private func finish(_ call: ServedCall, _ frame: WireBuffer) {
    let size = state.withLock { state -> Int in
      guard state.table.finish(call), !state.isClosed else { return 0 }
      state.queue.append(frame)
      return state.queue.bytesQueued
    }
    if size > 0 { queued(size) }
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

  /// Counts a batch as written, reads on if the queue was what held reading up, and takes the next.
  private func nextAfterWriting() -> WireBuffer? {
    let (batch, resumes, isFlushed) = state.withLock { state in
      state.queue.wrote()
      let batch = state.isClosed ? nil : state.queue.next()
      let resumes =
        state.isReadingPaused && !state.isClosed
        && state.queue.bytesQueued <= server.limits.maximumQueuedBytes / 2
      if resumes { state.isReadingPaused = false }
      return (batch, resumes, state.queue.isEmpty)
    }
    if resumes { stream.resumeReading() }
    if isFlushed { server.checkIdle() }
    return batch
  }

  // MARK: - The end

  func ended(_ error: RPCError?) {
    end()
    server.connectionEnded(self)
  }

  private func end() {
    let endings = change { state -> [ServerCallTable.Ending] in
      guard !state.isClosed else { return [] }
      state.isClosed = true
      return state.table.close()
    }
    alarm.close()
    for ending in endings { ending.handler?.cancel() }
  }

  func alarmRang(_ now: Moment) -> Moment? {
    let (endings, next, isSilent) = change { state -> ([ServerCallTable.Ending], Moment?, Bool) in
      guard !state.isClosed else { return ([], nil, false) }
      let endings = state.table.expire(now)
      let next = [state.helloDeadline, state.table.nextDeadline].compactMap(\.self).min()
      return (endings, next, state.helloDeadline.map { $0 <= now } ?? false)
    }
    for ending in endings { finish(ending) }
    guard isSilent else { return next }
    close()
    return nil
  }
}
