import KithWire

/// What may be done about a call whose outcome is not known; the contract states it for each method.
public enum IdempotencyLevel: Sendable, Hashable {
  /// Repeating the call may do the thing twice.
  case unknown
  /// The call only looks; repeating it does nothing.
  case noSideEffects
  /// The call may be repeated with the same result.
  case idempotent
}

/// Names a method of a service.
public struct MethodDescriptor: Sendable, Hashable {
  /// The full name of the service: `kith.risk.v1.RiskEngine`.
  public let service: String
  /// The method: `Analyze`.
  public let method: String
  /// `kith.risk.v1.RiskEngine/Analyze`, as it stands on the wire.
  public let fullName: String
  /// What the contract says about repeating it.
  public let idempotency: IdempotencyLevel
  /// The name as the first field of a `kith.rpc.v1.CallStart`, encoded once for all calls.
  let encodedName: [UInt8]

  /// A method of a service.
  public init(service: String, method: String, idempotency: IdempotencyLevel = .unknown) {
    self.service = service
    self.method = method
    self.fullName = "\(service)/\(method)"
    self.idempotency = idempotency
    var name = WireWriter()
    name.varint(1 << 3 | 2)
    name.text(fullName)
    self.encodedName = name.bytes
  }
}
