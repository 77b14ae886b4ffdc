import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// What a changed manifest comes to.
extension Host {
  /// What would change if a manifest were applied now.
  func planChanges(_ source: ProductSource) async throws -> PlanChangesResponse {
    let plan = try await read(completed(source))
    let changes = changes(to: plan)
    return PlanChangesResponse(
      changes: changes.changes.map(HostContract.PlannedChange.init),
      fingerprint: fingerprints.of(changes))
  }

  /// A source with what it does not say taken from the one that runs.
  func completed(_ source: ProductSource) -> ProductSource {
    ProductSource(
      product: source.product.isEmpty ? settings.source.product : source.product,
      folders: source.folders.isEmpty ? settings.source.folders : source.folders)
  }

  /// Reads and checks manifests, on the thread that may wait for the disk.
  /// - Throws: INVALID_ARGUMENT with all that is wrong.
  func read(_ source: ProductSource) async throws -> Plan {
    let waiter = Waiter<Plan>()
    let environment = settings.environment
    logs.perform {
      do throws(ManifestErrors) {
        waiter.finish(.success(try source.plan(environment: environment)))
      } catch {
        waiter.finish(.failure(RPCError(.invalidArgument, "nothing was changed: \(error)")))
      }
    }
    let plan = try await waiter.value()
    guard plan.product == settings.plan.product else {
      throw RPCError(
        .invalidArgument,
        "nothing was changed: \(source.product) is the product \(plan.product), and this host runs "
          + "\(settings.plan.product); start the other one with `kith up`")
    }
    do throws(ManifestError) {
      try settings.places.checkSockets(workers: plan.workers.map(\.name))
    } catch {
      throw RPCError(.invalidArgument, "nothing was changed: \(error)")
    }
    return plan
  }

  /// What must be done for what runs to be as a plan says.
  func changes(to plan: Plan) -> PlannedChanges {
    let running = supervisor.startOrder.compactMap { name -> PlannedChanges.RunningWorker? in
      guard let snapshot = supervisor.snapshot(of: name), let definition = definition(of: name)
      else { return nil }
      return PlannedChanges.RunningWorker(
        definition, isUp: !snapshot.processes.isEmpty || snapshot.state == .backingOff,
        isWanted: snapshot.isWanted,
        liveKeys: snapshot.health.isReady
          ? mainProcess(of: name)?.link?.liveConfigurationKeys ?? [] : [])
    }
    return PlannedChanges(from: settings.plan, running: running, to: plan)
  }

  /// The main process of a worker, whether callers are told of it or held.
  func mainProcess(of name: String) -> RunningProcess? {
    supervisor.snapshot(of: name).flatMap { workers[name][$0.generation] }
  }
}

extension HostContract.PlannedChange {
  /// A change in the words of the contract.
  init(_ change: KithPlanning.PlannedChange) {
    self.init(
      kind: ChangeKind(change.kind), worker: change.worker,
      settings: change.settings.map {
        ChangedSetting(key: $0.key, oldValue: $0.old, newValue: $0.new)
      }, callers: change.callers, callersWait: change.callersWait)
  }
}

extension ChangeKind {
  fileprivate init(_ kind: KithPlanning.PlannedChange.Kind) {
    self =
      switch kind {
      case .start: .start
      case .stop: .stop
      case .restart: .restart
      case .reconfigure: .reconfigure
      case .adjust: .adjust
      }
  }
}
