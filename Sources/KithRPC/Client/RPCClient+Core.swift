import KithWire
import Synchronization

extension RPCClient {
  /// What carries out a client's calls; lives as long as the client or one of its calls.
  final class Core: AlarmOwner {
    private typealias Waiter = CheckedContinuation<Result<ClientConnection, RPCError>, Never>
    private typealias Machine = ReconnectMachine<ClientConnection, Waiter>

    private struct State {
      var machine = Machine()
      var retries = RetryBudget()
      /// The attempt, or the pause before the next.
      var connecting: Task<Void, Never>?
      var nextCaller: UInt64 = 0
      /// Callers that were cancelled before they could wait.
      var cancelledEarly: Set<UInt64> = []
    }

    /// How often a call is moved to another connection that nobody has started.
    private static let maximumMoves = 3

    private let connector: any Connector
    private let limits: RPCLimits
    private let interceptors: [any ClientInterceptor]
    private let state = Mutex(State())
    private let alarm = Alarm()

    init(connector: any Connector, limits: RPCLimits, interceptors: [any ClientInterceptor]) {
      self.interceptors = interceptors
      self.connector = connector
      self.limits = limits
    }

    /// Makes the unary call whose encoded request `encode` answers, with room in front for the rest
    /// of its frame; again for each attempt, so that the common case of one keeps no copy.
    func unary(
      _ method: MethodDescriptor, _ options: CallOptions,
      _ encode: (CallOptions) throws(RPCError) -> WireBuffer
    ) async throws(RPCError) -> Answer {
      var (options, deadline) = options.within(CallContext.current, now: .now)
      guard !interceptors.isEmpty else {
        return try await attempt(method, options, deadline, encode)
      }
      let ends = try await ClientCallEnds(interceptors, method, &options)
      do throws(RPCError) {
        let answer = try await attempt(method, options, deadline, encode)
        ends.tell(nil)
        return answer
      } catch {
        ends.tell(error)
        throw error
      }
    }

    /// Makes a unary call as often as it takes and may.
    private func attempt(
      _ method: MethodDescriptor, _ options: CallOptions, _ deadline: Moment?,
      _ encode: (CallOptions) throws(RPCError) -> WireBuffer
    ) async throws(RPCError) -> Answer {
      // Under a key the worker's record sees to it that a repeat does nothing twice.
      let mayRepeat = method.idempotency != .unknown || options.idempotencyKey != nil
      let readyBy = options.readyTimeout.map { Moment.now.advanced(by: $0) }
      var attempts = 0
      var mayHaveRun = 0
      while true {
        let message = try encode(options)
        try check(message.count, options)
        let connection: ClientConnection
        let start: CallStart
        do throws(RPCError) {
          connection = try await self.connection(options, deadline)
          start = try self.start(method, options, deadline)
        } catch {
          throw error.after(mayHaveRun > 0 ? .mayHaveRun : .notStarted)
        }
        attempts += 1
        switch await connection.unary(start, consume message, deadline: deadline) {
        case .success(let answer):
          if mayRepeat { state.withLock { $0.retries.succeed() } }
          return answer
        case .failure(let error):
          // A worker that leaves has told so: whoever took its place takes the call, also of a
          // caller who would not wait for one. Others than who wait do not try for ever.
          if options.waitForReady || attempts < Self.maximumMoves, error.isSafeToMove,
            connection !== current
          {
            continue
          }
          // A worker that is not ready yet is waited for on the same connection.
          if options.waitForReady, error.isOfStartingWorker,
            readyBy.map({ Moment.now < $0 }) ?? true
          {
            try await pause(options.retry, attempts, deadline, error)
            continue
          }
          if error.isLoss, error.execution != .notStarted { mayHaveRun += 1 }
          guard mayRepeat, error.isLoss, attempts < options.retry.maximumAttempts,
            mayHaveRun < options.retry.maximumAttemptsThatMayHaveRun,
            state.withLock({ $0.retries.take() })
          else { throw mayHaveRun > 0 ? error.after(.mayHaveRun) : error }
          try await pause(options.retry, attempts, deadline, error)
        }
      }
    }

    /// Waits before another attempt.
    ///
    /// - Throws: `error` when the call's time would be over, CANCELLED when the task is cancelled.
    private func pause(
      _ policy: RetryPolicy, _ attempts: Int, _ deadline: Moment?, _ error: RPCError
    ) async throws(RPCError) {
      let pause = policy.pause(afterAttempts: attempts, jitter: .random(in: 0...1))
      if let deadline, Moment.now.duration(until: deadline) <= pause { throw error }
      do {
        try await Task.sleep(for: pause)
      } catch {
        throw .cancelledByCaller
      }
    }

    /// Opens a streaming call, with its only message if it sends no more; answers where it is, its
    /// id, and who is to be told its end.
    func openStream(
      _ method: MethodDescriptor, _ options: CallOptions,
      _ encode: (CallOptions) throws(RPCError) -> WireBuffer?
    ) async throws(RPCError) -> (ClientConnection, UInt32, ClientCallEnds) {
      var (options, deadline) = options.within(CallContext.current, now: .now)
      let ends = try await ClientCallEnds(interceptors, method, &options)
      do throws(RPCError) {
        let (connection, id) = try await openStream(method, options, deadline, encode)
        return (connection, id, ends)
      } catch {
        ends.tell(error)
        throw error
      }
    }

    private func openStream(
      _ method: MethodDescriptor, _ options: CallOptions, _ deadline: Moment?,
      _ encode: (CallOptions) throws(RPCError) -> WireBuffer?
    ) async throws(RPCError) -> (ClientConnection, UInt32) {
      let message = try encode(options)
      try check(message?.count ?? 0, options)
      guard options.idempotencyKey == nil else { throw .keyOfStream }
      let connection: ClientConnection
      let start: CallStart
      do throws(RPCError) {
        connection = try await self.connection(options, deadline)
        start = try self.start(method, options, deadline)
      } catch {
        throw error.after(.notStarted)
      }
      let id = try connection.openStream(
        start, message, deadline: deadline, sendsMore: method.takesMany)
      return (connection, id)
    }

    private func check(_ size: Int, _ options: CallOptions) throws(RPCError) {
      try options.metadata.check(limit: limits.maximumMetadataBytes)
      guard size > limits.maximumMessageBytes else { return }
      throw RPCError(
        .resourceExhausted,
        "the request has \(size) bytes; the limit is \(limits.maximumMessageBytes)",
        details: CallExecution.notStarted.details)
    }

    private var current: ClientConnection? { state.withLock { $0.machine.connection } }

    /// What opens the call; its timeout is what is left now.
    private func start(
      _ method: MethodDescriptor, _ options: CallOptions, _ deadline: Moment?
    ) throws(RPCError) -> CallStart {
      var timeout: Int64?
      if let deadline {
        let now = Moment.now
        guard now < deadline else {
          throw RPCError(
            .deadlineExceeded, "the deadline passed before the call was sent",
            details: CallExecution.notStarted.details)
        }
        // At least one microsecond, since none would tell the worker that the deadline has passed.
        timeout = max(1, now.microseconds(until: deadline))
      }
      return CallStart(
        method: method, timeoutMicroseconds: timeout, metadata: options.metadata,
        traceparent: options.traceparent, idempotencyKey: options.idempotencyKey)
    }

    // MARK: - The connection

    /// The connection to call on: at once when there is one, otherwise when the machine has made
    /// one.
    private func connection(
      _ options: CallOptions, _ deadline: Moment?
    ) async throws(RPCError) -> ClientConnection {
      let (ready, id) = state.withLock { state -> (ClientConnection?, UInt64) in
        if let connection = state.machine.connection { return (connection, 0) }
        state.nextCaller += 1
        return (nil, state.nextCaller)
      }
      if let ready { return ready }
      let result = await withTaskCancellationHandler {
        await withCheckedContinuation { waiter in
          acquire(
            id,
            Machine.Pending(
              waiter: waiter, waitsForReady: options.waitForReady, deadline: deadline,
              readyBy: options.readyTimeout.map { Moment.now.advanced(by: $0) }))
        }
      } onCancel: {
        abandon(id)
      }
      state.withLock { _ = $0.cancelledEarly.remove(id) }
      return try result.get()
    }

    private func acquire(_ id: UInt64, _ caller: Machine.Pending) {
      let actions = state.withLock { state -> [Machine.Action] in
        if state.cancelledEarly.contains(id) {
          return [.fail(caller.waiter, .cancelledBeforeSending)]
        }
        return state.machine.acquire(id, caller, now: .now)
      }
      if let moment = caller.waitsUntil { alarm.set(moment, for: self) }
      perform(actions)
    }

    private func abandon(_ id: UInt64) {
      let (caller, actions) = state.withLock { state in
        let (caller, actions) = state.machine.abandon(id)
        if caller == nil { state.cancelledEarly.insert(id) }
        return (caller, actions)
      }
      caller?.waiter.resume(returning: .failure(.cancelledBeforeSending))
      perform(actions)
    }

    private func perform(_ actions: [Machine.Action]) {
      for action in actions {
        switch action {
        case .use(let waiter, let connection): waiter.resume(returning: .success(connection))
        case .fail(let waiter, let error): waiter.resume(returning: .failure(error))
        case .connect(let request, let attempt):
          work(attempt) { core in await core.connect(request, attempt) }
        case .retry(let pause, let attempt):
          work(attempt) { core in
            do { try await Task.sleep(for: pause) } catch { return }
            core.perform(
              core.state.withLock { $0.machine.retry(attempt: attempt, now: .now) })
          }
        case .stopConnecting: state.withLock { $0.connecting.take() }?.cancel()
        }
      }
    }

    /// Runs the attempt, or the pause before it, in the one task that connects.
    private func work(_ attempt: UInt64, _ body: @escaping @Sendable (Core) async -> Void) {
      // Detached: the attempt is everybody's, and must not end with the call that happened to begin
      // it.
      let task = Task.detached { await body(self) }
      let isWanted = state.withLock { state in
        guard state.machine.attempt == attempt else { return false }
        state.connecting = task
        return true
      }
      if !isWanted { task.cancel() }
    }

    private func connect(_ request: ConnectRequest, _ attempt: UInt64) async {
      do throws(RPCError) {
        let connection = try await establish(request)
        let actions = state.withLock { state in
          state.machine.connected(
            connection, generation: connection.generation, attempt: attempt)
        }
        guard let actions else { return connection.close(.clientClosed) }
        perform(actions)
        // One that was lost before the machine knew of it is lost now.
        if connection.isClosed { lose(connection, isLeaving: false) }
      } catch {
        perform(
          state.withLock { state in
            state.machine.failed(error, attempt: attempt, jitter: .random(in: 0...1))
          })
      }
    }

    private func establish(_ request: ConnectRequest) async throws(RPCError) -> ClientConnection {
      let established = try await connector.connect(request)
      let connection = ClientConnection(established, limits: limits) {
        [weak self] connection, isLeaving in
        self?.lose(connection, isLeaving: isLeaving)
      }
      try await connection.open(timeout: limits.helloTimeout)
      return connection
    }

    private func lose(_ connection: ClientConnection, isLeaving: Bool) {
      state.withLock { state in
        state.machine.lost(isLeaving: isLeaving) { $0 === connection }
      }
    }

    func alarmRang(_ now: Moment) -> Moment? {
      let (actions, next) = state.withLock { ($0.machine.expire(now), $0.machine.nextDeadline) }
      perform(actions)
      return next
    }

    func close() {
      let (connection, actions) = state.withLock { state in
        (state.machine.connection, state.machine.close())
      }
      perform(actions)
      connection?.close(.clientClosedDuringCall)
      alarm.close()
    }
  }
}

extension RPCError {
  static let keyOfStream = RPCError(
    .invalidArgument, "an idempotency key is for a unary method, and this one has a stream",
    details: CallExecution.notStarted.details)

  static let clientClosedDuringCall = RPCError(.unavailable, "the client was closed")

  /// The error of an attempt, of which and of those before it this is known.
  fileprivate func after(_ execution: CallExecution) -> RPCError {
    var error = self
    error.details.removeAll { $0.type == CallExecution.typeName }
    error.details += execution.details
    return error
  }

  /// Whether a call was lost with its connection, or refused by a worker that leaves; an
  /// UNAVAILABLE that a handler has thrown is an answer.
  fileprivate var isLoss: Bool { code == .unavailable && execution != .unspecified }

  /// Whether a call that waits for readiness may be sent on another connection: nobody has started
  /// it, and the worker on this one will not.
  var isSafeToMove: Bool {
    code == .unavailable && execution == .notStarted && !isOfStartingWorker
  }

  /// Whether the worker has not started the call because it is not ready yet.
  var isOfStartingWorker: Bool {
    code == .unavailable && CallExecution.tellsOfStartingWorker(details)
  }
}
