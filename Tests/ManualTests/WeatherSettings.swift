import KithRPC
import KithWorker

/// Where to ask for the weather, checked against what the manifests grant.
struct WeatherSettings {
  let host: String
  let timeout: Duration

  init(_ configuration: WorkerConfiguration, grants: WorkerGrants) throws {
    host = try configuration.string("host")
    timeout = try configuration.duration("timeout")
    guard grants.hosts.contains(host) else {
      throw ConfigurationError(key: "host", description: "\(host) is not among 'network.hosts'")
    }
  }
}
