import KithRPC
import ReflectionContract

/// Describes what a worker serves.
struct ReflectionService: ReflectionHandler {
  let runtime: WorkerRuntime

  func describe(_ request: DescribeRequest, context: CallContext) async throws -> DescribeResponse {
    let services = runtime.services
    if request.service.isEmpty {
      return DescribeResponse(
        services: services.map(\.name),
        fileDescriptorSet: try DescriptorSets.joined(services.map(\.descriptorSet)))
    }
    guard let service = services.first(where: { $0.name == request.service }) else {
      let names = services.map(\.name).joined(separator: ", ")
      throw RPCError(
        .notFound, "this worker has no service of that name; it has \(names)")
    }
    return DescribeResponse(services: [service.name], fileDescriptorSet: service.descriptorSet)
  }
}
