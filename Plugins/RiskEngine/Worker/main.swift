import KithWorker
import RiskEngineService

try await Worker.run { context in
  let settings = try RiskEngineSettings(
    medium: context.configuration.double("label_medium"),
    high: context.configuration.double("label_high"))
  let service = try RiskEngineService(
    resources: "\(context.pluginDirectory)/Resources", settings: settings)
  return [service.definition]
}
