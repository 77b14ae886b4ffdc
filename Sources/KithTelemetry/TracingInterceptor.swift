public import KithRPC
public import Tracing

/// Makes a span of each call, on either side, in the process's swift-distributed-tracing backend,
/// and carries the trace on as a W3C `traceparent`.
///
/// A span has the method and the status code, as OpenTelemetry's conventions for RPC name them, and
/// nothing of the messages. Without a backend the caller's `traceparent` is passed on as it came.
public struct TracingInterceptor: ServerInterceptor, ClientInterceptor {
  private let tracer: (any Tracer)?

  /// An interceptor that asks for the process's tracer at each call, or uses the one given.
  public init(tracer: (any Tracer)? = nil) { self.tracer = tracer }

  private var current: any Tracer { tracer ?? InstrumentationSystem.tracer }

  /// Runs the handler within a span that continues the caller's.
  public func intercept<Answer: Sendable>(
    _ context: CallContext, _ next: () async throws -> Answer
  ) async throws -> Answer {
    let tracer = current
    var service = ServiceContext.topLevel
    tracer.extract(context.traceparent, into: &service, using: TraceparentField())
    let method = context.method
    return try await tracer.withAnySpan(
      method.fullName, context: service, ofKind: .server
    ) { span in
      Self.describe(method, in: span)
      do {
        let answer = try await next()
        Self.end(span, .ok)
        return answer
      } catch {
        // The span is told the code and no more: what an error says may be personal.
        Self.end(span, RPCError(ofHandler: error).code)
        throw error
      }
    }
  }

  /// Makes a span of the call and names it to the worker.
  public func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd? {
    let tracer = current
    let span = tracer.startAnySpan(
      method.fullName, context: ServiceContext.current ?? .topLevel, ofKind: .client)
    Self.describe(method, in: span)
    tracer.inject(span.context, into: &options.traceparent, using: TraceparentField())
    return { error in
      Self.end(span, error?.code ?? .ok)
      span.end()
    }
  }

  private static func describe(_ method: MethodDescriptor, in span: any Span) {
    span.attributes["rpc.system"] = "kith"
    span.attributes["rpc.service"] = method.service
    span.attributes["rpc.method"] = method.method
  }

  private static func end(_ span: any Span, _ code: StatusCode) {
    span.attributes["rpc.kith.status_code"] = code.name
    if code != .ok { span.setStatus(SpanStatus(code: .error)) }
  }
}

/// A `traceparent` as what a tracer reads from and writes to; anything else that a tracer would
/// carry is left out.
struct TraceparentField: Injector, Extractor {
  func inject(_ value: String, forKey key: String, into carrier: inout String) {
    if key == "traceparent" { carrier = value }
  }

  func extract(key: String, from carrier: String) -> String? {
    key == "traceparent" && !carrier.isEmpty ? carrier : nil
  }
}
