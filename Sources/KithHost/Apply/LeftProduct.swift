import KithJSON
import KithManifest
import KithSupervision

/// A product whose host is gone and whose workers run on.
public struct LeftProduct {
  /// The product's name.
  let product: String
  let root: String?
  /// What its host was told to run; nil when that is not known.
  let running: RunningManifest?
  let workers: [(incarnation: Incarnation, pid: Int32)]

  /// The product in these places; nil when its host runs, or none of its workers does.
  init?(at places: ProductPlaces) {
    guard !RootLock.isHeld(path: places.lockFile) else { return nil }
    let records = (try? ProcessRecords(folder: places.runtimeDirectory).all().records) ?? []
    workers = records.filter { WorkerProcess(earlier: $0.identity)?.hasEnded == false }
      .map { ($0.incarnation, $0.identity.pid) }
      .sorted { $0.incarnation.worker < $1.incarnation.worker }
    guard !workers.isEmpty else { return nil }
    running = RunningManifest(at: places)
    product = running.flatMap { try? $0.manifests.plan().product } ?? places.product
    root = places.root
  }

  /// The products that are meant: the one in `root`, the one of that name where products are by default, else all of those.
  public static func all(product: String?, root: String?) -> [LeftProduct] {
    places(
      product: product, root: root.map(ProcessEnvironment.absolutePath),
      environment: ProcessEnvironment.current
    ).compactMap(LeftProduct.init)
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
