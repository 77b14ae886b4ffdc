import KithRPC
import KithTelemetry
import KithTransportInProcess
import Metrics
import Synchronization
import Testing

/// The one metrics backend of this test process: swift-metrics takes one for good.
final class RecordingMetrics: MetricsFactory, Sendable {
  static let shared: RecordingMetrics = {
    let metrics = RecordingMetrics()
    MetricsSystem.bootstrap(metrics)
    return metrics
  }()

  private let counts = Mutex<[String: Int64]>([:])

  func count(_ name: String) -> Int64 { counts.withLock { $0[name] ?? 0 } }

  private static func name(_ label: String, _ dimensions: [(String, String)]) -> String {
    ([label] + dimensions.map { "\($0.0)=\($0.1)" }).joined(separator: " ")
  }

  private func add(_ name: String, _ amount: Int64) {
    counts.withLock { $0[name, default: 0] += amount }
  }

  private final class Handler: CounterHandler, TimerHandler {
    let metrics: RecordingMetrics
    let name: String

    init(metrics: RecordingMetrics, name: String) {
      self.metrics = metrics
      self.name = name
    }

    func increment(by amount: Int64) { metrics.add(name, amount) }
    func reset() {}
    func recordNanoseconds(_ duration: Int64) { metrics.add(name, 1) }
  }

  func makeCounter(label: String, dimensions: [(String, String)]) -> any CounterHandler {
    Handler(metrics: self, name: Self.name(label, dimensions))
  }

  func makeTimer(label: String, dimensions: [(String, String)]) -> any TimerHandler {
    Handler(metrics: self, name: Self.name(label, dimensions))
  }

  func makeRecorder(
    label: String, dimensions: [(String, String)], aggregate: Bool
  ) -> any RecorderHandler { NOOPMetricsHandler.instance }

  func destroyCounter(_ handler: any CounterHandler) {}
  func destroyRecorder(_ handler: any RecorderHandler) {}
  func destroyTimer(_ handler: any TimerHandler) {}
}

struct MetricsInterceptorTests {
  @Test func callsAreCountedByMethodAndCodeOnBothSides() async throws {
    let metrics = RecordingMetrics.shared
    let interceptor = MetricsInterceptor()
    try await withOneMethod(client: [interceptor], server: [interceptor]) { method, client in
      for text in ["good", "good", "bad"] {
        _ = try? await client.unary(method, encodedRequest: Array(text.utf8))
      }
      for side in ["client", "server"] {
        let calls = "kith_rpc_\(side)_calls_total method=\(method.fullName)"
        #expect(metrics.count("\(calls) code=OK") == 2)
        #expect(metrics.count("\(calls) code=NOT_FOUND") == 1)
        #expect(metrics.count("kith_rpc_\(side)_duration method=\(method.fullName)") == 3)
      }
    }
  }
}

/// Runs `body` with a client of a server that answers one method: `bad` with NOT_FOUND, all else with itself.
func withOneMethod(
  client clientInterceptors: [any ClientInterceptor], server interceptors: [any ServerInterceptor],
  inspect: @escaping @Sendable (CallContext) -> Void = { _ in },
  _ body: (MethodDescriptor, RPCClient) async throws -> Void
) async throws {
  let method = MethodDescriptor(
    service: "test.Telemetry\(UInt32.random(in: 0 ... .max))", method: "Do")
  let service = ServiceDefinition(
    name: method.service,
    methods: [
      .encodedUnary(method) { request, context in
        inspect(context)
        if request == Array("bad".utf8) { throw RPCError(.notFound, "there is none") }
        return request
      }
    ])
  let transport = InProcessTransport()
  let server = RPCServer(services: [service], interceptors: interceptors)
  try server.start(on: transport.listener)
  let client = RPCClient(connector: transport.connector, interceptors: clientInterceptors)
  defer {
    client.close()
    server.close()
  }
  try await body(method, client)
}
