/// A service of a contract and the methods that it has.
public struct ServiceDescription: Sendable, Equatable {
  /// `kith.risk.v1.RiskEngine`.
  public var fullName: String
  /// The methods in the order of the proto file.
  public var methods: [MethodDescription]
  /// The comment above it in the proto file.
  public var documentation: String
  /// The proto file that declares it: `kith/risk/v1/risk.proto`.
  public var file: String

  /// Creates a description.
  public init(
    fullName: String, methods: [MethodDescription], documentation: String = "", file: String = ""
  ) {
    self.fullName = fullName
    self.methods = methods
    self.documentation = documentation
    self.file = file
  }

  /// The name without its package: `RiskEngine`.
  public var name: String { ContractNames.last(of: fullName) }

  /// The method of that name.
  public func method(named name: String) -> MethodDescription? {
    methods.first { $0.name == name }
  }
}
