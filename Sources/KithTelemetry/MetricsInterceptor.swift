public import KithRPC

/// Counts calls and times them, on either side, in the process's swift-metrics backend.
///
/// The counters are `kith_rpc_client_calls_total` and `kith_rpc_server_calls_total`, by method and status code; the
/// timers `kith_rpc_client_duration` and `kith_rpc_server_duration`, by method. A stream lasts to its end.
public struct MetricsInterceptor: ServerInterceptor, ClientInterceptor {
  private let server = CallMetrics(side: "server")
  private let client = CallMetrics(side: "client")

  /// One interceptor for all clients and servers of a process.
  public init() {}

  /// Times the handler.
  public func intercept<Answer: Sendable>(
    _ context: CallContext, _ next: () async throws -> Answer
  ) async throws -> Answer {
    let start = ContinuousClock.now
    do {
      let answer = try await next()
      server.record(context.method, .ok, start.duration(to: .now))
      return answer
    } catch {
      server.record(context.method, RPCError(ofHandler: error).code, start.duration(to: .now))
      throw error
    }
  }

  /// Times the call.
  public func begin(
    _ method: MethodDescriptor, _ options: inout CallOptions
  ) async throws(RPCError) -> ClientCallEnd? {
    let start = ContinuousClock.now
    return { [client] error in
      client.record(method, error?.code ?? .ok, start.duration(to: .now))
    }
  }
}
