public import EventsContract
import KithAccess
public import KithRPC
public import KithStore

/// Tells subscribers what a store's event log has, and what comes to it.
public struct EventsService: EventsHandler {
  private static let mostTypes = 100
  /// How soon an event is found that another process has appended: an older generation that still
  /// drains.
  private static let lookAgain = Duration.seconds(1)

  private let store: Store

  /// The service over a store.
  public init(store: Store) { self.store = store }

  /// Sends what was appended behind a position, then what is appended from then on.
  public func subscribe(
    _ request: SubscribeRequest, responses: ResponseWriter<SubscribeResponse>, context: CallContext
  ) async throws {
    guard request.types.count <= Self.mostTypes else {
      throw RPCError.invalidArgument(
        field: "types",
        "\(request.types.count) types are named, at most \(Self.mostTypes) are taken")
    }
    if let after = request.after, after.sequence < 0 {
      throw RPCError.invalidArgument(field: "after.sequence", "it is negative")
    }
    // Before the first look, so that nothing is missed between the two.
    let (signals, continuation) = store.events.signals()
    try await withThrowingTaskGroup { group in
      group.addTask {
        while !Task.isCancelled {
          try await Task.sleep(for: Self.lookAgain)
          continuation.yield()
        }
      }
      defer { group.cancelAll() }
      try await send(request, responses, signals)
    }
  }

  private func send(
    _ request: SubscribeRequest, _ responses: ResponseWriter<SubscribeResponse>,
    _ signals: AsyncStream<Void>
  ) async throws {
    let types = Set(request.types)
    var position = try await begin(of: request)
    var signals = signals.makeAsyncIterator()
    var isFirst = true
    while true {
      let after = position
      let page = try await store.read { try $0.events(after: after, ofTypes: types) }
      position = page.position
      if isFirst || page.position != after || page.lost != nil {
        try await responses.write(SubscribeResponse(page))
        isFirst = false
      } else {
        guard await signals.next() != nil else {
          try Task.checkCancellation()
          throw RPCError(.unavailable, "the worker leaves; the next one goes on with the events")
        }
      }
    }
  }

  private func begin(of request: SubscribeRequest) async throws -> EventPosition {
    if let after = request.after { return EventPosition(after) }
    return request.start == .new ? try await store.read { try $0.endOfEvents() } : EventPosition()
  }
}

extension SubscribeResponse {
  fileprivate init(_ page: EventPage) {
    self.init(
      lost: page.lost.map { lost in
        Lost(reason: LostReason(lost.reason), from: lost.from, to: lost.to)
      },
      events: page.events.map { event in
        Event(
          sequence: event.sequence, type: event.type, atMs: event.atMilliseconds,
          userId: event.user?.text ?? "", payload: event.payload, traceparent: event.traceparent)
      }, position: Position(page.position))
  }
}

extension LostReason {
  fileprivate init(_ reason: LostEvents.Reason) {
    switch reason {
    case .retention: self = .retention
    case .otherLog: self = .otherLog
    case .damaged: self = .damaged
    }
  }
}

extension EventPosition {
  init(_ position: Position) {
    self.init(log: position.log, sequence: position.sequence)
  }
}

extension Position {
  init(_ position: EventPosition) {
    self.init(log: position.log, sequence: position.sequence)
  }
}
