import KithWorker
import RiskEngineService

try await Worker.run { context in
  @Sendable func settings(_ configuration: WorkerConfiguration) throws -> RiskEngineSettings {
    try RiskEngineSettings(
      medium: configuration.double("label_medium"), high: configuration.double("label_high"),
      suspectedNumbers: configuration.strings("suspected_numbers"),
      bundle: configuration.string("bundle"))
  }
  let service = try RiskEngineService(
    resources: "\(context.pluginDirectory)/Resources", settings: settings(context.configuration))
  context.onConfigurationChange(
    of: ["label_medium", "label_high", "suspected_numbers", "bundle"]
  ) { configuration in
    service.use(try settings(configuration))
  }
  return [service.definition]
}
