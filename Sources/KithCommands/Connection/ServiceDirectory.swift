import HostContract
import KithClient
import KithManifest
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// The services of a running product, by name: those of its workers, and the host's own.
struct ServiceDirectory: Sendable {
  /// A service and the way to it.
  struct Service: Sendable {
    let description: ServiceDescription
    let contracts: ContractSet
    let client: RPCClient
    /// The worker that serves it; `nil` for the host, and for one on another machine.
    let worker: String?
  }

  private let running: RunningProduct
  /// What the host knows about its workers.
  let workers: [WorkerStatus]
  /// The services of the product that workers on other machines serve.
  let remoteServices: [RemoteServiceStatus]
  private let worker: String?
  private let options: CallOptions

  /// Asks the host. With `worker`, only the services of that worker are looked at, those that every
  /// worker has included.
  static func of(
    _ running: RunningProduct, worker: String?, options: CallOptions
  ) async throws -> ServiceDirectory {
    let status = try await running.status(within: options.timeout)
    if let worker {
      guard let found = status.workers.first(where: { $0.name == worker }) else {
        throw WorkerChange.unknown(worker, status)
      }
      try WorkerReadiness.check(found, in: running.places)
    }
    return ServiceDirectory(
      running: running, workers: status.workers, remoteServices: status.remoteServices,
      worker: worker, options: options)
  }

  /// What a worker says about itself.
  func contracts(ofWorker name: String) async throws -> WorkerContracts {
    if let found = workers.first(where: { $0.name == name }) {
      try WorkerReadiness.check(found, in: running.places)
    }
    return try await WorkerContracts.of(running.connection.worker(named: name), options: options)
  }

  /// The method addressed as `kith.risk.v1.RiskEngine/Analyze` or `RiskEngine/Analyze`.
  func method(_ address: String) async throws -> (Service, MethodDescription) {
    // gRPC writes a slash in front of the service too.
    let parts = (address.hasPrefix("/") ? address.dropFirst() : address[...])
      .split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
      throw CommandFailure(
        .usage, "expected SERVICE/Method, such as kith.risk.v1.RiskEngine/Analyze")
    }
    let service = try await self.service(parts[0])
    if let method = service.description.method(named: parts[1]) { return (service, method) }
    let names = service.description.methods.map(\.name)
    let hint =
      nearestName(to: parts[1], among: names).map { "did you mean '\($0)'?" }
      ?? "it has \(names.joined(separator: ", "))"
    throw CommandFailure(
      .usage, "\(service.description.name) has no method '\(SafeText.line(parts[1]))'; \(hint)")
  }

  /// The service of that full name, or of that name without its package where only one has it.
  func service(_ name: String) async throws -> Service {
    if let service = try await findService(name) { return service }
    let shown = SafeText.line(String(name.prefix(80)))
    let known = serviceNames
    let hint =
      nearestName(to: name, among: known + known.map(ContractNames.last))
      .map { "did you mean '\($0)'?" }
      ?? "there are \(known.joined(separator: ", "))"
    throw CommandFailure(.usage, "no worker serves '\(shown)'; \(hint)")
  }

  func findService(_ name: String) async throws -> Service? {
    if let worker {
      let client = running.connection.worker(named: worker)
      let described = try await WorkerContracts.of(client, options: options)
      return described.services.compactMap { described.contracts.service(named: $0) }
        .first { Self.matches($0.fullName, name) }
        .map {
          Service(
            description: $0, contracts: described.contracts, client: client, worker: worker)
        }
    }
    if Self.matches(Self.hostService, name) {
      let contracts = try ContractSet(encodedDescriptorSet: HostDescriptorSet.bytes)
      return contracts.service(named: Self.hostService).map {
        Service(
          description: $0, contracts: contracts, client: running.connection.client, worker: nil)
      }
    }
    let matches = workers.filter { $0.services.contains { Self.matches($0, name) } }
    guard let found = matches.first else {
      guard let common = WorkerContracts.commonServices.first(where: { Self.matches($0, name) })
      else { return try await findRemoteService(name) }
      if workers.count == 1, let only = workers.first {
        try WorkerReadiness.check(only, in: running.places)
        let client = running.connection.worker(named: only.name)
        let contracts = try await WorkerContracts.of(client, options: options).contracts
        return contracts.service(named: common).map {
          Service(description: $0, contracts: contracts, client: client, worker: only.name)
        }
      }
      throw CommandFailure(
        .usage,
        "every worker serves \(common); say which one is meant with --worker NAME: "
          + workers.map(\.name).joined(separator: ", "))
    }
    let fullNames = Set(matches.flatMap(\.services).filter { Self.matches($0, name) })
    guard fullNames.count == 1, let fullName = fullNames.first else {
      throw CommandFailure(
        .usage,
        "'\(name)' may be \(fullNames.sorted().joined(separator: " or ")); "
          + "give the full name")
    }
    try WorkerReadiness.check(found, in: running.places)
    let client = running.connection.worker(named: found.name)
    let described = try await WorkerContracts.of(client, options: options)
    return described.contracts.service(named: fullName).map {
      Service(
        description: $0, contracts: described.contracts, client: client, worker: found.name)
    }
  }

  /// A service that a worker on another machine serves.
  private func findRemoteService(_ name: String) async throws -> Service? {
    let matches = remoteServices.map(\.service).filter { Self.matches($0, name) }
    guard let fullName = matches.first else { return nil }
    let client = running.connection.service(named: fullName)
    let contracts = try await WorkerContracts.of(client, options: options).contracts
    return contracts.service(named: fullName).map {
      Service(description: $0, contracts: contracts, client: client, worker: nil)
    }
  }

  private var serviceNames: [String] {
    workers.flatMap(\.services) + remoteServices.map(\.service) + [Self.hostService]
  }

  private static let hostService = "kith.host.v1.Host"

  private static func matches(_ fullName: String, _ name: String) -> Bool {
    fullName == name || ContractNames.last(of: fullName) == name
  }
}
