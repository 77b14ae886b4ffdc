/// A service and the code of its methods: what a worker hands to its server. Generated code builds
/// it.
public struct ServiceDefinition: Sendable {
  /// The full name: `kith.risk.v1.RiskEngine`.
  public let name: String
  /// The methods with their code.
  public let implementations: [MethodImplementation]
  private let loadDescriptorSet: @Sendable () -> [UInt8]

  /// A service. `descriptorSet` is the encoded FileDescriptorSet of its file with all imports and
  /// comments; it is asked for only when reflection serves it.
  public init(
    name: String, descriptorSet: @escaping @Sendable () -> [UInt8] = { [] },
    methods: [MethodImplementation]
  ) {
    self.name = name
    self.implementations = methods
    self.loadDescriptorSet = descriptorSet
  }

  /// The methods.
  public var methods: [MethodDescriptor] { implementations.map(\.descriptor) }

  /// The encoded FileDescriptorSet of the service's file with all imports and comments; empty when
  /// none was given.
  public var descriptorSet: [UInt8] { loadDescriptorSet() }
}
