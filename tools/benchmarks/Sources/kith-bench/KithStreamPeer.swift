import KithRPC
import KithTransportNng
import RiskContract

/// A server stream over Kith.
///
/// No contract that ships has one, so this takes two messages of the risk engine's, as the gRPC
/// side does: a `Span` asks for `start` messages of `end` bytes each, and each is a `Reason` with a
/// sentence of that length.
enum KithStreamPeer {
  private static let method = MethodDescriptor(
    service: "kith.benchmark.Streams", method: "Read", shape: .serverStreaming,
    idempotency: .noSideEffects)

  /// The service.
  static var service: ServiceDefinition {
    ServiceDefinition(
      name: method.service,
      methods: [
        .serverStreaming(method) { (wanted: Span, responses: ResponseWriter<Reason>, _) in
          let reason = Reason(sentence: String(repeating: "x", count: Int(wanted.end)))
          for _ in 0..<wanted.start { try await responses.write(reason) }
        }
      ])
  }

  /// Connects and hands over a closure that reads one stream.
  static func withClient(
    socketPath: String,
    _ body: (_ read: (_ count: Int, _ bytes: Int) async throws -> Void) async throws -> Void
  ) async throws {
    let client = RPCClient(connector: NngConnector(address: "ipc://\(socketPath)"))
    defer { client.close() }
    try await body { count, bytes in
      let reasons: ResponseStream<Reason> = try await client.serverStreaming(
        method, Span(start: UInt32(count), end: UInt32(bytes)))
      var read = 0
      for try await reason in reasons { read += reason.sentence.utf8.count }
      precondition(read == count * bytes, "the stream was of another length")
    }
  }
}
