public import KithManifest

/// What the supervisor must know of a worker.
public struct WorkerSpecification: Hashable, Sendable {
  /// The worker's name in the product's manifest.
  public var name: String
  /// The workers that it requires, and how well they must be.
  public var requires: [Requirement]
  /// When it is started again, who with it, and how long it waits for that.
  public var restart: RestartPolicy
  /// How long things may take.
  public var limits: TimeLimits
  /// Whether two of its processes may serve at once, so that a new one can be ready before the old
  /// one leaves.
  public var overlap: Bool
  /// Which definition its process is made from: the program, its configuration. The supervisor only
  /// sees whether two are the same; the shell knows what each stands for.
  public var revision: UInt64
  /// The highest generation that was ever used under this name in this product root; 0 when none
  /// was.
  public var lastGeneration: UInt64
  /// Whether it is wanted up from the start.
  public var wanted: Bool

  /// A worker; what is not named has the value that suits most workers.
  public init(
    name: String,
    requires: [Requirement] = [],
    restart: RestartPolicy = .standard,
    limits: TimeLimits = TimeLimits(),
    overlap: Bool = false,
    revision: UInt64 = 0,
    lastGeneration: UInt64 = 0,
    wanted: Bool = true
  ) {
    self.name = name
    self.requires = requires
    self.restart = restart
    self.limits = limits
    self.overlap = overlap
    self.revision = revision
    self.lastGeneration = lastGeneration
    self.wanted = wanted
  }
}
