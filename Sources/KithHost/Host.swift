import Glibc
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// The host of one product: carries out what the supervisor decides, and tells it what happened.
///
/// It has a thread of its own (`Reactor`), so that everything that happens has one order: an event
/// is taken in, and what it calls for is done, before the next. The data between callers and
/// workers never passes through here.
///
/// The parts are types of their own, in the folders of this module; the extensions of the host in
/// the same folders do what needs several parts.
public actor Host {
  // MARK: What runs

  /// What the host was started with, and the manifest in force.
  var settings: HostSettings
  /// Where the host is in its life.
  var phase: HostPhase
  /// The time since its start.
  let clock = HostClock()
  /// The decisions: which worker is started, ended, published.
  var supervisor: Supervisor
  /// The events that wait for it.
  var events = EventQueue()
  /// The workers with their definitions and processes.
  var workers: WorkerTable
  /// What was asked for of the running product.
  var desired: DesiredStateFile

  // MARK: Threads and files

  /// The host's own thread.
  let reactor: Reactor
  /// Work that is waited for elsewhere.
  let tasks = BackgroundTasks()
  /// The logs, with threads of their own.
  let logs: LogKeeper
  /// The product's root, and the records of its processes.
  var root: HostRoot
  /// The generations of the workers' processes.
  var generations: GenerationCounter
  /// How far the workers' stores have come.
  var stores: StoreRecords

  // MARK: What processes are given

  /// Proofs for callers.
  nonisolated let credentials: CredentialIssuer
  /// Keys for data at rest.
  var keys: SealingKeySource
  /// Limits.
  let resources = ResourceControl()

  // MARK: What callers and operators see

  /// Callers that wait until something is so.
  var waits = PendingWaits()
  /// What only one caller does at a time.
  var operations = ExclusiveOperations()
  /// The fingerprints of planned changes.
  let fingerprints = ChangeFingerprints()
  /// Where the metrics are served.
  var metricsServing = MetricsServing()
  /// The alert rules in force.
  var alerts: AlertWatch
  /// The programs that send alerts.
  var paging = Paging()
  /// What started this host and wants to know how it is; nil when nothing does.
  let serviceManager: ServiceManager?

  /// The executor of the host's own thread.
  public nonisolated var unownedExecutor: UnownedSerialExecutor {
    reactor.asUnownedSerialExecutor()
  }

  /// Prepares a host: takes its root and looks for what an earlier host left running. Nothing is
  /// started yet.
  ///
  /// May block for the milliseconds that it takes to read the manifests and /proc.
  public init(_ settings: HostSettings) throws(HostFailure) {
    self.settings = settings
    let (plan, places) = (settings.plan, settings.places)
    do throws(ManifestError) {
      try places.checkSockets(workers: plan.workers.map(\.name))
    } catch {
      throw HostFailure(.cannotCreate, "\(error)")
    }
    let root = try HostRoot(places)
    self.root = root
    stores = StoreRecords(folder: places.storeRecordsDirectory)
    keys = SealingKeySource(places)
    var desired = DesiredStateFile(folder: places.hostDirectory)
    // What an earlier host of this product showed last stands, for its workers go by it.
    _ = desired.change { $0.virtualTime = $0.virtualTime ?? settings.virtualTimeAtStart }
    self.desired = desired
    let earlier: EarlierProcesses
    do throws(SystemError) {
      credentials = try CredentialIssuer(product: plan.product, places: places)
      earlier = try EarlierProcesses.find(root.records)
      reactor = try Reactor(name: "kith-host")
      let named = Set(plan.workers.map(\.name)).union(earlier.spooled.map(\.worker))
      logs = try LogKeeper(
        reactor: try Reactor(name: "kith-logs"), scrubber: try Reactor(name: "kith-scrub"),
        places: places, workers: named.sorted())
    } catch {
      throw HostFailure(.cannotCreate, root.advice(error))
    }
    generations = try GenerationCounter(
      path: places.stateDirectory + "/generations.json", workers: plan.workers.map(\.name),
      told: {
        earlier.generations.merging(
          RotatedFile.lastGenerations(in: places.logsDirectory), uniquingKeysWith: max)
      },
      advice: root.advice)
    let adoption = Adoption(earlier, settings: settings)
    workers = WorkerTable(plan, adoption)
    alerts = AlertWatch(plan)
    serviceManager = ServiceManager(environment: settings.environment)
    supervisor = try Self.makeSupervisor(
      of: plan, adoption, workers, generations, stopped: desired.state.stopped)
    phase = .prepared(
      HostPhase.Preparation(adoption: adoption, damagedDesiredState: desired.damaged),
      shutdownReason: nil)
  }

  /// The decisions about a plan's workers: those that an earlier host left are led on by the
  /// definition that they were started with.
  private static func makeSupervisor(
    of plan: Plan, _ adoption: Adoption, _ workers: WorkerTable,
    _ generations: GenerationCounter, stopped: Set<String>
  ) throws(HostFailure) -> Supervisor {
    do throws(WorkerGraph.Flaw) {
      return try Supervisor(
        plan.workers.map { planned in
          let revision = adoption.revision(of: planned)
          let worker = workers[planned.name].definition(revision) ?? planned
          var specification = worker.specification(lastGeneration: generations[worker.name])
          specification.revision = revision
          specification.wanted = !stopped.contains(worker.name)
          return specification
        },
        jitterSeed: UInt64.random(in: .min ... .max))
    } catch {
      // The plan has checked names and cycles.
      throw HostFailure(.internal, "the plan cannot be supervised: \(error)")
    }
  }

  /// Adds a line to the host's own log.
  func log(_ text: String, level: LogRecord.Level = .notice) {
    logs.note(log: LogKeeper.hostName, generation: 0, level: level, text)
    if settings.isForeground { StandardError.write("kithd: \(text)\n") }
  }
}
