import KithWorker
import Logging

/// Loads a model in the background. Without it the worker answers by its rules alone.
struct ModelLoader {
  let load: @Sendable () async throws -> Void

  func start(in context: WorkerContext) {
    let (health, logger) = (context.health, context.logger)
    health.degrade("the model is not loaded")
    context.runInBackground {
      do {
        try await load()
        health.recover(from: "the model is not loaded")
      } catch {
        logger.error("the model cannot be loaded", metadata: ["error": "\(type(of: error))"])
      }
    }
  }
}
