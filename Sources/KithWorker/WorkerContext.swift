public import Logging

/// What a worker is told when it starts.
public struct WorkerContext: Sendable {
  /// The product that the worker runs for: `boomer-buddy`.
  public let product: String
  /// The worker's name in the product: `risk-engine`.
  public let worker: String
  /// Counts the processes under this name, from 1.
  public let generation: UInt64
  /// The worker's configuration.
  public let configuration: WorkerConfiguration
  /// The folder of the worker's plugin, with its resources. Only to be read.
  public let pluginDirectory: String
  /// The worker's own folder for what it keeps; `nil` in a product whose posture is ephemeral, where nothing is kept.
  public let stateDirectory: String?
  /// Where the host's control service is, an nng URL; `nil` when the worker runs without a host.
  public let hostAddress: String?
  /// Where the worker logs. Nothing personal, never the content of a request.
  public let logger: Logger
  /// What the worker says about its own health.
  public let health: WorkerHealth

  /// A context; tests make their own.
  public init(
    product: String = "test", worker: String = "test", generation: UInt64 = 1,
    configuration: WorkerConfiguration = WorkerConfiguration(), pluginDirectory: String = "/",
    stateDirectory: String? = nil, hostAddress: String? = nil,
    logger: Logger = Logger(label: "kith.worker"), health: WorkerHealth? = nil
  ) {
    self.product = product
    self.worker = worker
    self.generation = generation
    self.configuration = configuration
    self.pluginDirectory = pluginDirectory
    self.stateDirectory = stateDirectory
    self.hostAddress = hostAddress
    self.logger = logger
    self.health = health ?? WorkerHealth()
  }
}
