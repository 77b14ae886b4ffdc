package import KithReflection
package import KithRPC
import ReflectionContract

/// What a worker can be asked, from its reflection.
package struct WorkerContracts: Sendable {
  /// The full names of its services, its own first.
  package let services: [String]
  /// The contracts of these services.
  package let contracts: ContractSet
  /// The contracts as the worker sent them: an encoded `google.protobuf.FileDescriptorSet`.
  package let descriptorSet: [UInt8]

  /// Contracts that a worker sent.
  ///
  /// - Throws: `ContractError` if they are not complete.
  package init(services: [String], descriptorSet: [UInt8]) throws(ContractError) {
    self.services = services
    self.descriptorSet = descriptorSet
    contracts = try ContractSet(encodedDescriptorSet: descriptorSet)
  }

  /// Asks a worker.
  package static func of(
    _ client: RPCClient, options: CallOptions
  ) async throws(RPCError) -> WorkerContracts {
    let answer = try await ReflectionClient(client).describe(DescribeRequest(), options: options)
    do throws(ContractError) {
      return try WorkerContracts(
        services: answer.services, descriptorSet: answer.fileDescriptorSet)
    } catch {
      throw RPCError(.internal, "the worker describes itself wrongly: \(error)")
    }
  }

  /// The services that are the worker's own rather than those that every worker has.
  package var ownServices: [ServiceDescription] {
    services.filter { !Self.isCommon($0) }.compactMap {
      contracts.service(named: $0)
    }
  }

  /// Whether a service or type is of the packages that every worker has from the SDK.
  package static func isCommon(_ fullName: String) -> Bool {
    commonServices.contains { service in
      let package = service.split(separator: ".").dropLast().joined(separator: ".")
      return fullName.hasPrefix(package + ".")
    }
  }

  /// The services that every worker has from the SDK, that of events only where it has a store.
  package static let commonServices = [
    "kith.events.v1.Events", "kith.health.v1.Health", "kith.metrics.v1.Metrics",
    "kith.reflection.v1.Reflection",
    "kith.worker.v1.Lifecycle",
  ]
}
