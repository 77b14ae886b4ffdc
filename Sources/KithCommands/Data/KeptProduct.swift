import Glibc
import KithManifest
import KithStore
import KithTerminal

/// A product by what it keeps on disk, whether it runs or not.
struct KeptProduct: Sendable {
  /// Where its files are.
  let places: ProductPlaces

  /// The stores of its workers.
  var stores: ProductStores { ProductStores(stateDirectory: places.stateDirectory) }

  /// Finds the product that is meant: the one that is named, by `--product` or `KITH_PRODUCT`; else
  /// the one of the folder that `--root` names, or the only one that keeps anything.
  /// - Parameter named: what a file says that the command is about, where it does.
  /// - Throws: ``CommandFailure`` with exit code 64 when it is not clear which one, or there is
  ///   none, and with 65 when the folder holds another one.
  static func find(
    _ options: ProductOptions, named: String? = nil, _ surroundings: Surroundings
  ) throws -> KeptProduct {
    let environment = surroundings.environment
    let root = try Surroundings.root(options.root)
    let owner = try root.flatMap { try Self.owner(of: $0, environment) }
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    if let name = options.product ?? named ?? owner ?? variable {
      let found = KeptProduct(
        places: try ProductPlaces(product: name, root: root, environment: environment))
      // What is destroyed or replaced must be what was meant.
      if let root, let owner, owner != name, !found.stores.workers.isEmpty {
        throw CommandFailure(
          .badInput,
          "\(root) holds the product \(SafeText.line(owner)), and not \(name); name that one, or "
            + "another folder with --root DIR")
      }
      return found
    }
    guard root == nil else {
      throw CommandFailure(
        .usage, "a folder alone does not tell the product's name; give it with --product NAME")
    }
    let all = try ProductFolders(environment: environment).names
      .map { try ProductPlaces(product: $0, environment: environment) }
      .filter { !ProductStores(stateDirectory: $0.stateDirectory).workers.isEmpty }
    guard all.count == 1 else {
      throw CommandFailure(
        .usage,
        all.isEmpty
          ? "no product keeps anything here"
          : "several products keep something: \(all.map(\.product).joined(separator: ", ")); name "
            + "one with --product NAME or KITH_PRODUCT=NAME")
    }
    return KeptProduct(places: all[0])
  }

  /// The product that a folder belongs to, as its host has noted; nil where none has run.
  private static func owner(
    of root: String, _ environment: [String: String]
  ) throws -> String? {
    let places = try ProductPlaces(product: "unnamed", root: root, environment: environment)
    guard let bytes = try? SystemValueReader().bytes(ofFile: places.productFile) else { return nil }
    let name = String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    return name.isEmpty ? nil : name
  }

  /// Holds the place of the product's host, so that none can start meanwhile.
  /// - Throws: ``CommandFailure`` with exit code 75 when one runs.
  func withoutHost<Value>(_ body: () throws -> Value) throws -> Value {
    guard let place = try HostPlace(places) else {
      throw CommandFailure(
        .tryAgain,
        "\(places.product) is running; end it first: `kith down "
          + (places.root.map { "--root \($0)" } ?? "--product \(places.product)") + "`")
    }
    defer { place.leave() }
    return try body()
  }

  /// The workers that are meant: those that are named, or all that keep something.
  func workers(_ names: [String]) throws(CommandFailure) -> [String] {
    let known = stores.workers
    for name in names where !known.contains(name) {
      let hint =
        nearestName(to: name, among: known).map { "did you mean '\($0)'?" }
        ?? (known.isEmpty
          ? "none of its workers does" : "these do: \(known.joined(separator: ", "))")
      throw CommandFailure(
        .usage, "'\(SafeText.line(name))' keeps nothing in \(places.product); \(hint)")
    }
    return names.isEmpty ? known : names
  }
}

/// The place of a product's host, held so that none can start.
struct HostPlace {
  private let lock: Int32

  /// Takes the place; nil when a host runs.
  /// - Throws: ``CommandFailure`` when the lock file cannot be opened.
  init?(_ places: ProductPlaces) throws(CommandFailure) {
    lock = open(places.lockFile, O_RDWR | O_CLOEXEC)
    // Without a lock file no host has ever run there.
    guard lock >= 0 || errno == ENOENT else {
      throw CommandFailure(
        .permission, "\(places.lockFile) cannot be opened: \(String(cString: strerror(errno)))")
    }
    guard lock < 0 || flock(lock, LOCK_EX | LOCK_NB) == 0 else {
      close(lock)
      return nil
    }
  }

  /// Lets a host start again.
  func leave() {
    if lock >= 0 { close(lock) }
  }
}

/// The file with a passphrase.
enum PassphraseFile {
  /// The passphrase: the first line of a file, or of standard input for `-`.
  static func read(_ path: String) throws(CommandFailure) -> String {
    let bytes =
      path == "-"
      ? try SystemValueReader().standardInput() : try SystemValueReader().bytes(ofFile: path)
    return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
  }
}
