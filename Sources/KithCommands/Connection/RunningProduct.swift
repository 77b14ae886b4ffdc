import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithTerminal
import KithVerbs

/// A product whose host answers.
struct RunningProduct: Sendable {
  /// Where its files and sockets are.
  let places: ProductPlaces
  /// The way to its host and workers.
  let connection: HostConnection
  /// What the host answered when it was found; nil when it takes longer to say than a command may
  /// wait for that.
  private let firstStatus: GetStatusResponse?

  /// Finds the product that is meant: the one that is named, by `--product` or `KITH_PRODUCT`; else
  /// the one in `root`; else the one that runs. When several run, the only one that has all of
  /// `workers` is meant.
  /// - Throws: ``CommandFailure``: exit code 69 when none runs, also when the host is gone and
  ///   workers run on; 64 when several might be meant.
  static func find(
    product: String?, root: String?, workers: [String] = [], environment: [String: String]
  ) async throws -> RunningProduct {
    do {
      return try await findAnswering(
        product: product, root: root, workers: workers, environment: environment)
    } catch {
      guard CommandFailure(known: error)?.status == .unavailable,
        let left = OrphanedProduct.find(product: product, root: root, environment: environment)
      else { throw error }
      throw left.failure
    }
  }

  private static func findAnswering(
    product: String?, root: String?, workers: [String], environment: [String: String]
  ) async throws -> RunningProduct {
    let root = try root.map { path throws(CommandFailure) in
      try Surroundings.folder(path, option: "--root")
    }
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    if let product = product ?? variable {
      let running = try await open(
        ProductPlaces(product: product, root: root, environment: environment))
      try await running.expectOwnProduct()
      return running
    }
    if let root { return try await find(in: root, environment: environment) }
    return try await findRunning(with: workers, environment: environment)
  }

  /// Where the product is that is meant, when that can be said without asking a host; nil when a
  /// host must say whether it is the one, or which of several.
  static func onlyPlaces(
    product: String?, root: String?, environment: [String: String]
  ) -> ProductPlaces? {
    let variable = environment["KITH_PRODUCT"].flatMap { $0.isEmpty ? nil : $0 }
    let root = root.map { try? Surroundings.folder($0, option: "--root") }
    switch (product ?? variable, root) {
    case (let name?, nil): return try? ProductPlaces(product: name, environment: environment)
    case (nil, let root??):
      return try? ProductPlaces(product: "unnamed", root: root, environment: environment)
    case (nil, nil):
      let names = namesWithSocket(environment: environment)
      guard names.count == 1 else { return nil }
      return try? ProductPlaces(product: names[0], environment: environment)
    default: return nil
    }
  }

  /// The product in these places.
  /// - Throws: `RPCError` UNAVAILABLE when no host runs there; ``CommandFailure`` with exit code 77
  ///   when this user may not ask.
  static func open(_ places: ProductPlaces) async throws -> RunningProduct {
    do throws(RPCError) {
      let connection = try await HostConnection.open(
        product: places.product, address: places.controlAddress)
      return RunningProduct(
        places: places, connection: connection, firstStatus: try await firstAnswer(of: connection))
    } catch {
      guard error.code == .permissionDenied, access(places.controlSocket, W_OK) != 0 else {
        throw error
      }
      throw foreign(places.runtimeDirectory)
    }
  }

  /// Makes sure that the host runs the product that these places are for. One root holds one
  /// product, whatever it is asked for.
  /// - Throws: ``CommandFailure`` with exit code 65 when it runs another one.
  func expectOwnProduct() async throws {
    // The folders of a product that was started without --root have its name.
    guard let root = places.root else { return }
    let status = try await status(within: CallSettings.standardTimeout)
    guard status.product != places.product else { return }
    connection.close()
    throw CommandFailure(
      .badInput,
      "\(root) holds the product \(SafeText.line(status.product)), which runs, and not "
        + "\(places.product); give \(places.product) a folder of its own with --root DIR, or end "
        + "the other with `kith down --root \(root)`")
  }

  /// How long a host may take to say anything at all.
  private static let patience = Duration.seconds(5)

  /// How its workers are, as the host said when it was found.
  func status(within limit: Duration?) async throws(RPCError) -> GetStatusResponse {
    if let firstStatus { return firstStatus }
    return try await connection.host.getStatus(
      GetStatusRequest(), options: CallOptions(timeout: limit))
  }

  /// The first answer of a host. One that is stopped or hung takes connections, as the kernel does
  /// for it, and does not answer.
  /// - Returns: its status; nil when it answers and that takes too long, or the caller may not know
  ///   it.
  /// - Throws: UNAVAILABLE when it does not answer.
  private static func firstAnswer(
    of connection: HostConnection
  ) async throws(RPCError) -> GetStatusResponse? {
    do throws(RPCError) {
      return try await connection.host.getStatus(
        GetStatusRequest(), options: CallOptions(timeout: .seconds(3)))
    } catch {
      guard [.unavailable, .deadlineExceeded].contains(error.code) else { return nil }
    }
    // A status may wait for a slow disk, from which it shows lines of logs; the clock does not.
    do throws(RPCError) {
      _ = try await connection.host.getClock(
        GetClockRequest(), options: CallOptions(timeout: patience))
    } catch {
      guard [.unavailable, .deadlineExceeded].contains(error.code) else { return nil }
      connection.close()
      throw RPCError(.unavailable, silence, cause: error)
    }
    return nil
  }

  private static let silence = "the host takes connections and does not answer"

  /// The product in these places; nil when no host runs there.
  /// - Parameter mayBeStarting: whether a host that does not listen yet counts as none, rather than
  ///   as one that does not answer.
  /// - Throws: as ``open(_:)``; ``CommandFailure`` with exit code 65 when the host runs another
  ///   product, and with 69 when a host is there and does not answer.
  static func openIfRunning(
    _ places: ProductPlaces, mayBeStarting: Bool = false
  ) async throws -> RunningProduct? {
    do {
      let running = try await open(places)
      try await running.expectOwnProduct()
      return running
    } catch let error as RPCError {
      guard error.code == .unavailable else { throw error }
      if mayBeStarting, error.message != silence { return nil }
      // Without a socket there never was a host, or it has ended as it should.
      guard access(places.controlSocket, F_OK) == 0 else { return nil }
      let found = OrphanedProduct.all(
        product: places.product, root: places.root,
        environment: Surroundings.current.environment)
      if let stuck = found.first(where: { !$0.isLeft }) { throw stuck.failure }
      return nil
    }
  }

  /// A product that is somebody else's: whose, and what to do.
  private static func foreign(_ folder: String) -> CommandFailure {
    let owner = SystemUser.owner(of: "\(folder)/host.sock")
    let whose = owner.map { "belongs to user \($0)" } ?? "is somebody else's"
    let asOwner =
      owner.map { "run kith as that user (`sudo -u \($0) kith ...`)" } ?? "ask its owner"
    return CommandFailure(
      .permission,
      "\(folder) \(whose), and user \(SystemUser.current) may not use it; \(asOwner), or start a "
        + "product of your own with `kith up NAME --root DIR`")
  }

  /// The product in a root; its name is not known yet, and not needed: one root holds one product.
  private static func find(
    in root: String, environment: [String: String]
  ) async throws -> RunningProduct {
    let places = try ProductPlaces(product: "unnamed", root: root, environment: environment)
    do {
      return try await open(places)
    } catch let error as RPCError {
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
      do {
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
    if let closed = ProductFolders(environment: environment).closed { throw foreign(closed) }
    let known = ManifestReader(environment: environment).productNames()
    let which = known.count == 1 ? known[0] : "NAME"
    let names = known.count > 1 ? " (\(known.joined(separator: ", ")))" : ""
    throw CommandFailure(
      .unavailable,
      "no host of user \(SystemUser.current) is running; start one with `kith up \(which)`\(names)",
      code: StatusCode.unavailable.name)
  }

  /// The products that have a control socket where sockets are by default, whether anybody listens
  /// or not.
  private static func namesWithSocket(environment: [String: String]) -> [String] {
    ProductFolders(environment: environment).names.filter { name in
      (try? ProductPlaces(product: name, environment: environment))
        .map { access($0.controlSocket, F_OK) == 0 } ?? false
    }
  }
}

extension [RunningProduct] {
  /// The one among them that has all of these workers; nil when there are several or none.
  fileprivate func onlyOne(with workers: [String]) async -> RunningProduct? {
    guard !workers.isEmpty else { return nil }
    var found: [RunningProduct] = []
    for product in self {
      let status = try? await product.status(within: CallSettings.standardTimeout)
      let names = Set(status?.workers.map(\.name) ?? [])
      if names.isSuperset(of: workers) { found.append(product) }
    }
    return found.count == 1 ? found[0] : nil
  }
}
