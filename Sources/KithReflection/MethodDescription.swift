/// A method of a service.
public struct MethodDescription: Sendable, Equatable {
  /// What happens when a call is made twice.
  public enum Idempotency: Sendable, Equatable {
    /// Nothing is promised.
    case unknown
    /// A call changes nothing.
    case noSideEffects
    /// Two calls do what one does.
    case idempotent
  }

  /// What a call consumes of its caller's plan.
  public struct Entitlement: Sendable, Equatable {
    /// The feature that the plan must have.
    public var feature = ""
    /// The quota that the call is counted in; empty for none.
    public var quota = ""
    /// How much of the quota.
    public var cost = 1
    /// Whether somebody's safety depends on it, so that nobody is refused.
    public var isSafety = false
  }

  /// `Analyze`.
  public var name: String
  /// The full name of the service: `kith.risk.v1.RiskEngine`.
  public var service: String
  /// The full name of the request message.
  public var requestType: String
  /// The full name of the response message.
  public var responseType: String
  /// What happens when a call is made twice.
  public var idempotency: Idempotency
  /// Whether the caller sends a stream of requests.
  public var isClientStreaming: Bool
  /// Whether the worker answers with a stream of responses.
  public var isServerStreaming: Bool
  /// The comment above it in the proto file.
  public var documentation: String
  /// What it is called on the command line: `(kith.verb)`. Empty when the contract does not say.
  public var verb: String
  /// What a call consumes of its caller's plan: `(kith.entitlement)`. Nil for nothing.
  public var entitlement: Entitlement?

  /// Creates a description.
  public init(
    name: String, service: String, requestType: String, responseType: String,
    idempotency: Idempotency = .unknown, isClientStreaming: Bool = false,
    isServerStreaming: Bool = false, documentation: String = "", verb: String = "",
    entitlement: Entitlement? = nil
  ) {
    self.name = name
    self.service = service
    self.requestType = requestType
    self.responseType = responseType
    self.idempotency = idempotency
    self.isClientStreaming = isClientStreaming
    self.isServerStreaming = isServerStreaming
    self.documentation = documentation
    self.verb = verb
    self.entitlement = entitlement
  }

  /// How a call addresses it: `kith.risk.v1.RiskEngine/Analyze`.
  public var fullName: String { "\(service)/\(name)" }
}
