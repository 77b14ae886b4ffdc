import KithRPC
import Synchronization

/// A service whose every behaviour a test can see.
final class EchoService: Sendable {
  static let say = MethodDescriptor(
    service: "test.Echo", method: "Say", idempotency: .noSideEffects)
  static let wait = MethodDescriptor(service: "test.Echo", method: "Wait")
  static let hold = MethodDescriptor(service: "test.Echo", method: "Hold")
  static let fail = MethodDescriptor(service: "test.Echo", method: "Fail")
  static let describe = MethodDescriptor(service: "test.Echo", method: "Describe")
  static let block = MethodDescriptor(service: "test.Echo", method: "Block")

  struct PersonalError: Error { var secret = "her name is Ada" }

  /// Set when the first `Wait` or `Hold` runs.
  let started = Signal()
  /// Set when a `Wait` has seen its cancellation.
  let cancelled = Signal()
  /// Lets `Hold` return.
  let release = Signal()
  /// How many handlers were called.
  let calls = Atomic(0)
  /// What `Fail` throws.
  let failure: any Error
  /// What `Describe` does.
  let inspect: @Sendable (CallContext) -> Void

  init(
    failure: any Error = PersonalError(),
    inspect: @escaping @Sendable (CallContext) -> Void = { _ in }
  ) {
    self.failure = failure
    self.inspect = inspect
  }

  var definition: ServiceDefinition {
    ServiceDefinition(
      name: "test.Echo",
      methods: [
        .encodedUnary(Self.say) { request, _ in
          self.calls.add(1, ordering: .relaxed)
          return request
        },
        .encodedUnary(Self.wait) { _, _ in
          self.calls.add(1, ordering: .relaxed)
          self.started.set()
          await withTaskCancellationHandler {
            await self.cancelled.wait()
          } onCancel: {
            self.cancelled.set()
          }
          throw CancellationError()
        },
        .encodedUnary(Self.hold) { request, _ in
          self.calls.add(1, ordering: .relaxed)
          self.started.set()
          await self.release.wait()
          return request
        },
        .encodedUnary(Self.fail) { _, context in
          self.inspect(context)
          throw self.failure
        },
        .encodedUnary(Self.describe) { _, context in
          self.inspect(context)
          return []
        },
      ])
  }
}

/// Calls of the echo service, without the ceremony.
extension RPCClient {
  /// Throws any error, since the expectation macros cannot see through a typed one.
  func say(_ text: [UInt8] = [1, 2, 3], options: CallOptions = .defaults) async throws -> [UInt8] {
    try await unary(EchoService.say, encodedRequest: text, options: options).message
  }

  /// The error of a call that must fail.
  func failure(
    of method: MethodDescriptor, _ request: [UInt8] = [], options: CallOptions = .defaults
  ) async -> RPCError {
    do throws(RPCError) {
      _ = try await unary(method, encodedRequest: request, options: options)
      return RPCError(.ok, "the call succeeded")
    } catch {
      return error
    }
  }
}

/// Runs `body` with a server of `echo` and a client of it.
func withEcho(
  _ kind: TransportKind, _ echo: EchoService = EchoService(), limits: RPCLimits = .standard,
  clientLimits: RPCLimits? = nil,
  _ body: (RPCClient, RPCServer, TransportPlace) async throws -> Void
) async throws {
  let place = kind.makePlace()
  let server = RPCServer(services: [echo.definition], limits: limits)
  try server.start(on: place.makeListener())
  let client = RPCClient(connector: place.connector, limits: clientLimits ?? limits)
  defer {
    client.close()
    server.close()
  }
  try await body(client, server, place)
}
