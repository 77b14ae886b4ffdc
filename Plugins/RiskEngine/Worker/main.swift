import KithWorker
import RiskEngineService

@Sendable func read(_ configuration: WorkerConfiguration) throws -> RiskEngineSettings {
  try RiskEngineSettings(
    medium: configuration.double("label_medium"), high: configuration.double("label_high"),
    suspectedNumbers: configuration.strings("suspected_numbers"),
    bundle: configuration.string("bundle"))
}

try await Worker.run(settings: read) { context, settings in
  let service = try RiskEngineService(
    resources: "\(context.pluginDirectory)/Resources", settings: settings)
  context.onConfigurationChange(
    of: ["label_medium", "label_high", "suspected_numbers", "bundle"]
  ) { configuration in
    service.use(try read(configuration))
  }
  return [service.definition]
}
