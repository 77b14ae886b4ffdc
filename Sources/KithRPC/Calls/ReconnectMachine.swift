/// Decides when a client connects, who waits for the connection, and who is turned away: a value.
///
/// One attempt is under way at a time, for all callers. A caller that does not wait for readiness
/// gets the outcome of the next attempt; one that does is held over as many attempts as it takes.
/// The first attempt after a loss asks for a worker that is there; only when there is none do the
/// later ones ask the connector to wait for one.
struct ReconnectMachine<Connection: Sendable, Waiter: Sendable>: Sendable {
  /// A caller without a connection.
  struct Pending: Sendable {
    var waiter: Waiter
    var waitsForReady: Bool
    /// When the call's time is over.
    var deadline: Moment?
    /// Until when it waits for readiness, if that is bounded on its own.
    var readyBy: Moment?

    /// When it waits no longer.
    var waitsUntil: Moment? { [deadline, readyBy].compactMap(\.self).min() }
  }

  /// What is to be done, in order.
  enum Action: Sendable {
    /// Ask the connector; then tell `connected` or `failed`.
    case connect(ConnectRequest, attempt: UInt64)
    /// Tell `retry` after the given time.
    case retry(after: Duration, attempt: UInt64)
    /// Cancel the attempt, or the wait for the next one: nobody needs it.
    case stopConnecting
    /// Give a connection to a caller.
    case use(Waiter, Connection)
    /// Turn a caller away.
    case fail(Waiter, RPCError)
  }

  private enum State {
    /// No connection, and nobody wants one. Next: connecting, closed.
    case idle
    /// The connector works. `waits`: it was asked to wait. Next: idle, backingOff, ready, closed.
    case connecting(waits: Bool)
    /// An attempt failed and callers wait for the next. Next: idle, connecting, closed.
    case backingOff
    /// Calls go here. Next: idle, closed.
    case ready(Connection, generation: UInt64)
    /// The end.
    case closed
  }

  /// The first pause between two attempts, and the longest; each is longer than the one before.
  static var firstPause: Duration { .milliseconds(5) }
  static var longestPause: Duration { .milliseconds(250) }

  private var state = State.idle
  private var pending: [UInt64: Pending] = [:]
  private var predecessor: ConnectRequest.Predecessor?
  private var failures = 0
  /// Counts the attempts and the pauses, so that the outcome of one that was given up is not taken
  /// for that of a later one.
  private(set) var attempt: UInt64 = 0
  private var lastError = RPCError(.unavailable, "the worker cannot be reached")

  /// The connection to call on, if there is one.
  var connection: Connection? {
    if case .ready(let connection, _) = state { return connection }
    return nil
  }

  /// A caller wants a connection. `id` names it for `abandon`.
  mutating func acquire(
    _ id: UInt64, _ caller: Pending, now: Moment
  ) -> [Action] {
    switch state {
    case .closed: return [.fail(caller.waiter, .clientClosed)]
    case .ready(let connection, _): return [.use(caller.waiter, connection)]
    case .connecting(waits: true) where !caller.waitsForReady,
      .backingOff where !caller.waitsForReady:
      return [.fail(caller.waiter, lastError)]
    case .connecting, .backingOff:
      pending[id] = caller
      return []
    case .idle:
      pending[id] = caller
      failures = 0
      return [connect(waits: false, now)]
    }
  }

  /// The attempt succeeded. Nil when it had been given up: the connection is of no use then.
  mutating func connected(
    _ connection: Connection, generation: UInt64, attempt: UInt64
  ) -> [Action]? {
    guard case .connecting = state, attempt == self.attempt else { return nil }
    state = .ready(connection, generation: generation)
    predecessor = nil
    failures = 0
    return takePending { _ in true }.map { .use($0.waiter, connection) }
  }

  /// The attempt failed. `jitter` is between 0 and 1.
  mutating func failed(_ error: RPCError, attempt: UInt64, jitter: Double) -> [Action] {
    guard case .connecting = state, attempt == self.attempt else { return [] }
    // Its time was that of the callers it began with. Those who came since may have more, and each
    // learns from its own deadline when it has none left.
    let error = error.code == .deadlineExceeded ? .connectingTookTooLong : error
    lastError = error
    // Only a worker that is not there may come; anything else fails the same way the next time.
    let turnedAway = takePending { !$0.waitsForReady || error.code != .unavailable }
    let actions = turnedAway.map { Action.fail($0.waiter, error) }
    guard !pending.isEmpty else {
      state = .idle
      return actions
    }
    state = .backingOff
    let pause = min(Self.longestPause, Self.firstPause * (1 << min(failures, 16)))
    failures += 1
    self.attempt += 1
    return actions + [.retry(after: pause * (0.75 + 0.25 * jitter), attempt: self.attempt)]
  }

  /// The pause is over.
  mutating func retry(attempt: UInt64, now: Moment) -> [Action] {
    guard case .backingOff = state, attempt == self.attempt else { return [] }
    return [connect(waits: true, now)]
  }

  /// A caller no longer waits; nil when it does not wait any more.
  mutating func abandon(_ id: UInt64) -> (caller: Pending?, actions: [Action]) {
    guard let caller = pending.removeValue(forKey: id) else { return (nil, []) }
    return (caller, stopIfAlone())
  }

  /// Turns away the callers whose time is over.
  mutating func expire(_ now: Moment) -> [Action] {
    let due = takePending { $0.waitsUntil.map { $0 <= now } ?? false }
    guard !due.isEmpty else { return [] }
    return due.map { .fail($0.waiter, outOfTime($0, now)) } + stopIfAlone()
  }

  private func outOfTime(_ caller: Pending, _ now: Moment) -> RPCError {
    let details = CallExecution.notStarted.details
    if let deadline = caller.deadline, deadline <= now {
      return RPCError(
        .deadlineExceeded,
        "the deadline passed before there was a connection: \(lastError.message)", details: details)
    }
    return RPCError(
      .unavailable, "there was no connection in the time allowed for it: \(lastError.message)",
      details: details)
  }

  /// The earliest moment at which a caller waits no longer.
  var nextDeadline: Moment? { pending.values.lazy.compactMap(\.waitsUntil).min() }

  /// The connection takes no more calls. `isCurrent` tells it from one that was replaced.
  mutating func lost(isLeaving: Bool, isCurrent: (Connection) -> Bool) {
    guard case .ready(let connection, let generation) = state, isCurrent(connection) else { return }
    state = .idle
    predecessor = ConnectRequest.Predecessor(generation: generation, isLeaving: isLeaving)
  }

  /// The client is closed.
  mutating func close() -> [Action] {
    defer { state = .closed }
    let actions = takePending { _ in true }.map { Action.fail($0.waiter, .clientClosed) }
    switch state {
    case .connecting, .backingOff: return actions + [.stopConnecting]
    case .idle, .ready, .closed: return actions
    }
  }

  private mutating func connect(waits: Bool, _ now: Moment) -> Action {
    state = .connecting(waits: waits)
    attempt += 1
    var latest: Moment? = now
    for caller in pending.values {
      latest =
        if let latest, let deadline = caller.waitsUntil { max(latest, deadline) } else { nil }
    }
    return .connect(
      ConnectRequest(
        predecessor: predecessor, waitForReady: waits,
        timeout: latest.map { now.duration(until: $0) }),
      attempt: attempt)
  }

  private mutating func stopIfAlone() -> [Action] {
    guard pending.isEmpty else { return [] }
    switch state {
    case .connecting, .backingOff:
      state = .idle
      attempt += 1
      return [.stopConnecting]
    case .idle, .ready, .closed: return []
    }
  }

  private mutating func takePending(_ isTaken: (Pending) -> Bool) -> [Pending] {
    let taken = pending.filter { isTaken($0.value) }.sorted { $0.key < $1.key }
    for (id, _) in taken { pending[id] = nil }
    return taken.map(\.value)
  }
}

extension RPCError {
  fileprivate static let connectingTookTooLong = RPCError(
    .unavailable, "the worker could not be reached in the time that the first to call it had",
    details: CallExecution.notStarted.details)

  static let clientClosed = RPCError(
    .unavailable, "the client is closed", details: CallExecution.notStarted.details)
}
