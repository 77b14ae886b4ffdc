import EventsContract
import KithAccess
public import KithRPC
public import KithStore

/// Follows the events of another worker, and keeps how far it has come in the consumer's own store.
///
/// What is done about an event and the place in the log are one transaction of that store: an event
/// is handled at least once, in order, and its effect on the store stands exactly once, whatever of
/// the two workers or the host is killed when.
public struct EventConsumer: Sendable {
  /// Where one begins that has seen nothing.
  public enum Start: Sendable, Hashable {
    /// At the oldest event that is kept.
    case oldest
    /// At what happens from now on.
    case new
  }

  /// What the consumer does about events, in a transaction of its store. What it throws takes back
  /// the transaction; the event comes again, later and later.
  public typealias Handle = @Sendable (LoggedEvent, WriteTransaction) throws -> Void

  private let name: String
  private let client: EventsClient
  private let store: Store
  private let types: [String]
  private let start: Start
  /// How long until the next attempt after one that failed.
  private let pauses: ClosedRange<Duration>

  /// A consumer.
  /// - Parameters:
  ///   - name: what it is called in the store; two of one store have two names.
  ///   - client: a client of the worker whose events they are.
  ///   - store: the consumer's own store.
  ///   - types: the full names of the messages that are wanted, `ReminderSent.fullName`; all when
  ///     empty.
  ///   - start: where it begins when it has seen nothing.
  public init(
    _ name: String, of client: RPCClient, in store: Store, types: [String] = [],
    start: Start = .oldest, pauses: ClosedRange<Duration> = .milliseconds(50)...(.seconds(10))
  ) {
    self.name = name
    self.client = EventsClient(client)
    self.store = store
    self.types = types
    self.start = start
    self.pauses = pauses
  }

  /// Follows the events until the task is cancelled. A worker that is away is waited for.
  /// - Parameters:
  ///   - lost: is told, in a transaction, of events that are in the log no more, before those that
  ///     follow. What depends on
  ///     having seen all must be found anew.
  ///   - trouble: is told of what went wrong before it is tried again, and nil when it goes well
  ///     again.
  ///   - reached: is told of each place in the log that was noted.
  ///   - handle: what is done about each event.
  public func run(
    lost: @escaping @Sendable (LostEvents, WriteTransaction) throws -> Void,
    trouble: @escaping @Sendable ((any Error)?) -> Void = { _ in },
    reached: @escaping @Sendable (EventPosition) -> Void = { _ in },
    handle: @escaping Handle
  ) async {
    var pause = pauses.lowerBound
    while !Task.isCancelled {
      do {
        try await follow(lost: lost, handle: handle) { position in
          pause = pauses.lowerBound
          reached(position)
          trouble(nil)
        }
      } catch {
        if Task.isCancelled { return }
        // A worker that is away, or leaves, is no trouble.
        if (error as? RPCError)?.code != .unavailable { trouble(error) }
      }
      try? await Task.sleep(for: pause)
      pause = min(pause * 2, pauses.upperBound)
    }
  }

  /// Follows the events into a projection until the task is cancelled: see
  /// ``run(lost:trouble:reached:handle:)``.
  public func run(
    into projection: some Projection,
    trouble: @escaping @Sendable ((any Error)?) -> Void = { _ in },
    reached: @escaping @Sendable (EventPosition) -> Void = { _ in }
  ) async {
    await run(
      lost: { try projection.restart(after: $0, in: $1) }, trouble: trouble, reached: reached,
      handle: { try projection.apply($0, in: $1) })
  }

  /// Follows one stream to its end.
  private func follow(
    lost: @escaping @Sendable (LostEvents, WriteTransaction) throws -> Void,
    handle: @escaping Handle, progress: (EventPosition) -> Void
  ) async throws {
    let position = try await store.read { [name] in try $0.eventPosition(of: name) }
    var request = SubscribeRequest(start: start == .new ? .new : .oldest, types: types)
    if position != EventPosition() {
      request.after = Position(log: position.log, sequence: position.sequence)
    }
    let stream = try await client.subscribe(request, options: CallOptions(waitForReady: true))
    for try await response in stream {
      progress(try await take(response, lost: lost, handle: handle))
    }
  }

  /// Answers the position that was noted.
  private func take(
    _ response: SubscribeResponse,
    lost: @escaping @Sendable (LostEvents, WriteTransaction) throws -> Void,
    handle: @escaping Handle
  ) async throws -> EventPosition {
    guard let position = response.position else {
      throw RPCError(.internal, "the worker tells events without their position")
    }
    let (name, events) = (name, response.events.map(LoggedEvent.init))
    let (end, gone) = (EventPosition(position), response.lost.map(LostEvents.init))
    /// In a transaction: what lies behind the place that is noted. That may be further than when
    /// these were asked for: while a worker is replaced, the process that leaves and the one that
    /// comes both take events.
    @Sendable func take(
      _ gone: LostEvents?, _ events: [LoggedEvent], to end: EventPosition,
      _ transaction: WriteTransaction
    ) throws {
      let noted = try transaction.eventPosition(of: name)
      let seen = noted.log == end.log ? noted.sequence : -1
      guard seen < end.sequence else { return }
      if let gone { try lost(gone, transaction) }
      for event in events where event.sequence > seen { try handle(event, transaction) }
      try transaction.setEventPosition(end, of: name)
    }
    do {
      try await store.write { try take(gone, events, to: end, $0) }
    } catch {
      // Those before the one that cannot be handled are handled, so that it alone comes again and
      // again.
      guard events.count > 1 else { throw error }
      if let gone {
        let begin = EventPosition(log: end.log, sequence: gone.to)
        try await store.write { try take(gone, [], to: begin, $0) }
      }
      for event in events {
        let place = EventPosition(log: end.log, sequence: event.sequence)
        try await store.write { try take(nil, [event], to: place, $0) }
      }
      try await store.write { try take(nil, [], to: end, $0) }
    }
    return end
  }
}

extension LoggedEvent {
  init(_ event: Event) {
    self.init(
      sequence: event.sequence, type: event.type, atMilliseconds: event.atMs,
      user: UserID(event.userId), traceparent: event.traceparent, payload: event.payload)
  }
}

extension LostEvents {
  init(_ lost: Lost) {
    let reason: Reason =
      switch lost.reason {
      case .otherLog: .otherLog
      case .damaged: .damaged
      default: .retention
      }
    self.init(reason: reason, from: lost.from, to: lost.to)
  }
}
