import HostContract
import KithRPC
import KithSupervision

/// The host's control service: hands each call to the host or its logs.
struct HostService: HostHandler {
  let host: Host

  func getStatus(
    _ request: GetStatusRequest, context: CallContext
  ) async throws -> GetStatusResponse {
    try await host.status(whenSettled: request.waitUntilSettled)
  }

  func resolve(_ request: ResolveRequest, context: CallContext) async throws -> ResolveResponse {
    try await host.resolve(request, by: context.principal)
  }

  func issuePass(
    _ request: IssuePassRequest, context: CallContext
  ) async throws -> IssuePassResponse {
    try host.credentials.issuePass(request, to: context.principal)
  }

  func startWorker(
    _ request: StartWorkerRequest, context: CallContext
  ) async throws -> StartWorkerResponse {
    StartWorkerResponse(worker: try await host.start(request.name, by: context.peer))
  }

  func stopWorker(
    _ request: StopWorkerRequest, context: CallContext
  ) async throws -> StopWorkerResponse {
    StopWorkerResponse(worker: try await host.stop(request.name, by: context.peer))
  }

  func restartWorkers(
    _ request: RestartWorkersRequest, context: CallContext
  ) async throws -> RestartWorkersResponse {
    RestartWorkersResponse(replacements: try await host.restart(request, by: context.peer))
  }

  func upgradeWorker(
    _ request: UpgradeWorkerRequest, context: CallContext
  ) async throws -> UpgradeWorkerResponse {
    UpgradeWorkerResponse(replacement: try await host.upgrade(request, by: context.peer))
  }

  func planChanges(
    _ request: PlanChangesRequest, context: CallContext
  ) async throws -> PlanChangesResponse {
    try await host.planChanges(
      ProductSource(product: request.manifest, folders: request.pluginDirectories))
  }

  func applyChanges(
    _ request: ApplyChangesRequest, context: CallContext
  ) async throws -> ApplyChangesResponse {
    let outcomes = try await host.applyChanges(
      ProductSource(product: request.manifest, folders: request.pluginDirectories),
      fingerprint: request.fingerprint, by: context.peer)
    return ApplyChangesResponse(outcomes: outcomes)
  }

  func upgradeHost(
    _ request: UpgradeHostRequest, context: CallContext
  ) async throws -> UpgradeHostResponse {
    try await host.upgradeHost(request)
  }

  func listPrograms(
    _ request: ListProgramsRequest, context: CallContext
  ) async throws -> ListProgramsResponse {
    ListProgramsResponse(
      programs: try host.credentials.programs(of: context.principal).running().map(\.contract))
  }

  func signalProgram(
    _ request: SignalProgramRequest, context: CallContext
  ) async throws -> SignalProgramResponse {
    try host.credentials.programs(of: context.principal).signal(request)
    return SignalProgramResponse()
  }

  func getClock(_ request: GetClockRequest, context: CallContext) async throws -> GetClockResponse {
    let time = try await host.virtualTime()
    return GetClockResponse(
      wallMs: time.wallMilliseconds, elapsedMs: time.elapsedMilliseconds)
  }

  func moveClock(
    _ request: MoveClockRequest, context: CallContext
  ) async throws -> MoveClockResponse {
    try await host.moveClock(request)
  }

  func getMetrics(
    _ request: GetMetricsRequest, context: CallContext
  ) async throws -> GetMetricsResponse {
    await host.metrics()
  }

  func handOverKeys(
    _ request: HandOverKeysRequest, context: CallContext
  ) async throws -> HandOverKeysResponse {
    HandOverKeysResponse(processes: try await host.handOverKeys())
  }

  func shutdown(_ request: ShutdownRequest, context: CallContext) async throws -> ShutdownResponse {
    try await host.shutDown()
  }
}
