import KithReflection
import RiskContract
import TestingContract

/// The contracts that these tests read: that of the risk engine, and the one that holds a field of
/// every kind.
enum Contracts {
  static func risk() throws -> ContractSet {
    try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
  }

  static func everything() throws -> ContractSet {
    try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
  }

  static let everythingName = "kith.testing.v1.Everything"
}
