import KithRPC
import KithTelemetry
import Synchronization
import Testing
import Tracing

/// A tracer whose spans carry a W3C trace id and a span id of their own, and are remembered.
private final class RecordingTracer: Tracer, Sendable {
  struct Ended: Sendable {
    var name: String
    var kind: SpanKind
    var traceparent: String
    var code: String
    var isError: Bool
  }

  let ended = Mutex<[Ended]>([])
  private let lastSpan = Atomic(0)

  func startSpan<Instant: TracerInstant>(
    _ operationName: String, context: @autoclosure () -> ServiceContext, ofKind kind: SpanKind,
    at instant: @autoclosure () -> Instant, function: String, file: String, line: UInt
  ) -> RecordedSpan {
    let parent = context()[Traceparent.self] ?? "00-\(String(repeating: "a", count: 32))-0-01"
    let trace = parent.split(separator: "-")[1]
    let number = lastSpan.add(1, ordering: .relaxed).newValue
    var own = context()
    own[Traceparent.self] = "00-\(trace)-\(number)-01"
    return RecordedSpan(name: operationName, kind: kind, context: own, tracer: self)
  }

  func forceFlush() {}

  func extract<Carrier, Extract: Extractor>(
    _ carrier: Carrier, into context: inout ServiceContext, using extractor: Extract
  ) where Extract.Carrier == Carrier {
    context[Traceparent.self] = extractor.extract(key: "traceparent", from: carrier)
  }

  func inject<Carrier, Inject: Injector>(
    _ context: ServiceContext, into carrier: inout Carrier, using injector: Inject
  ) where Inject.Carrier == Carrier {
    if let value = context[Traceparent.self] {
      injector.inject(value, forKey: "traceparent", into: &carrier)
    }
  }
}

private enum Traceparent: ServiceContextKey {
  typealias Value = String
}

private final class RecordedSpan: Span {
  private struct State {
    var attributes = SpanAttributes()
    var name: String
    var isError = false
  }

  let context: ServiceContext
  private let kind: SpanKind
  private let tracer: RecordingTracer
  private let state: Mutex<State>

  init(name: String, kind: SpanKind, context: ServiceContext, tracer: RecordingTracer) {
    self.kind = kind
    self.context = context
    self.tracer = tracer
    self.state = Mutex(State(name: name))
  }

  var isRecording: Bool { true }
  var operationName: String {
    get { state.withLock { $0.name } }
    set { state.withLock { $0.name = newValue } }
  }
  var attributes: SpanAttributes {
    get { state.withLock { $0.attributes } }
    set { state.withLock { $0.attributes = newValue } }
  }
  func setStatus(_ status: SpanStatus) { state.withLock { $0.isError = status.code == .error } }
  func addEvent(_ event: SpanEvent) {}
  func recordError<Instant: TracerInstant>(
    _ error: any Error, attributes: SpanAttributes, at instant: @autoclosure () -> Instant
  ) {}
  func addLink(_ link: SpanLink) {}
  func end<Instant: TracerInstant>(at instant: @autoclosure () -> Instant) {
    var code = ""
    if case .string(let name) = attributes["rpc.kith.status_code"]?.toSpanAttribute() {
      code = name
    }
    let isError = state.withLock { $0.isError }
    let ended = RecordingTracer.Ended(
      name: operationName, kind: kind, traceparent: context[Traceparent.self] ?? "", code: code,
      isError: isError)
    tracer.ended.withLock { $0.append(ended) }
  }
}

struct TracingInterceptorTests {
  @Test func aTraceGoesFromTheCallerThroughTheWorker() async throws {
    let tracer = RecordingTracer()
    let interceptor = TracingInterceptor(tracer: tracer)
    let seen = Mutex<[String]>([])
    try await withOneMethod(
      client: [interceptor], server: [interceptor],
      inspect: { context in seen.withLock { $0.append(context.traceparent) } }
    ) { method, client in
      _ = try await client.unary(method, encodedRequest: [])
      _ = try? await client.unary(method, encodedRequest: Array("bad".utf8))
      let ended = tracer.ended.withLock { $0 }
      try #require(ended.count == 4)
      #expect(ended.allSatisfy { $0.name == method.fullName })
      #expect(Set(ended.map { $0.traceparent.split(separator: "-")[1] }).count == 1)
      #expect(ended.map(\.kind) == [.server, .client, .server, .client])
      #expect(ended.map(\.code) == ["OK", "OK", "NOT_FOUND", "NOT_FOUND"])
      #expect(ended.map(\.isError) == [false, false, true, true])
      // What the worker is told is the caller's span.
      #expect(seen.withLock { $0 } == [ended[1].traceparent, ended[3].traceparent])
    }
  }

  @Test func withoutABackendATraceIsPassedOnAsItCame() async throws {
    let seen = Mutex("")
    try await withOneMethod(
      client: [TracingInterceptor()], server: [TracingInterceptor()],
      inspect: { context in seen.withLock { $0 = context.traceparent } }
    ) { method, client in
      _ = try await client.unary(
        method, encodedRequest: [], options: CallOptions(traceparent: "00-t-s-01"))
      #expect(seen.withLock { $0 } == "00-t-s-01")
    }
  }
}
