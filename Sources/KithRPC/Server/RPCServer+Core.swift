import Synchronization

extension RPCServer {
  /// What a server and its connections share.
  final class Core: Sendable {
    private struct IdleWaiter {
      /// How many calls in progress are none of its business.
      var others: Int
      var continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
      var listeners: [any Listener] = []
      var connections: [ObjectIdentifier: ServerConnection] = [:]
      var arrivals: UInt64 = 0
      var isClosed = false
      var idleWaiters: [UInt64: IdleWaiter] = [:]
      var closeWaiters: [CheckedContinuation<Void, Never>] = []
      var nextWaiter: UInt64 = 0
    }

    let limits: RPCLimits
    let budget: MessageBudget
    let interceptors: [any ServerInterceptor]
    private let authorize: @Sendable (PeerIdentity) -> Bool
    private let identify: RPCServer.Identify
    private let unmappedError: @Sendable (MethodDescriptor, any Error) -> Void
    private let brokenConnection: @Sendable (PeerIdentity, RPCError) -> Void
    private let served = Mutex(MethodTable())
    private let state = Mutex(State())
    private let isDraining = Atomic(false)
    private let leaving = Atomic(false)
    private let running = Atomic(0)
    /// How many calls wait for their request to be complete. They take no places, and hold up an
    /// end.
    private let waiting = Atomic(0)
    private let ended = Atomic<UInt64>(0)
    /// How many tasks wait for the server to be idle: while none does, a call's end asks nothing.
    private let idleWaiterCount = Atomic(0)

    init(
      services: [ServiceDefinition], limits: RPCLimits, budget: MessageBudget, awaitsServices: Bool,
      interceptors: [any ServerInterceptor],
      authorize: @escaping @Sendable (PeerIdentity) -> Bool,
      identify: @escaping RPCServer.Identify,
      unmappedError: @escaping @Sendable (MethodDescriptor, any Error) -> Void,
      brokenConnection: @escaping @Sendable (PeerIdentity, RPCError) -> Void
    ) {
      self.limits = limits
      self.budget = budget
      served.withLock { $0.awaitsServices = awaitsServices }
      self.interceptors = interceptors
      self.authorize = authorize
      self.identify = identify
      self.unmappedError = unmappedError
      self.brokenConnection = brokenConnection
      add(services)
    }

    /// Serves these as well.
    func add(_ services: [ServiceDefinition]) {
      served.withLock { table in
        for service in services { table.add(service) }
      }
    }

    /// No service comes any more.
    func finishServices() { served.withLock { $0.awaitsServices = false } }

    /// What is served now.
    var methods: MethodTable { served.withLock { $0 } }

    var callsInProgress: Int {
      // In this order: a call that starts is counted among those that run before it is no longer
      // among those that wait.
      let waiting = waiting.load(ordering: .acquiring)
      return waiting + running.load(ordering: .acquiring)
    }
    var callsEnded: UInt64 { ended.load(ordering: .relaxed) }

    // MARK: - Connections

    func start(on listener: any Listener) throws(RPCError) {
      guard !state.withLock({ $0.isClosed }) else {
        throw RPCError(.failedPrecondition, "the server is closed: make a new one")
      }
      try listener.start { [weak self] stream in self?.accept(stream) ?? stream.close() }
      let isClosed = state.withLock { state in
        state.listeners.append(listener)
        return state.isClosed
      }
      if isClosed { listener.close() }
    }

    private func accept(_ stream: any ByteStream) {
      guard !isDraining.load(ordering: .relaxed) else { return stream.close() }
      guard authorize(stream.peer) else {
        refused(stream.peer, RPCError(.permissionDenied, "it may not connect here"))
        return stream.close()
      }
      let arrival = state.withLock { state in
        state.arrivals += 1
        return state.arrivals
      }
      let connection = ServerConnection(stream: stream, server: self, arrival: arrival)
      // Others may take the place that was made: each time round one connection is gone.
      while !admit(connection) {
        guard makeRoom() else {
          refused(
            stream.peer,
            RPCError(
              .resourceExhausted,
              "there are \(limits.maximumConnections) connections already, and none is idle"))
          return stream.close()
        }
      }
      connection.start()
    }

    /// Takes a connection in, if there is room for it. A closed server takes it in too: it closes
    /// it.
    private func admit(_ connection: ServerConnection) -> Bool {
      let (isAdmitted, isClosed) = state.withLock { state in
        guard !state.isClosed else { return (true, true) }
        guard state.connections.count < limits.maximumConnections else { return (false, false) }
        state.connections[ObjectIdentifier(connection)] = connection
        return (true, false)
      }
      if isClosed { connection.close() }
      return isAdmitted
    }

    /// Closes the connection that can go first; answers whether there was one.
    private func makeRoom() -> Bool {
      let connections = state.withLock { Array($0.connections.values) }
      let first = connections.map(\.standing).firstToGo(
        limit: limits.maximumConnections, kept: limits.keptConnections)
      guard let first else { return false }
      connections[first].makeWay()
      return true
    }

    /// A connection was ended because of what its peer is or sent.
    func refused(_ peer: PeerIdentity, _ error: RPCError) { brokenConnection(peer, error) }

    func connectionEnded(_ connection: ServerConnection, of peer: PeerIdentity, _ error: RPCError?)
    {
      if let error { brokenConnection(peer, error) }
      state.withLock { _ = $0.connections.removeValue(forKey: ObjectIdentifier(connection)) }
      checkIdle()
    }

    // MARK: - Calls

    /// Whether the server takes the call that a frame opens.
    func admission(
      of frame: CallerFrame, _ start: CallerFrame.Start, _ method: MethodImplementation,
      from peer: PeerIdentity
    ) -> CallAdmission {
      if isDraining.load(ordering: .relaxed) { return .refused(.shuttingDown) }
      if let message = frame.message, message.count > limits.maximumMessageBytes {
        return .refused(
          CallStatus(
            .resourceExhausted,
            "the request has \(message.count) bytes; the limit is \(limits.maximumMessageBytes)"))
      }
      do throws(RPCError) {
        try start.metadata.check(limit: limits.maximumMetadataBytes)
        if let key = start.idempotencyKey { try method.check(key) }
        return .allowed(
          method.descriptor, by: try identify(method.descriptor, start.metadata, peer))
      } catch {
        var status = CallStatus(error)
        if status.details.isEmpty { status.details = CallExecution.notStarted.details }
        return .refused(status)
      }
    }

    /// What of a handler's error leaves the process.
    func status(of error: any Error, _ method: MethodDescriptor) -> CallStatus {
      let seen = RPCError(ofHandler: error)
      if seen.code == .unknown, !(error is RPCError) { unmappedError(method, error) }
      var status = CallStatus(seen)
      // It may come from a call that the handler made: what is known of that one says nothing of
      // this one, which was started.
      if !(error is CallRefusal) { status.details.removeAll { $0.type == CallExecution.typeName } }
      return status
    }

    /// Takes one of the places for calls that run, or answers why there is none.
    func takePlace() -> CallStatus? {
      var taken = running.load(ordering: .relaxed)
      while taken < limits.maximumCallsPerServer {
        let (isTaken, now) = running.weakCompareExchange(
          expected: taken, desired: taken + 1, ordering: .acquiringAndReleasing)
        if isTaken { return nil }
        taken = now
      }
      return .tooManyCalls(limits.maximumCallsPerServer, on: "this worker")
    }

    /// So many more calls of a connection wait for their request, and so many that ran are over.
    func count(waiting more: Int, ended: Int) {
      if more != 0 { waiting.add(more, ordering: .acquiringAndReleasing) }
      if ended > 0 { running.subtract(ended, ordering: .acquiringAndReleasing) }
      if more < 0 || ended > 0 { checkIdle() }
    }

    /// A handler has returned.
    func endCall() {
      ended.add(1, ordering: .relaxed)
      count(waiting: 0, ended: 1)
    }

    // MARK: - Endings

    /// Whether callers are told to go elsewhere.
    var isLeaving: Bool { leaving.load(ordering: .relaxed) }

    func announceLeaving() {
      leaving.store(true, ordering: .sequentiallyConsistent)
      let connections = state.withLock { Array($0.connections.values) }
      for connection in connections { connection.announceLeaving() }
    }

    func beginGracefulShutdown() {
      isDraining.store(true, ordering: .sequentiallyConsistent)
      let listeners = state.withLock { state in
        defer { state.listeners = [] }
        return state.listeners
      }
      for listener in listeners { listener.close() }
    }

    func close() {
      beginGracefulShutdown()
      let (connections, waiters) = state.withLock { state in
        state.isClosed = true
        defer { state.closeWaiters = [] }
        return (Array(state.connections.values), state.closeWaiters)
      }
      for connection in connections { connection.close() }
      for waiter in waiters { waiter.resume() }
    }

    func waitUntilClosed() async {
      await withCheckedContinuation { continuation in
        let isClosed = state.withLock { state in
          if !state.isClosed { state.closeWaiters.append(continuation) }
          return state.isClosed
        }
        if isClosed { continuation.resume() }
      }
    }

    func waitUntilIdle(besides others: Int) async {
      let id = state.withLock { state in
        defer { state.nextWaiter += 1 }
        return state.nextWaiter
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          idleWaiterCount.add(1, ordering: .sequentiallyConsistent)
          let waiter = IdleWaiter(others: others, continuation: continuation)
          state.withLock { $0.idleWaiters[id] = waiter }
          // A task that is cancelled before this line finds no waiter to resume, so it is asked
          // here.
          if Task.isCancelled { resumeIdleWaiter(id) } else { checkIdle() }
        }
      } onCancel: {
        resumeIdleWaiter(id)
      }
    }

    private func resumeIdleWaiter(_ id: UInt64) {
      guard let waiter = state.withLock({ $0.idleWaiters.removeValue(forKey: id) }) else { return }
      idleWaiterCount.subtract(1, ordering: .sequentiallyConsistent)
      waiter.continuation.resume()
    }

    /// Tells those who wait for it when the server has become idle.
    func checkIdle() {
      guard idleWaiterCount.load(ordering: .sequentiallyConsistent) > 0 else { return }
      let count = callsInProgress
      let (connections, waiters) = state.withLock { state in
        (
          Array(state.connections.values),
          state.idleWaiters.filter { count <= $0.value.others }.map(\.key)
        )
      }
      guard !waiters.isEmpty, connections.allSatisfy(\.isFlushed) else { return }
      for id in waiters { resumeIdleWaiter(id) }
    }
  }
}

extension CallStatus {
  static let shuttingDown = CallStatus(
    .unavailable, "the worker is shutting down and takes no new calls; it has not started this one",
    details: CallExecution.notStarted.details)

  static let workerStarting = CallStatus(
    .unavailable,
    "the worker is not ready yet and has not started this call: call again, or wait for readiness",
    details: CallExecution.detailsOfStartingWorker)
}
