import Glibc
import KithJSON
import KithManifest
import KithPlanning
import KithSupervision

/// A product whose host does not answer: it is gone and workers of it run on, or it is there and
/// stuck.
public struct OrphanedProduct {
  /// The product's name.
  let product: String
  private let places: ProductPlaces
  let root: String?
  /// What its host was told to run; nil when that is not known.
  let running: RunningManifest?
  let workers: [(incarnation: Incarnation, pid: Int32)]
  /// Records of processes that cannot be read: what they tell of may run.
  let damaged: [String]
  /// The host that holds the root's lock; nil when none does, 0 when it is not known which.
  let hostPID: Int32?

  /// The product in these places; nil when nothing of it runs.
  init?(at places: ProductPlaces) {
    hostPID =
      RootLock.isHeld(path: places.lockFile) ? RootLock.holder(path: places.lockFile) ?? 0 : nil
    let found = try? ProcessRecords(places).all()
    workers = (found?.records ?? [])
      .filter { WorkerProcess(earlier: $0.identity)?.hasEnded == false }
      .map { ($0.incarnation, $0.identity.pid) }
      .sorted { $0.incarnation.worker < $1.incarnation.worker }
    damaged = found?.damaged ?? []
    guard hostPID != nil || !workers.isEmpty || !damaged.isEmpty else { return nil }
    self.places = places
    running = RunningManifest(at: places)
    product = running.flatMap { try? $0.manifests.plan().product } ?? places.product
    root = places.root
  }

  /// The products that are meant: the one in `root`, the one of that name where products are by
  /// default, else all of those.
  public static func all(product: String?, root: String?) -> [OrphanedProduct] {
    places(
      product: product, root: root.map(ProcessEnvironment.absolutePath),
      environment: ProcessEnvironment.current
    ).compactMap(OrphanedProduct.init)
  }

  /// The places where a product may be that is meant by these words.
  static func places(
    product: String?, root: String?, environment: [String: String]
  ) -> [ProductPlaces] {
    let madeUp = "unnamed"
    if let root {
      return [
        try? ProductPlaces(product: product ?? madeUp, root: root, environment: environment)
      ].compactMap(\.self)
    }
    if let product {
      return [try? ProductPlaces(product: product, environment: environment)].compactMap(\.self)
    }
    guard let example = try? ProductPlaces(product: madeUp, environment: environment) else {
      return []
    }
    let parent = String(example.stateDirectory.dropLast(madeUp.count + 1))
    let names = ((try? DurableFile.names(in: parent)) ?? []).sorted()
    return names.compactMap { try? ProductPlaces(product: $0, environment: environment) }
  }

  /// Ends the workers, without a host and its order: where no host can be started, since it is not
  /// known with what. Blocks for as long as it takes, some ten seconds at most.
  /// - Throws: `HostFailure` when a host has the root, or its folder cannot be read.
  public func end() throws(HostFailure) {
    do throws(RootLock.Failure) {
      let lock = try RootLock(path: places.lockFile)
      defer { _ = lock }
      do throws(SystemError) {
        let records = ProcessRecords(places)
        let running = try records.all().records.compactMap { WorkerProcess(earlier: $0.identity) }
        for process in running { process.signal(SIGTERM) }
        let deadline = ContinuousClock.now + .seconds(10)
        while running.contains(where: { !$0.hasEnded }), .now < deadline { poll(nil, 0, 20) }
        for process in running {
          process.signal(SIGKILL)
          process.signalGroup(SIGKILL)
        }
        MarkedProcesses.endAll(runtimeDirectory: records.runtimeDirectory, besides: [])
        try records.clear(besides: [])
      } catch {
        throw RootLock.Failure.system(error)
      }
    } catch {
      switch error {
      case .held: throw HostFailure(.alreadyRuns, "a host runs in \(places.stateDirectory)")
      case .system(let error): throw HostFailure(.cannotCreate, "\(error)")
      }
    }
  }

  /// For the command line, which shows it to people.
  public var line: String { json.text() }

  private var json: JSONValue {
    var arguments: [String] = []
    if let source = running?.startedWith {
      arguments = ["run", "--product", source.product]
      for folder in source.folders { arguments += ["--plugins", folder] }
      if let root { arguments += ["--root", root] }
    }
    return [
      "host_pid": hostPID.map { .integer(Int64($0)) } ?? .null,
      "damaged": .array(damaged.map { .string($0) }),
      "product": .string(product), "root": root.map { .string($0) } ?? .null,
      "manifest": running.map { .string($0.startedWith.product) } ?? .null,
      "arguments": .array(arguments.map { .string($0) }),
      "workers": .array(
        workers.map {
          [
            "name": .string($0.incarnation.worker),
            "generation": .unsigned($0.incarnation.generation), "pid": .integer(Int64($0.pid)),
          ]
        }),
    ]
  }
}
