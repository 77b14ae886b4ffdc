public import KithManifest

/// What the supervisor must know of a worker.
public struct WorkerSpecification: Hashable, Sendable {
  /// The worker's name in the product's manifest.
  public var name: String
  /// The names of the workers that must be ready before it is started.
  public var requires: [String]
  /// When it is started again, and who with it.
  public var restart: RestartPolicy
  /// How long it waits for that.
  public var backoff: Backoff
  /// How long things may take.
  public var limits: TimeLimits
  /// The highest generation that was ever used under this name in this product root; 0 when none was.
  public var lastGeneration: UInt64
  /// Whether it is wanted up from the start.
  public var wanted: Bool

  /// A worker; what is not named has the value that suits most workers.
  public init(
    name: String,
    requires: [String] = [],
    restart: RestartPolicy = .standard,
    backoff: Backoff = Backoff(),
    limits: TimeLimits = TimeLimits(),
    lastGeneration: UInt64 = 0,
    wanted: Bool = true
  ) {
    self.name = name
    self.requires = requires
    self.restart = restart
    self.backoff = backoff
    self.limits = limits
    self.lastGeneration = lastGeneration
    self.wanted = wanted
  }
}
