import KithRPC
import MetricsContract

/// Tells what a worker counts of its calls.
struct MetricsService: MetricsHandler {
  let runtime: WorkerRuntime

  func readMetrics(
    _ request: ReadMetricsRequest, context: CallContext
  ) async throws -> ReadMetricsResponse {
    runtime.readMetrics()
  }
}
