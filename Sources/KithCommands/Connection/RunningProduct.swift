import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC

/// A product whose host answers.
struct RunningProduct: Sendable {
  /// Where its files and sockets are.
  let places: ProductPlaces
  /// The way to its host and workers.
  let connection: HostConnection

  /// Finds the product that is meant: the one that is named, by `--product` or `KITH_PRODUCT`; else the one in `root`;
  /// else the one that runs. When several run, the only one that has all of `workers` is meant.
  /// - Throws: ``CommandFailure``: exit code 69 when none runs, 64 when several might be meant.
  static func find(
    product: String?, root: String?, workers: [String] = [], environment: [String: String]
  ) async throws -> RunningProduct {
    let root = root.map(Surroundings.absolutePath)
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    if let product = product ?? variable {
      return try await open(
        ProductPlaces(product: product, root: root, environment: environment))
    }
    if let root { return try await find(in: root, environment: environment) }
    return try await findRunning(with: workers, environment: environment)
  }

  static func open(_ places: ProductPlaces) async throws(RPCError) -> RunningProduct {
    RunningProduct(places: places, connection: try await HostConnection.open(places))
  }

  /// The product in a root; its name is not known yet, and not needed: one root holds one product.
  private static func find(
    in root: String, environment: [String: String]
  ) async throws -> RunningProduct {
    let places = try ProductPlaces(product: "unnamed", root: root, environment: environment)
    do throws(RPCError) {
      return try await open(places)
    } catch {
      guard error.code == .unavailable else { throw error }
      throw CommandFailure(
        .unavailable, "no host is running in \(root); start one with `kith up NAME --root \(root)`",
        code: error.code.name)
    }
  }

  /// All products that run where sockets are by default, by name.
  static func all(environment: [String: String]) async -> [RunningProduct] {
    var running: [RunningProduct] = []
    for name in namesWithSocket(environment: environment) {
      guard let places = try? ProductPlaces(product: name, environment: environment) else {
        continue
      }
      do throws(RPCError) {
        running.append(try await open(places))
      } catch {
        // A socket that a host left behind, or that of somebody else, is no product of this person.
        continue
      }
    }
    return running
  }

  private static func findRunning(
    with workers: [String], environment: [String: String]
  ) async throws -> RunningProduct {
    let running = await all(environment: environment)
    if running.count == 1 { return running[0] }
    let meant = await running.onlyOne(with: workers)
    for product in running where product.places.product != meant?.places.product {
      product.connection.close()
    }
    if let meant { return meant }
    guard running.isEmpty else {
      let names = running.map(\.places.product)
      throw CommandFailure(
        .usage,
        "several products run: \(names.joined(separator: ", ")); name one with "
          + "--product NAME or KITH_PRODUCT=NAME")
    }
    let known = ManifestReader(environment: environment).productNames()
    let which = known.count == 1 ? known[0] : "NAME"
    let names = known.count > 1 ? " (\(known.joined(separator: ", ")))" : ""
    throw CommandFailure(
      .unavailable, "no host is running; start one with `kith up \(which)`\(names)",
      code: StatusCode.unavailable.name)
  }

  /// The products that have a control socket where sockets are by default, whether anybody listens or not.
  private static func namesWithSocket(environment: [String: String]) -> [String] {
    // The places of a made-up product show the folders that products are in.
    let madeUp = "a-product-that-nobody-has"
    guard let example = try? ProductPlaces(product: madeUp, environment: environment) else {
      return []
    }
    var names: Set<String> = []
    for path in [example.runtimeDirectory, example.stateDirectory] {
      // `.../kith/NAME`, or `.../kith/NAME/run` below the state: the folder that holds `NAME` is wanted.
      let parts = path.split(separator: "/").prefix { $0 != madeUp }
      for name in folders(in: "/" + parts.joined(separator: "/")) {
        guard let places = try? ProductPlaces(product: name, environment: environment) else {
          continue
        }
        if access(places.controlSocket, F_OK) == 0 { names.insert(name) }
      }
    }
    return names.sorted()
  }

  private static func folders(in path: String) -> [String] {
    guard let stream = opendir(path) else { return [] }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        pointer.withMemoryRebound(to: CChar.self, capacity: Int(NAME_MAX) + 1) {
          String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names
  }
}

extension [RunningProduct] {
  /// The one among them that has all of these workers; nil when there are several or none.
  fileprivate func onlyOne(with workers: [String]) async -> RunningProduct? {
    guard !workers.isEmpty else { return nil }
    var found: [RunningProduct] = []
    for product in self {
      let status = try? await product.connection.host.getStatus(
        GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
      let names = Set(status?.workers.map(\.name) ?? [])
      if names.isSuperset(of: workers) { found.append(product) }
    }
    return found.count == 1 ? found[0] : nil
  }
}
