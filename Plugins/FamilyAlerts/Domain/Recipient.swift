/// A contact, as the escalation sees it.
public struct Recipient: Sendable, Hashable {
  /// The contact's id.
  public let id: String
  /// The addresses that may be used, in the order in which they are tried.
  public var routes: [Route]
  /// Hours in which only safety reaches the contact; nil for none.
  public var quietHours: QuietWindow?

  /// A recipient.
  public init(id: String, routes: [Route], quietHours: QuietWindow? = nil) {
    self.id = id
    self.routes = routes
    self.quietHours = quietHours
  }
}
