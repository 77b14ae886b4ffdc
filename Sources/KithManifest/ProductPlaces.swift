/// Where a product's files and sockets are. Pure: nothing is created or looked at.
///
/// | what | with `--root DIR` | else |
/// |---|---|---|
/// | state | `DIR` | `$XDG_STATE_HOME/kith/<product>`, by default `~/.local/state/kith/<product>` |
/// | sockets | `DIR/run` | `$XDG_RUNTIME_DIR/kith/<product>`, without that variable `run` under the state |
/// | logs | `DIR/logs` | `logs` under the state |
///
/// As the XDG specification says, a variable whose value is no absolute path counts as absent.
public struct ProductPlaces: Sendable, Hashable {
  /// The product's name.
  public let product: String
  /// The one folder for everything that `--root` named; nil for the XDG folders.
  public let root: String?
  /// The product's root: the folder of its state, mode 0700.
  public let stateDirectory: String
  /// The folder of its sockets, mode 0700. The host's socket is in it, and a folder for the socket
  /// of each incarnation, in which that one alone can make sockets.
  public let runtimeDirectory: String

  /// The longest path that the kernel takes for a socket: `sun_path` has 108 bytes, one of them for
  /// the end.
  public static let longestSocketPath = 107

  /// Finds the places of a product.
  /// - Parameters:
  ///   - root: what `--root` says: one absolute folder for everything. Make a relative one absolute
  ///     first.
  ///   - environment: the variables of this process.
  /// - Throws: `environment` when neither `--root` nor a variable says where, `outOfRange` when the
  ///   product's name or the root is unfit, `pathTooLong` when not even the control socket fits.
  public init(
    product: String, root: String? = nil, environment: [String: String]
  ) throws(ManifestError) {
    guard Names.isKebab(product) else {
      throw ManifestError(
        .outOfRange, "the product's name is '\(product.prefix(80))'", at: nil,
        expected: Scalars.kebabForm)
    }
    self.product = product
    if let root {
      guard root.hasPrefix("/"), !root.contains("\0") else {
        throw ManifestError(
          .outOfRange, "the root is '\(root)'", at: nil, expected: "an absolute path")
      }
      stateDirectory = Self.withoutTrailingSlashes(root)
      self.root = stateDirectory
      runtimeDirectory = Self.join(stateDirectory, "run")
    } else {
      self.root = nil
      stateDirectory = try Self.stateHome(environment) + "/kith/\(product)"
      runtimeDirectory =
        Self.folder("XDG_RUNTIME_DIR", environment).map { "\($0)/kith/\(product)" }
        ?? "\(stateDirectory)/run"
    }
    try check(socket: controlSocket)
  }

  /// The file that names the product which a folder of `--root` belongs to.
  public var productFile: String { Self.join(stateDirectory, "product") }

  /// The folder of the logs.
  public var logsDirectory: String { Self.join(stateDirectory, "logs") }

  /// The folder of what the host keeps while the product runs: records of processes, the desired
  /// state, what workers wrote and is not logged yet, the operator's token, the key of passes. No
  /// worker can read or write it.
  public var hostDirectory: String { Self.join(runtimeDirectory, "host") }

  /// The file with the token that proves an operator to the host.
  public var operatorTokenFile: String { "\(hostDirectory)/operator.token" }

  /// What the names of files with workers' contracts begin with.
  package static let contractsPrefix = "contracts-"

  /// The file in which commands keep the contracts of a worker's process, lest each asks for them.
  package func contractsFile(worker: String) -> String {
    "\(hostDirectory)/\(Self.contractsPrefix)\(worker)"
  }

  /// The file with the host's private key for passes.
  public var passKeyFile: String { "\(hostDirectory)/pass.key" }

  /// The folder of the product's sealing keys. No worker can read it.
  public var keysDirectory: String { Self.join(stateDirectory, "keys") }

  /// The file of the product's sealing key.
  public var sealingKeyFile: String { "\(keysDirectory)/sealing.keys" }

  /// The folder in which the host keeps how far the workers' stores have come. No worker can write
  /// there.
  public var storeRecordsDirectory: String { Self.join(stateDirectory, "stores") }

  /// The socket of the host's control service.
  public var controlSocket: String { Self.join(runtimeDirectory, "host.sock") }

  /// The control service as an nng URL.
  public var controlAddress: String { "ipc://\(controlSocket)" }

  /// The socket with the metrics, where the manifest asks for one; never longer than those of the
  /// workers.
  public var metricsSocket: String { Self.join(runtimeDirectory, "metrics.sock") }

  /// The file that a running host holds a lock on.
  public var lockFile: String { Self.join(stateDirectory, "host.lock") }

  /// The folder in which each worker has a state folder.
  public var workersDirectory: String { Self.join(stateDirectory, "workers") }

  /// The state folder of a worker.
  public func stateDirectory(worker: String) -> String {
    Self.join(stateDirectory, "workers/\(worker)")
  }

  /// The log of a worker, or of the host as `kithd`; rotated ones have `.1`, `.2`, ... behind it.
  public func logFile(worker: String) -> String {
    Self.join(logsDirectory, "\(worker).log")
  }

  /// The folder of the socket of one generation of a worker: the only place in which that process
  /// can make sockets.
  public func socketFolder(worker: String, generation: UInt64) -> String {
    Self.join(runtimeDirectory, "\(worker).\(generation)")
  }

  /// The socket of one generation of a worker.
  /// - Throws: `pathTooLong`.
  public func socket(worker: String, generation: UInt64) throws(ManifestError) -> String {
    let path = socketFolder(worker: worker, generation: generation) + "/sock"
    try check(socket: path)
    return path
  }

  /// The address of one generation of a worker as an nng URL.
  /// - Throws: `pathTooLong`.
  public func address(worker: String, generation: UInt64) throws(ManifestError) -> String {
    "ipc://" + (try socket(worker: worker, generation: generation))
  }

  /// Checks before anything starts that the sockets of these workers fit, for a million
  /// generations.
  /// - Throws: `pathTooLong`.
  public func checkSockets(workers: some Sequence<String>) throws(ManifestError) {
    for worker in workers { _ = try socket(worker: worker, generation: 999_999) }
  }

  // MARK: Paths

  private func check(socket path: String) throws(ManifestError) {
    let bytes = path.utf8.count
    guard bytes <= Self.longestSocketPath else {
      throw ManifestError(
        .pathTooLong,
        "the socket path \(path) has \(bytes) bytes, and the system takes \(Self.longestSocketPath)",
        at: nil,
        expected: "a folder that is \(bytes - Self.longestSocketPath) bytes shorter: "
          + "choose a shorter --root, or set XDG_RUNTIME_DIR to a short path")
    }
  }

  private static func stateHome(_ environment: [String: String]) throws(ManifestError) -> String {
    if let folder = folder("XDG_STATE_HOME", environment) { return folder }
    if let home = folder("HOME", environment) { return "\(home)/.local/state" }
    throw ManifestError(
      .environment, "neither XDG_STATE_HOME nor HOME is an absolute path", at: nil,
      expected: "one of them, or --root DIR")
  }

  private static func folder(_ variable: String, _ environment: [String: String]) -> String? {
    guard let value = environment[variable], value.hasPrefix("/") else { return nil }
    let folder = withoutTrailingSlashes(value)
    return folder == "/" ? "" : folder
  }

  private static func withoutTrailingSlashes(_ path: String) -> String {
    var path = path[...]
    while path.count > 1, path.last == "/" { path = path.dropLast() }
    return String(path)
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder == "/" ? "/\(name)" : "\(folder)/\(name)"
  }
}
