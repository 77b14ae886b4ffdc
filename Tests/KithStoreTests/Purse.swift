import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTransportInProcess
import Synchronization
import Testing
import TestingContract

/// A service that must not do anything twice, with its store in a folder of its own, as a worker
/// has it: it can be ended and started again.
final class Purse: Sendable {
  static let pay = MethodDescriptor(service: "test.Purse", method: "Pay")
  static let look = MethodDescriptor(
    service: "test.Purse", method: "Look", idempotency: .noSideEffects)
  static let file = "store.sqlite"

  let folder: TemporaryFolder
  /// What the next payment throws, within its transaction.
  let failure = Mutex<RPCError?>(nil)
  /// Runs within the handler of a payment, before it is made.
  let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
  /// How a payment is written.
  let way = Mutex(Way.kept)
  /// The wall clock, in seconds.
  let clock = Atomic(1_000_000)

  /// How a handler writes.
  enum Way: Sendable, CaseIterable {
    /// As it has to.
    case kept
    /// With its answer, and then answers something else.
    case keptAndChanged
    /// Without its answer.
    case plain
    /// In two transactions, each with an answer.
    case twice
    /// Not at all.
    case not
  }

  /// What was paid, one row each.
  private static let payments = Store.Migration(
    "payments 1", creating: [Store.Table("payment", [.number("number"), .text("what")])])

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The store, opened anew.
  func openStore() throws -> Store {
    try Store(
      path: "\(folder.path)/\(Self.file)", keys: try folder.keys(), migrations: [Self.payments])
  }

  /// How often something was paid.
  var payments: Int {
    get async throws {
      let store = try openStore()
      defer { try? store.close() }
      return try await store.read {
        try $0.rows("SELECT count(*) AS number FROM payment")[0]["number"]
      }
    }
  }

  /// The service over a store, which keeps no answers of itself.
  func definition(_ store: Store) -> ServiceDefinition {
    ServiceDefinition(
      name: "test.Purse",
      methods: [
        .unary(Self.pay) { (request: AppendRequest, context) in
          try await self.pay(request, context, store)
        },
        .encodedUnary(Self.look) { _, _ in [1] },
      ])
  }

  private func pay(
    _ request: AppendRequest, _ context: CallContext, _ store: Store
  ) async throws -> AppendResponse {
    if let meanwhile = meanwhile.withLock({ $0 }) { await meanwhile() }
    let failure = failure.withLock { $0 }
    let body: @Sendable (WriteTransaction) throws -> AppendResponse = { transaction in
      try transaction.execute("INSERT INTO payment (what) VALUES (\(request.entry))")
      if let failure { throw failure }
      let count: Int = try transaction.rows("SELECT count(*) AS number FROM payment")[0]["number"]
      return AppendResponse(entry: "payment \(count) of \(request.entry)")
    }
    let now = clock.load(ordering: .relaxed)
    let way = way.withLock { $0 }
    switch way {
    case .plain: return try await store.write(body)
    case .not: return AppendResponse(entry: "nothing")
    case .kept, .keptAndChanged, .twice:
      var answer = try await store.write(for: context, request, now: now, body)
      if way == .keptAndChanged { answer.entry += "?" }
      if way == .twice { _ = try await store.write(for: context, request, now: now, body) }
      return answer
    }
  }

  /// Runs `body` with a client of the service as a new process of the worker would serve it.
  func serve(
    keeping: Bool = true, _ body: (RPCClient) async throws -> Void
  ) async throws {
    let transport = InProcessTransport()
    let store = try openStore()
    let definition = definition(store)
    let server = RPCServer(
      services: [keeping ? definition.keepingAnswers(in: store) : definition])
    try server.start(on: transport.listener)
    let client = RPCClient(connector: transport.connector)
    do {
      try await body(client)
    } catch {
      Issue.record(error)
    }
    client.close()
    server.close()
    await store.settle()
    try? store.close()
  }
}

extension TemporaryFolder {
  /// The keys of a worker whose product keeps its ring in this folder.
  func keys(worker: String = "test") throws -> SealingKeys {
    let file = KeyRingFile(path: "\(path)/\(KeyRingFile.name)")
    try file.makeIfMissing()
    return try SealingKeys(file: file, worker: worker)
  }
}

extension RPCClient {
  /// Pays, and answers what the purse says.
  func pay(_ text: String, key: IdempotencyKey?) async throws -> String {
    let response: RPCResponse<AppendResponse> = try await unary(
      Purse.pay, AppendRequest(entry: text),
      options: CallOptions(idempotencyKey: key, retry: .never))
    return response.message.entry
  }

  /// The error of a payment that must fail.
  func failureOfPaying(_ text: String, key: IdempotencyKey?) async -> RPCError {
    do {
      _ = try await pay(text, key: key)
      return RPCError(.ok, "the call succeeded")
    } catch {
      return error as? RPCError ?? RPCError(.unknown, "\(error)")
    }
  }
}
