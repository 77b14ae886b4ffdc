import KithJSON
public import KithManifest
public import KithPlanning
import KithSupervision

/// What a host is started with.
public struct HostSettings: Sendable {
  /// What runs.
  public var plan: Plan
  /// Where its files and sockets are.
  public var places: ProductPlaces
  /// The variables of the host's own environment; workers see those that carry nothing secret.
  public var environment: [String: String]
  /// Whether what the host logs is shown on its standard error too.
  public var isForeground: Bool
  /// What the wall clock of virtual time shows first, in milliseconds since 1970; nil for the
  /// machine's clocks.
  public var virtualStart: Int64?
  /// What the clocks of virtual time show first; nil for the machine's clocks.
  var virtualTimeAtStart: ClockMove.Time? {
    virtualStart.map { ClockMove.Time(wallMilliseconds: $0, elapsedMilliseconds: 0) }
  }
  /// The process that stands between callers and all workers, in tests of broken connections
  /// (`KITH_RELAY_PID`); nil for none.
  var relayPID: Int32? { environment["KITH_RELAY_PID"].flatMap { Int32($0) } }
  /// The account that workers run as; nil for the host's own.
  let workerAccount: WorkerAccount?
  /// What the plan was read from.
  var source: ProductSource
  /// What the host was told to run when it was started; another manifest may have been applied
  /// since.
  let startedWith: ProductSource
  /// Why the manifests could not be read as they stand, and those run that were read before; nil
  /// when they could.
  var manifestTrouble: String?

  /// Settings for a host.
  /// - Throws: ``HostFailure`` when the account that the environment names cannot be used.
  public init(
    plan: Plan, places: ProductPlaces, environment: [String: String], isForeground: Bool = false
  ) throws(HostFailure) {
    workerAccount = try WorkerAccount.configured(environment)
    source = ProductSource(product: plan.product, folders: [])
    startedWith = source
    self.plan = plan
    self.places = places
    self.environment = environment
    self.isForeground = isForeground
  }

  /// Reads the manifests of a product and finds its places, as the command line names them.
  public init(
    product: String, pluginFolders: [String], root: String?, isForeground: Bool
  ) throws(HostFailure) {
    environment = ProcessEnvironment.current
    workerAccount = try WorkerAccount.configured(environment)
    startedWith = ProductSource(product: product, folders: pluginFolders)
    let reading = try ProductReading(
      startedWith, root: root.map(ProcessEnvironment.absolutePath), environment: environment)
    plan = reading.plan
    places = reading.places
    source = reading.source
    manifestTrouble = reading.trouble
    self.isForeground = isForeground
  }

  /// A worker as it would be with the plugin of that folder.
  /// - Throws: all that is wrong with the manifests.
  func plannedWorker(_ name: String, from folder: String) throws(ManifestErrors) -> PlannedWorker {
    let plan = try ProductSource(product: source.product, folders: [folder] + source.folders)
      .plan(environment: environment)
    guard let worker = plan.worker(named: name) else {
      throw ManifestErrors(
        ManifestError(.missingProduct, "the product has no worker \(name) any more", at: nil))
    }
    return worker
  }

  /// The environment of a worker: what programs need to run at all, and nothing that might be a
  /// secret.
  /// - Parameters:
  ///   - worker: the worker, which is told what it is granted.
  ///   - state: the worker's state folder, where its temporary files go too; empty for none.
  func workerEnvironment(of worker: PlannedWorker, state: String) -> [String] {
    let names: Set<String> = [
      "HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "LOGNAME", "PATH", "TZ", "USER",
    ]
    let prefixes = ["LC_", "SWIFT_", "ASAN_", "TSAN_", "UBSAN_", "LSAN_"]
    var variables = environment.filter { name, _ in
      names.contains(name) || prefixes.contains(where: name.hasPrefix)
    }
    .map { "\($0)=\($1)" }.sorted()
    variables += ["KITH_LAUNCH_FD=3", "KITH_NOTIFY_FD=4"]
    if !worker.network.hosts.isEmpty {
      variables.append("KITH_NETWORK_HOSTS=\(worker.network.hosts.joined(separator: ","))")
    }
    if let port = worker.http?.port { variables.append("KITH_HTTP_PORT=\(port)") }
    if let whenAway = plan.entitlements(for: worker) {
      variables.append("KITH_ENTITLEMENTS=\(whenAway)")
    }
    if !state.isEmpty { variables += ["TMPDIR=\(state)", "SQLITE_TMPDIR=\(state)"] }
    return variables
  }
}

/// The version of this host.
public enum HostVersion {
  /// As it is written: `0.1.0`.
  public static let current = "0.1.0"
}

extension PlannedWorker {
  /// The configuration as the worker gets it.
  var configurationText: String { JSONValue.object(configuration).text() }

  /// The worker as the supervisor sees it.
  func specification(lastGeneration: UInt64) -> WorkerSpecification {
    // Of the time to end, the larger part is for calls in progress and the rest for the process to
    // leave.
    let margin = min(.milliseconds(500), stopTimeout / 2)
    return WorkerSpecification(
      name: name, requires: dependencies, restart: restart,
      limits: TimeLimits(
        start: startTimeout, drain: stopTimeout - margin, drainMargin: margin, watchdog: watchdog),
      overlap: overlap, lastGeneration: lastGeneration)
  }
}
