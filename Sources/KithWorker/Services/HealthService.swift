import HealthContract
import KithRPC

/// Tells how a worker is.
struct HealthService: HealthHandler {
  let runtime: WorkerRuntime

  func check(_ request: CheckRequest, context: CallContext) async throws -> CheckResponse {
    runtime.checkHealth()
  }

  func watch(
    _ request: WatchRequest, responses: ResponseWriter<WatchResponse>, context: CallContext
  ) async throws {
    guard (10...3_600_000).contains(request.intervalMs) else {
      throw RPCError.invalidArgument(
        field: "interval_ms", "\(request.intervalMs) is not from 10 to 3600000")
    }
    try await runtime.watchHealth(every: .milliseconds(Int64(request.intervalMs))) {
      try await responses.write($0)
    }
  }
}
