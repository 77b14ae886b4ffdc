import HostContract
import KithClient
import KithManifest
import KithRPC
import KithVerbs

/// Asks the hosts and workers of this machine, for a moment each: a person who presses a key does
/// not wait.
struct SystemCompletionSource: CompletionSource {
  let environment: [String: String]

  /// How long one question may take.
  private static let patience = Duration.milliseconds(500)

  private var options: CallOptions { CallOptions(timeout: Self.patience) }

  func products() async -> [String] {
    ManifestReader(environment: environment).productNames()
  }

  func runningProducts() async -> [String] {
    await Self.soon { await RunningProduct.all(environment: environment).map(\.places.product) }
      ?? []
  }

  func workers(_ place: CallSettings) async -> [String] {
    let names = await Self.soon {
      var names: Set<String> = []
      for product in await products(meant: place) {
        let status = try? await product.status(within: options.timeout)
        names.formUnion(status?.workers.map(\.name) ?? [])
      }
      return names.sorted()
    }
    return names ?? []
  }

  func contracts(of worker: String, _ place: CallSettings) async -> WorkerContracts? {
    await Self.soon {
      guard
        let running = try? await RunningProduct.find(
          product: place.product, root: place.root, workers: [worker], environment: environment)
      else { return nil }
      return try? await WorkerContracts.of(
        running.connection.worker(named: worker), options: options)
    } ?? nil
  }

  /// The product that is named; else all that run.
  private func products(meant place: CallSettings) async -> [RunningProduct] {
    let isNamed =
      place.product != nil || place.root != nil || !(environment["KITH_PRODUCT"] ?? "").isEmpty
    guard isNamed else { return await RunningProduct.all(environment: environment) }
    let found = try? await RunningProduct.find(
      product: place.product, root: place.root, environment: environment)
    return found.map { [$0] } ?? []
  }

  /// What `body` finds within its time; `nil` after it.
  private static func soon<Value: Sendable>(
    _ body: @escaping @Sendable () async -> Value
  ) async -> Value? {
    await withTaskGroup(of: Value?.self) { group in
      group.addTask { await body() }
      group.addTask {
        try? await Task.sleep(for: patience)
        return nil
      }
      defer { group.cancelAll() }
      return await group.next() ?? nil
    }
  }
}
