import KithWire

/// What may be done about a call whose outcome is not known; the contract states it for each
/// method.
public enum IdempotencyLevel: Sendable, Hashable {
  /// Repeating the call may do the thing twice.
  case unknown
  /// The call only looks; repeating it does nothing.
  case noSideEffects
  /// The call may be repeated with the same result.
  case idempotent
}

/// How many messages go each way in a call.
public enum CallShape: Sendable, Hashable {
  /// One request, one answer.
  case unary
  /// Many requests, one answer.
  case clientStreaming
  /// One request, many answers.
  case serverStreaming
  /// Many requests, many answers.
  case bidirectional
}

/// Names a method of a service.
public struct MethodDescriptor: Sendable {
  /// One object for all copies: a method is named in each of its calls.
  private final class Storage: Sendable {
    let service: String
    let method: String
    let fullName: String
    let shape: CallShape
    let idempotency: IdempotencyLevel
    let callers: Callers
    let entitlement: EntitlementUse?
    let encodedName: [UInt8]

    init(
      service: String, method: String, shape: CallShape, idempotency: IdempotencyLevel,
      callers: Callers, entitlement: EntitlementUse?
    ) {
      self.service = service
      self.method = method
      self.fullName = "\(service)/\(method)"
      self.shape = shape
      self.idempotency = idempotency
      self.callers = callers
      self.entitlement = entitlement
      var name = WireWriter()
      name.varint(1 << 3 | 2)
      name.text(fullName)
      self.encodedName = name.bytes
    }
  }

  private let storage: Storage

  /// A method of a service.
  public init(
    service: String, method: String, shape: CallShape = .unary,
    idempotency: IdempotencyLevel = .unknown, callers: Callers = .identified,
    entitlement: EntitlementUse? = nil
  ) {
    storage = Storage(
      service: service, method: method, shape: shape, idempotency: idempotency, callers: callers,
      entitlement: entitlement)
  }

  /// The full name of the service: `kith.risk.v1.RiskEngine`.
  public var service: String { storage.service }
  /// The method: `Analyze`.
  public var method: String { storage.method }
  /// `kith.risk.v1.RiskEngine/Analyze`, as it stands on the wire.
  public var fullName: String { storage.fullName }
  /// How many messages go each way.
  public var shape: CallShape { storage.shape }
  /// What the contract says about repeating it.
  public var idempotency: IdempotencyLevel { storage.idempotency }
  /// Who may call it, by its contract.
  public var callers: Callers { storage.callers }
  /// What a call consumes of its caller's plan, by its contract; nil for nothing.
  public var entitlement: EntitlementUse? { storage.entitlement }
  /// The name as the first field of a `kith.rpc.v1.CallStart`, encoded once for all calls.
  var encodedName: [UInt8] { storage.encodedName }
  /// Whether a caller may send more than one message.
  var takesMany: Bool { shape == .clientStreaming || shape == .bidirectional }
}

extension MethodDescriptor: Hashable {
  /// Whether two describe the same method alike.
  public static func == (left: MethodDescriptor, right: MethodDescriptor) -> Bool {
    left.fullName == right.fullName && left.idempotency == right.idempotency
  }

  /// Hashes the full name.
  public func hash(into hasher: inout Hasher) { hasher.combine(fullName) }
}
