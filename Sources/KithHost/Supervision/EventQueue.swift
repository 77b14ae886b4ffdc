import KithSupervision

/// The events that wait for the supervisor. One is handled, and what it calls for is done, before
/// the next.
struct EventQueue {
  private var events: [SupervisionEvent] = []
  private var isBeingHandled = false

  /// Adds an event; answers whether the caller is to handle it. An event that arises from the
  /// handling of another waits for its end.
  mutating func add(_ event: SupervisionEvent) -> Bool {
    events.append(event)
    defer { isBeingHandled = true }
    return !isBeingHandled
  }

  /// The next event, to be handled now; nil when all have been.
  mutating func next() -> SupervisionEvent? {
    isBeingHandled = !events.isEmpty
    return events.isEmpty ? nil : events.removeFirst()
  }
}
