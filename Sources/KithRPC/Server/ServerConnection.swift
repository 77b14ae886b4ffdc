import KithWire
import Synchronization

/// One caller's connection to a server: carries out what its call table decides.
final class ServerConnection: ByteStreamReceiver, Flushable, AlarmOwner {
  /// A task that waits. Unsafe means that resuming twice is not caught: the table hands each back
  /// exactly once, which its tests prove.
  private typealias Waiter = UnsafeContinuation<Wakeup, Never>
  private typealias Table = ServerCallTable<Waiter>

  private struct State {
    var table: Table
    var queue: WriteQueue
    /// When the peer's hello must be there; nil once it is.
    var helloDeadline: Moment?
    /// How the frame under way comes; nil while none is.
    var framePace: MessagePace?
    /// How many bytes of memory it takes.
    var frameBytes = 0
    var charge = ConnectionCharge()
    var isReadingPaused = false
    var isClosed = false
    /// Handlers that wait, before they begin, until the caller has taken what was queued for it; by
    /// the serial numbers of their calls.
    var waitingForRoom: [UInt64: UnsafeContinuation<Void, Never>] = [:]

    /// Takes memory for what the connection holds and `more` bytes; answers false when there is
    /// none.
    mutating func hold(
      plus more: Int = 0, _ budget: MessageBudget, _ trust: ConnectionTrust
    ) -> Bool {
      charge.hold(
        table.bytesHeld + frameBytes + more, isTrusted: trust.isTrusted, of: budget)
    }

    /// Reads on after a pause, in which nothing could come.
    mutating func readsAgain(_ now: Moment) {
      isReadingPaused = false
      table.restartPaces(now: now)
      if framePace != nil { framePace = MessagePace(begun: now) }
    }

    /// Why the connection is to end, which has been silent where it should not; nil where it has
    /// not.
    func silence(_ now: Moment, _ limits: RPCLimits) -> RPCError? {
      if let helloDeadline, helloDeadline <= now {
        return RPCError(.deadlineExceeded, "it did not say hello in time")
      }
      guard !isReadingPaused, let deadline = framePace?.deadline(limits.messageTimeout),
        deadline <= now
      else { return nil }
      return RPCError(.deadlineExceeded, "it began a frame and did not complete it in time")
    }

    /// When something of the connection is due.
    func nextDeadline(_ limits: RPCLimits) -> Moment? {
      // What the server does not read cannot be late.
      let frame = isReadingPaused ? nil : framePace?.deadline(limits.messageTimeout)
      return [helloDeadline, frame, table.nextDeadline].compactMap(\.self).min()
    }

    /// Queues what a reaction has for the caller.
    mutating func queue(_ reaction: Table.Reaction, of id: UInt32, _ framing: MessageFraming) {
      guard !isClosed else { return }
      for frame in reaction.frames { queue.append(frame) }
      if let grant = reaction.grant {
        queue.append(grant.sealed(field: WorkerFrame.creditField, id: id, framing: framing))
      }
      guard let ending = reaction.ending else { return }
      queue.discard(ending.id)
      guard let status = ending.status else { return }
      queue.append(
        .worker(
          ending.id, message: nil, metadata: [:], end: status, framing: framing,
          inParts: table.peerTakesParts))
    }
  }

  /// What only the transport's reading thread uses; its lock costs nothing and proves it.
  private struct Reading {
    var parser: FrameParser
    /// Whether a message was under way after the last read.
    var isWithinMessage = false
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

  private let server: RPCServer.Core
  private let stream: any ByteStream
  private let arrival: UInt64
  private let trust = ConnectionTrust()
  /// When something came last, in nanoseconds.
  private let lastHeard: Atomic<UInt64>
  private let framing: MessageFraming
  private let reading: Mutex<Reading>
  private let state: Mutex<State>
  private let alarm = Alarm()
  private let peerTakesParts = Atomic(false)
  /// Whether more waits for the caller than may, so that no handler begins; changed under the lock
  /// of the state.
  private let isBackedUp = Atomic(false)

  /// A connection, the `arrival`-th of its server.
  init(stream: any ByteStream, server: RPCServer.Core, arrival: UInt64) {
    self.server = server
    self.stream = stream
    self.arrival = arrival
    self.lastHeard = Atomic(Moment.now.nanoseconds)
    self.framing = stream.framing
    self.reading = Mutex(
      Reading(
        parser: FrameParser(
          framing: stream.framing, expectedHello: MessageHeader.callerHello,
          maximumBytes: server.limits.maximumFrameBytes)))
    self.state = Mutex(
      State(
        table: Table(limits: server.limits, peer: stream.peer),
        queue: WriteQueue(framing: stream.framing),
        helloDeadline: Moment.now.advanced(by: server.limits.helloTimeout)))
  }

  /// Sends the hello and starts to read.
  func start() {
    let deadline = state.withLock { state in
      state.queue.append(raw: MessageHeader.workerHello)
      return state.helloDeadline
    }
    if let deadline { alarm.set(deadline, for: self) }
    stream.start(receiver: self)
    flush()
  }

  /// Whether all answers are written.
  var isFlushed: Bool { state.withLock { $0.queue.isEmpty } }

  /// What the server needs to know of it when it looks for one that can go.
  var standing: ConnectionStanding {
    state.withLock { state in
      ConnectionStanding(
        arrival: arrival, hasGreeted: state.helloDeadline == nil,
        isBusy: state.table.running > 0 || !state.queue.isEmpty,
        lastHeard: Moment(nanoseconds: lastHeard.load(ordering: .relaxed)),
        isTrusted: trust.isTrusted)
    }
  }

  /// Ends the connection in favour of another one.
  func makeWay() {
    server.refused(
      stream.peer,
      RPCError(.resourceExhausted, "it made way for another connection: all places were taken"))
    close()
  }

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
    // Nil where no message was under way before and none is now.
    var rest: FrameRest?
    reading.withLock { reading in
      do throws(FrameParser.Failure) {
        try reading.parser.parse(bytes, into: &events)
      } catch {
        failure = error
      }
      let wasWithinMessage = reading.isWithinMessage
      reading.isWithinMessage = reading.parser.isWithinMessage
      guard wasWithinMessage || reading.isWithinMessage else { return }
      rest = FrameRest(
        isUnderWay: reading.isWithinMessage, isNew: !wasWithinMessage || !events.isEmpty,
        received: reading.parser.bytesReceived, kept: reading.parser.memoryTaken)
    }
    let methods = server.methods
    let now = Moment.now
    lastHeard.store(now.nanoseconds, ordering: .relaxed)
    // What was under way is complete, or goes on below.
    if rest != nil { state.withLock { $0.frameBytes = 0 } }
    for event in events {
      switch event {
      case .hello: state.withLock { $0.helloDeadline = nil }
      case .message(let message): receive(message, methods, now)
      }
    }
    if let failure {
      server.refused(stream.peer, RPCError(.invalidArgument, "\(failure)"))
      close()
      return .pause
    }
    if let rest { follow(rest, now) }
    return state.withLock { state in
      if state.queue.bytesQueued > server.limits.maximumQueuedBytes { state.isReadingPaused = true }
      return state.isReadingPaused ? .pause : .proceed
    }
  }

  func deliver() {
    CallExecutor.shared.endTurn()
  }

  /// The frame that is not complete after a read.
  private struct FrameRest {
    /// Whether there is one; otherwise the one before is complete.
    var isUnderWay: Bool
    /// Whether it has begun in this read.
    var isNew: Bool
    /// How many bytes of it have come.
    var received: Int
    /// How many bytes of memory it takes.
    var kept: Int
  }

  /// Follows a frame that is not complete: there must be memory for what came of it, and its rest
  /// must come in time.
  private func follow(_ rest: FrameRest, _ now: Moment) {
    let (alarm, fits) = state.withLock { state -> (Moment?, Bool) in
      guard !state.isClosed else { return (nil, true) }
      guard rest.isUnderWay else {
        state.framePace = nil
        _ = state.hold(server.budget, trust)
        return (nil, true)
      }
      if rest.isNew || state.framePace == nil { state.framePace = MessagePace(begun: now) }
      state.framePace?.reached(rest.received)
      let fits = state.hold(plus: rest.kept, server.budget, trust)
      state.frameBytes = fits ? rest.kept : 0
      return (state.framePace?.deadline(server.limits.messageTimeout), fits)
    }
    if let alarm { self.alarm.set(alarm, for: self) }
    guard !fits, let id = reading.withLock({ $0.parser.dropMessage() }) else { return }
    change(id) { $0.table.refuseMessage(id) }
  }

  private func receive(_ message: FrameParser.Message, _ methods: MethodTable, _ now: Moment) {
    let frame: CallerFrame
    do throws(WireError) {
      frame = try CallerFrame(decoding: message.frame)
    } catch {
      return change(message.id) { $0.table.receiveMalformed(message.id, error.message) }
    }
    if let notice = frame.connection { receive(notice) }
    var method: MethodImplementation?
    var admission = CallAdmission.refused(.noMessage)
    if let start = frame.start {
      method = reading.withLock { $0.method(start.method, methods) }
      if let method {
        admission = server.admission(of: frame, start, method, from: stream.peer)
        if case .allowed(_, let caller) = admission, caller.kind != .stranger { trust.trust() }
      } else {
        admission = .refused(methods.unimplemented(start.method))
      }
    }
    change(message.id, method: method) { state in
      let fits =
        !state.table.keeps(message.id, frame)
        || state.hold(plus: frame.bytesHeld, server.budget, trust)
      return state.table.receive(
        message.id, frame, admission, place: server.takePlace(), fits: fits, now: now)
    }
  }

  private func receive(_ notice: ConnectionNotice) {
    var answer = ConnectionNotice()
    if notice.takesParts {
      state.withLock { $0.table.peerTakesParts = true }
      peerTakesParts.store(true, ordering: .relaxed)
      answer.takesParts = true
      answer.isLeaving = server.isLeaving
    }
    answer.pong = notice.ping
    if answer != ConnectionNotice() { send(answer) }
  }

  // MARK: - Calls

  /// Changes the state by an event of one call, carries out what that asks for, and tells the
  /// server which calls wait or are gone by it.
  private func change(
    _ id: UInt32, method: MethodImplementation? = nil,
    _ body: (inout State) -> Table.Reaction
  ) {
    let (reaction, count, size) = state.withLock { state -> (Table.Reaction, CallCount, Int) in
      let before = CallCount(state.table)
      let queued = state.queue.bytesQueued
      let reaction = body(&state)
      state.queue(reaction, of: id, framing)
      checkRoom(state)
      _ = state.hold(server.budget, trust)
      return (
        reaction, CallCount(state.table).since(before, starting: reaction.start != nil),
        state.queue.bytesQueued > queued ? state.queue.bytesQueued : 0
      )
    }
    count.tell(server)
    if size > 0 { queued(size) }
    carryOut(reaction, method)
  }

  /// How many calls of the table wait and run; or how many more wait, and how many that ran are
  /// gone.
  private struct CallCount {
    var waiting: Int
    var running: Int

    init(_ table: borrowing Table) {
      waiting = table.waiting
      running = table.running
    }

    /// What has changed since `before`; one that starts has taken its place itself.
    func since(_ before: CallCount, starting: Bool) -> CallCount {
      var change = self
      change.waiting -= before.waiting
      change.running -= before.running + (starting ? 1 : 0)
      return change
    }

    func tell(_ server: RPCServer.Core) { server.count(waiting: waiting, ended: -running) }
  }

  private func carryOut(_ reaction: Table.Reaction, _ method: MethodImplementation?) {
    reaction.ending?.handler?.cancel()
    for wake in reaction.wakes { wake.waiter.resume(returning: wake.wakeup) }
    if let moment = reaction.alarm { alarm.set(moment, for: self) }
    guard let call = reaction.start else { return }
    guard let method = method ?? server.methods[ArraySlice(call.method.fullName.utf8)] else {
      preconditionFailure("a call is opened only for a method that is served")
    }
    run(call, method)
  }

  /// Runs a call's handler in a task of its own, which the table holds on to until it has returned.
  private func run(_ call: ServedCall, _ method: MethodImplementation) {
    let task = Task(executorPreference: CallExecutor.shared) {
      let frame = await self.answer(call, method)
      self.finish(call, frame)
    }
    if state.withLock({ $0.table.attach(task, to: call) }) { task.cancel() }
  }

  /// Waits while the caller does not take its answers: what pile up meanwhile are its requests,
  /// which are small beside them or at least its own doing, and not answers in this process's
  /// memory.
  private func waitForRoom(_ call: ServedCall) async {
    while isBackedUp.load(ordering: .relaxed), !Task.isCancelled {
      await withTaskCancellationHandler {
        await withUnsafeContinuation { waiter in
          let goesOn = state.withLock { state in
            guard isBackedUp.load(ordering: .relaxed), !Task.isCancelled else { return true }
            state.waitingForRoom[call.serial] = waiter
            return false
          }
          if goesOn { waiter.resume() }
        }
      } onCancel: {
        state.withLock { $0.waitingForRoom.removeValue(forKey: call.serial) }?.resume()
      }
    }
  }

  /// The last frame of a call.
  private func answer(_ call: ServedCall, _ method: MethodImplementation) async -> OutgoingFrame {
    await waitForRoom(call)
    if let deadline = call.deadline, deadline <= .now {
      return frame(call, nil, Metadata(), .deadlinePassedBeforeStart)
    }
    do {
      let buffer: WireBuffer?
      let context = CallContext(call)
      switch method.body {
      case .unary(let body):
        buffer = try await within(context) {
          try await body(call.message, context, ServerStream.headroom)
        }
      case .streaming(let body):
        let stream = ServerStream(connection: self, call: call)
        buffer = try await within(context) { try await body(stream, context) }
      }
      let outgoing = try call.checkedOutgoing(limits: server.limits)
      if let buffer { try checkSize(buffer) }
      return frame(call, buffer, outgoing.metadata, CallStatus(trailers: outgoing.trailers))
    } catch {
      return failure(error, call)
    }
  }

  /// Runs a handler where its context is known, within the server's interceptors.
  private func within<Answer: Sendable>(
    _ context: CallContext, _ handler: () async throws -> Answer
  ) async throws -> Answer {
    try await CallContext.$current.withValue(context) {
      try await server.interceptors.run(context, handler)
    }
  }

  private func checkSize(_ message: borrowing WireBuffer) throws(RPCError) {
    let limit = server.limits.maximumMessageBytes
    guard message.count > limit else { return }
    throw RPCError(
      .resourceExhausted, "the answer has \(message.count) bytes; the limit is \(limit)")
  }

  private func failure(_ error: any Error, _ call: ServedCall) -> OutgoingFrame {
    var status = server.status(of: error, call.method)
    let outgoing = try? call.checkedOutgoing(limits: server.limits)
    status.trailers.entries += outgoing?.trailers.entries ?? []
    if status.trailers.size > server.limits.maximumMetadataBytes { status.trailers = [:] }
    return frame(call, nil, outgoing?.metadata ?? [:], status)
  }

  private func frame(
    _ call: ServedCall, _ message: consuming WireBuffer?, _ metadata: Metadata, _ end: CallStatus?
  ) -> OutgoingFrame {
    .worker(
      call.id, message: consume message, metadata: metadata, end: end, framing: framing,
      inParts: peerTakesParts.load(ordering: .relaxed))
  }

  private func finish(_ call: ServedCall, _ frame: OutgoingFrame) {
    let (wakes, size) = state.withLock { state -> ([Wake<Waiter>], Int) in
      let (isWanted, wakes) = state.table.finish(call)
      _ = state.hold(server.budget, trust)
      guard isWanted, !state.isClosed else { return (wakes, 0) }
      state.queue.append(frame)
      checkRoom(state)
      return (wakes, state.queue.bytesQueued)
    }
    if size > 0 { queued(size) }
    for wake in wakes { wake.waiter.resume(returning: wake.wakeup) }
    server.endCall()
  }

  // MARK: - Streams

  /// The caller's next message of a streaming call; nil when none follows.
  func read(_ call: ServedCall) async throws(RPCError) -> ArraySlice<UInt8>? {
    let wakeup = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        change(call.id) { state in
          Task.isCancelled
            ? Table.Reaction(wakes: [Wake(waiter: waiter, wakeup: .failed(.callIsOver))])
            : state.table.read(call, waiter)
        }
      }
    } onCancel: {
      state.withLock { $0.table.withdrawReader(of: call) }?
        .resume(returning: .failed(.callIsOver))
    }
    switch wakeup {
    case .message(let message): return message
    case .failed(let error): throw error
    case .end, .answer, .sent: return nil
    }
  }

  /// Sends a message of a streaming call; waits while there is no credit for it.
  func write(_ call: ServedCall, _ message: consuming WireBuffer) async throws(RPCError) {
    try checkSize(message)
    let size = message.count
    let metadata = try call.checkedOutgoing(limits: server.limits).metadata
    let frame = frame(call, message, metadata, nil)
    // Which message is held back, for the cancellation; 0 for none.
    let held = Atomic<UInt64>(0)
    let wakeup = await withTaskCancellationHandler {
      await withUnsafeContinuation { waiter in
        change(call.id) { state in
          guard !Task.isCancelled else {
            return Table.Reaction(wakes: [Wake(waiter: waiter, wakeup: .failed(.callIsOver))])
          }
          let (reaction, ticket) = state.table.write(call, frame, size: size, waiter)
          if let ticket { held.store(ticket, ordering: .relaxed) }
          return reaction
        }
      }
    } onCancel: {
      state.withLock { $0.table.withdrawMessage(held.load(ordering: .relaxed), of: call) }?
        .resume(returning: .failed(.callIsOver))
    }
    if case .failed(let error) = wakeup { throw error }
  }

  // MARK: - Writing

  /// Tells a caller who understands it to make the next calls elsewhere.
  func announceLeaving() {
    if peerTakesParts.load(ordering: .relaxed) { send(ConnectionNotice(isLeaving: true)) }
  }

  /// Begins to hold handlers back when more waits for the caller than may. Under the lock of the
  /// state.
  private func checkRoom(_ state: borrowing State) {
    if !state.isClosed, state.queue.bytesQueued > server.limits.maximumQueuedBytes {
      isBackedUp.store(true, ordering: .relaxed)
    }
  }

  private func send(_ notice: ConnectionNotice) {
    let frame = notice.sealed(field: WorkerFrame.connectionField, framing: framing)
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

  /// Counts a batch as written, goes on with what the queue has held up, and takes the next.
  private func nextAfterWriting() -> WireBuffer? {
    var wakes: [Wake<Waiter>] = []
    var starters: [UnsafeContinuation<Void, Never>] = []
    var resumes = false
    let (batch, isFlushed) = state.withLock { state -> (WireBuffer?, Bool) in
      state.queue.wrote()
      guard !state.isClosed else { return (nil, state.queue.isEmpty) }
      if state.queue.bytesQueued <= server.limits.maximumQueuedBytes / 2 {
        resumes = state.isReadingPaused
        if resumes { state.readsAgain(.now) }
        let refill = state.table.refill()
        for frame in refill.frames { state.queue.append(frame) }
        wakes = refill.wakes
        starters = takeWaitingForRoom(&state)
      }
      return (state.queue.next(), state.queue.isEmpty)
    }
    for wake in wakes { wake.waiter.resume(returning: wake.wakeup) }
    for starter in starters { starter.resume() }
    if resumes {
      alarm.set(.now.advanced(by: server.limits.messageTimeout), for: self)
      stream.resumeReading()
    }
    if isFlushed { server.checkIdle() }
    return batch
  }

  /// Whoever waits for room, which there is now, or which nobody needs any more; each looks again
  /// for itself.
  private func takeWaitingForRoom(_ state: inout State) -> [UnsafeContinuation<Void, Never>] {
    isBackedUp.store(false, ordering: .relaxed)
    guard !state.waitingForRoom.isEmpty else { return [] }
    defer { state.waitingForRoom = [:] }
    return state.waitingForRoom.sorted { $0.key < $1.key }.map(\.value)
  }

  // MARK: - The end

  func ended(_ error: RPCError?) {
    end()
    server.connectionEnded(self, of: stream.peer, error)
  }

  private func end() {
    var starters: [UnsafeContinuation<Void, Never>] = []
    let (reactions, count) = state.withLock { state -> ([Table.Reaction], CallCount?) in
      guard !state.isClosed else { return ([], nil) }
      state.isClosed = true
      starters = takeWaitingForRoom(&state)
      let before = CallCount(state.table)
      let reactions = state.table.close()
      state.frameBytes = 0
      _ = state.hold(server.budget, trust)
      return (reactions, CallCount(state.table).since(before, starting: false))
    }
    count?.tell(server)
    alarm.close()
    for reaction in reactions { carryOut(reaction, nil) }
    for starter in starters { starter.resume() }
  }

  func alarmRang(_ now: Moment) -> Moment? {
    let (reactions, count, next, silence) = state.withLock {
      state -> ([Table.Reaction], CallCount?, Moment?, RPCError?) in
      guard !state.isClosed else { return ([], nil, nil, nil) }
      let before = CallCount(state.table)
      // What the server does not read cannot be late.
      if state.isReadingPaused { state.table.restartPaces(now: now) }
      let reactions = state.table.expire(now)
      for reaction in reactions { state.queue(reaction, of: reaction.ending?.id ?? 0, framing) }
      _ = state.hold(server.budget, trust)
      return (
        reactions, CallCount(state.table).since(before, starting: false),
        state.nextDeadline(server.limits), state.silence(now, server.limits)
      )
    }
    count?.tell(server)
    if !reactions.isEmpty { flush() }
    for reaction in reactions { carryOut(reaction, nil) }
    guard let silence else { return next }
    server.refused(stream.peer, silence)
    close()
    return nil
  }
}
