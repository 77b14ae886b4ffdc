import HealthContract
import KithRPC

/// Tells how a worker is.
struct HealthService: HealthHandler {
  let runtime: WorkerRuntime

  func check(_ request: CheckRequest, context: CallContext) async throws -> CheckResponse {
    runtime.checkHealth()
  }
}
