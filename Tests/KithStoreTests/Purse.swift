import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTransportInProcess
import Synchronization

/// A service that must not do anything twice, with its store in a folder of its own, as a worker has it: it can be ended and
/// started again.
final class Purse: Sendable {
  static let pay = MethodDescriptor(service: "test.Purse", method: "Pay")
  static let look = MethodDescriptor(
    service: "test.Purse", method: "Look", idempotency: .noSideEffects)
  static let file = "store.sqlite"

  let folder: TemporaryFolder
  /// How often something was paid.
  let payments = Atomic(0)
  /// What the next payment throws.
  let failure = Mutex<RPCError?>(nil)
  /// Runs within a payment, before it is counted.
  let meanwhile = Mutex<(@Sendable () async -> Void)?>(nil)
  /// The wall clock, in seconds.
  let clock = Atomic<Int64>(1_000_000)

  init() throws {
    folder = try TemporaryFolder()
  }

  /// The record, opened anew.
  func openRecord() throws -> StoredAnswers {
    StoredAnswers(
      in: try Store(path: "\(folder.path)/\(Self.file)", keys: try folder.keys()),
      now: { self.clock.load(ordering: .relaxed) })
  }

  /// The service, without a record.
  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "test.Purse",
      methods: [
        .encodedUnary(Self.pay) { request, context in
          if let meanwhile = self.meanwhile.withLock({ $0 }) { await meanwhile() }
          if let failure = self.failure.withLock({ $0 }) { throw failure }
          let count = self.payments.add(1, ordering: .relaxed).newValue
          context.responseMetadata = ["before": "\(count)"]
          context.responseTrailers = ["after": "\(count)"]
          return Array("payment \(count) of ".utf8) + request
        },
        .encodedUnary(Self.look) { _, _ in
          Array("\(self.payments.load(ordering: .relaxed))".utf8)
        },
      ])
  }

  /// Runs `body` with a client of the service as a new process of the worker would serve it.
  func serve(
    recording: Bool = true, _ body: (RPCClient) async throws -> Void
  ) async throws {
    let transport = InProcessTransport()
    let server = RPCServer(
      services: [recording ? definition.answeringRepeats(from: try openRecord()) : definition])
    try server.start(on: transport.listener)
    let client = RPCClient(connector: transport.connector)
    defer {
      client.close()
      server.close()
    }
    try await body(client)
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
  /// Pays; any error, since the expectation macros cannot see through a typed one.
  func pay(_ text: String, key: IdempotencyKey?) async throws -> RPCResponse<[UInt8]> {
    try await unary(
      Purse.pay, encodedRequest: Array(text.utf8), options: CallOptions(idempotencyKey: key))
  }

  /// The error of a payment that must fail.
  func failureOfPaying(_ text: String, key: IdempotencyKey?) async -> RPCError {
    do throws(RPCError) {
      _ = try await unary(
        Purse.pay, encodedRequest: Array(text.utf8), options: CallOptions(idempotencyKey: key))
      return RPCError(.ok, "the call succeeded")
    } catch {
      return error
    }
  }
}
