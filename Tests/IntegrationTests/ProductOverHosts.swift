import KithClient
import KithTesting
import Synchronization

/// A product whose host is killed now and then: the next host takes its workers over.
final class ProductOverHosts: Sendable {
  private let setup: ProductSetup
  private let hosts: Mutex<[RunningProduct]>

  private init(_ setup: ProductSetup, _ first: RunningProduct) {
    self.setup = setup
    hosts = Mutex([first])
  }

  /// The product under the host that lives.
  var product: RunningProduct { hosts.withLock { $0[$0.count - 1] } }

  /// How many hosts were killed.
  var deaths: Int { hosts.withLock { $0.count - 1 } }

  /// Boots a product, hands it to `body`, checks what must hold of any product, and ends it.
  static func run(
    _ setup: ProductSetup, _ body: (ProductOverHosts) async throws -> Void
  ) async throws {
    let hosts = ProductOverHosts(setup, try await RunningProduct.start(setup))
    do {
      try await body(hosts)
      try await hosts.product.checkAll()
    } catch {
      hosts.product.abandon()
      throw error
    }
    hosts.hosts.withLock { hosts in hosts.dropLast().forEach { $0.connection.close() } }
    try await hosts.product.stop()
  }

  /// Kills the host and starts the next one in its place.
  func replaceHost() async throws {
    let old = product
    await old.killHost()
    let next = try await RunningProduct.start(setup, in: old.folder)
    hosts.withLock { $0.append(next) }
  }
}
