/// The events of another worker of the product.
///
///     try context.follow(EventSource(of: "kith.reminders.v1.Reminders"), into: MissedDoses(), in: store)
public struct EventSource: Sendable, Hashable {
  /// The full name of a service of the worker whose events they are.
  public var service: String
  /// Where a follower begins that has seen nothing.
  public var start: EventConsumer.Start
  /// Whether a product may have no worker that provides the service.
  public var isOptional: Bool

  /// The events of the worker that serves a service.
  public init(
    of service: String, start: EventConsumer.Start = .oldest, isOptional: Bool = false
  ) {
    self.service = service
    self.start = start
    self.isOptional = isOptional
  }
}
