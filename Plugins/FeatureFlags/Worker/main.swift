import FeatureFlagsService
import KithWorker
import KithWorkerStore

@Sendable func read(_ configuration: WorkerConfiguration) throws -> FlagsSettings {
  try FlagsSettings(
    patience: configuration.duration("stale_after"),
    signingKey: configuration.string("signing_key"))
}

try await Worker.run(settings: read) { context, settings in
  let clock = context.clock
  let service = FlagsService(
    store: try await context.openStore(migrations: FlagsSchema.migrations), settings: settings,
    now: { clock.now })
  context.onConfigurationChange(of: ["stale_after", "signing_key"]) { configuration in
    service.use(try read(configuration))
  }
  return [service.definition]
}
