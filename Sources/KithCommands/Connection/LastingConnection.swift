import HostContract
import KithClient
import KithRPC
import KithTerminal

/// The way to a host that may go away and come back, for commands that watch: a host is killed and
/// another one takes its place, or it becomes a new version of itself.
actor LastingConnection {
  private let product: ProductOptions
  private let surroundings: Surroundings
  private var running: RunningProduct
  private let isPatient: Bool

  /// How long a host that becomes another one, or is started by a service manager, takes at most.
  private static let patience = Duration.seconds(3)
  /// How often a host is looked for that nobody tells of.
  private static let pause = Duration.milliseconds(50)

  /// A way that begins with a host that answers.
  /// - Parameter isPatient: whether another host is waited for; if not, the first that is gone is
  ///   an error.
  init(
    _ running: RunningProduct, _ product: ProductOptions, _ surroundings: Surroundings,
    isPatient: Bool = true
  ) {
    self.running = running
    self.isPatient = isPatient
    self.product = product
    self.surroundings = surroundings
  }

  /// Asks the host; when it is gone and its workers are not, waits for the next and asks that.
  /// - Throws: what `body` does; ``CommandFailure`` with exit code 69 when the product was ended.
  func ask<Answer: Sendable>(
    _ body: sending (HostClient) async throws -> Answer
  ) async throws -> Answer {
    while true {
      do {
        return try await body(running.connection.host)
      } catch let error as RPCError where error.code == .unavailable && isPatient {
        try await waitForHost()
      }
    }
  }

  private func waitForHost() async throws {
    running.connection.close()
    var patience = ContinuousClock.now + Self.patience
    var isTold = false
    while true {
      if let next = try? await RunningProduct.open(running.places) {
        running = next
        return
      }
      if .now > patience {
        guard
          let left = OrphanedProduct.find(
            product: product.product, root: product.root, environment: surroundings.environment)
        else { throw Self.ended }
        if !isTold {
          Output.errorLine("kith: \(left.failure.message); waiting for that")
          isTold = true
        }
        patience = .now + Self.patience
      }
      try await Task.sleep(for: Self.pause)
    }
  }

  /// Whoever ended the product on purpose has ended its workers too.
  private static let ended = CommandFailure(
    .unavailable, "the product was ended: neither its host nor a worker of it runs any more",
    code: StatusCode.unavailable.name)
}
