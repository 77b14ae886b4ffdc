import KithJSON
import KithManifest
import KithTerminal

/// A product whose host does not answer: what `kithd left` tells of it.
struct OrphanedProduct: Equatable {
  /// A worker that runs.
  struct Worker: Equatable {
    var name: String
    var generation: UInt64
    var pid: Int32
  }

  let product: String
  /// The folder that it was started in with `--root`; nil for the XDG folders.
  let root: String?
  /// What its host was told to run; nil when that is not known.
  let manifest: String?
  /// The arguments with which a host takes the workers over; none when they are not known.
  let arguments: [String]
  let workers: [Worker]
  /// Records of processes that cannot be read: what they tell of may run.
  let damaged: [String]
  /// The host that is there and does not answer; nil when there is none.
  let hostPID: Int32?

  /// Whether the host is gone and something of it is left.
  var isLeft: Bool { hostPID == nil }

  /// The products that are meant: the one in `root`, the one of that name, else all.
  static func all(
    product: String?, root: String?, environment: [String: String]
  ) -> [OrphanedProduct] {
    var arguments = ["left"]
    if let product { arguments += ["--product", product] }
    if let root { arguments += ["--root", root] }
    guard
      case .ended(0, let lines)? = try? HostProcess.find().start(
        arguments, environment: environment)
    else { return [] }
    return lines.compactMap { (try? JSONValue(parsing: $0)).flatMap(OrphanedProduct.init) }
  }

  /// The one that is meant, as ``RunningProduct/find(product:root:workers:environment:)`` tells
  /// which; nil when there is none, or more than one.
  static func find(
    product: String?, root: String?, environment: [String: String]
  ) -> OrphanedProduct? {
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    let all = all(
      product: product ?? variable, root: root.map(Surroundings.absolutePath),
      environment: environment)
    return all.count == 1 ? all[0] : nil
  }

  /// Where its files and sockets are.
  func places(environment: [String: String]) throws -> ProductPlaces {
    try ProductPlaces(product: product, root: root, environment: environment)
  }

  /// What it is called: one of which only the root is known is called by that.
  private var name: String { manifest == nil ? root ?? product : product }

  /// `the host of night is gone, and its 2 workers run on: odd (pid 12), even (pid 13)`
  var description: String {
    if let hostPID {
      return
        "the host of \(name)\(hostPID > 0 ? ", pid \(hostPID)," : "") is there and does not answer"
    }
    let names = workers.map { "\($0.name) (pid \($0.pid))" }
    var parts: [String] = []
    if !workers.isEmpty {
      parts.append(
        (workers.count == 1 ? "its worker runs" : "its \(workers.count) workers run")
          + " on: \(SafeText.line(names.joined(separator: ", ")))")
    }
    if !damaged.isEmpty {
      parts.append(
        "what these damaged records tell of may run: \(SafeText.line(damaged.joined(separator: ", ")))"
      )
    }
    return "the host of \(name) is gone, and \(parts.joined(separator: "; "))"
  }

  /// The command that has a host take them over.
  var remedy: String {
    var command = "kith up \(manifest ?? product)"
    for (option, value) in zip(arguments, arguments.dropFirst()) where option == "--plugins" {
      command += " --plugins \(value)"
    }
    return command + (root.map { " --root \($0)" } ?? "")
  }

  /// What a command says that needs a host.
  var failure: CommandFailure {
    CommandFailure(.unavailable, "\(description); \(advice)", code: "UNAVAILABLE")
  }

  private var advice: String {
    if let hostPID {
      return hostPID > 0
        ? "if it was stopped, `kill -CONT \(hostPID)` has it go on; if it is stuck, `kill -KILL \(hostPID)` and `kith up` give "
          + "its workers, which go on, another"
        : "see `kith logs kithd`"
    }
    guard manifest != nil else {
      let root = root.map { " --root \($0)" } ?? " --product \(product)"
      return "`kith up PRODUCT\(root)` with the product that it ran takes over what it can, "
        + "`kith down\(root)` ends it"
    }
    return "`\(SafeText.line(remedy))` takes them over as they are"
  }

  /// Starts a host that takes them over.
  func takeOver(environment: [String: String]) throws(CommandFailure) {
    guard isLeft, !arguments.isEmpty else { throw failure }
    try HostProcess.find().launch(arguments, environment: environment)
  }

  /// Ends them without a host: where it is not known with what one is to be started.
  func end(environment: [String: String]) throws(CommandFailure) {
    guard isLeft else { throw failure }
    var arguments = ["left", "--end", "--product", product]
    if let root { arguments += ["--root", root] }
    guard
      case .ended(0, _) = try HostProcess.find().start(arguments, environment: environment)
    else { throw failure }
  }
}

extension OrphanedProduct {
  fileprivate init?(_ value: JSONValue) {
    guard let object = value.objectValue, let product = object["product"]?.stringValue,
      let arguments = object["arguments"]?.arrayValue, let workers = object["workers"]?.arrayValue
    else { return nil }
    self.init(
      product: product, root: object["root"]?.stringValue,
      manifest: object["manifest"]?.stringValue, arguments: arguments.compactMap(\.stringValue),
      workers: workers.compactMap(Worker.init),
      damaged: (object["damaged"]?.arrayValue ?? []).compactMap(\.stringValue),
      hostPID: object["host_pid"]?.integerValue.flatMap(Int32.init(exactly:)))
  }

  /// As `--json` writes it.
  var json: JSONValue {
    [
      "product": .string(product), "root": root.map { .string($0) } ?? .null,
      "takeOver": .string(remedy),
      "workers": .array(
        workers.map {
          [
            "name": .string($0.name), "generation": .unsigned($0.generation),
            "pid": .integer(Int64($0.pid)),
          ]
        }),
    ]
  }
}

extension OrphanedProduct.Worker {
  fileprivate init?(_ value: JSONValue) {
    guard let object = value.objectValue, let name = object["name"]?.stringValue,
      let generation = object["generation"]?.unsignedValue,
      let pid = object["pid"]?.integerValue.flatMap(Int32.init(exactly:))
    else { return nil }
    self.init(name: name, generation: generation, pid: pid)
  }
}
