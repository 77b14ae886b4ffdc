/// How long each part of a process's life may take before the supervisor steps in.
public struct TimeLimits: Hashable, Sendable {
  /// From the decision to start it until it is ready.
  public var start: Duration
  /// How long calls in progress may go on when it is drained.
  public var drain: Duration
  /// What it gets past `drain` to end the drained process before it is sent SIGTERM.
  public var drainMargin: Duration
  /// From SIGTERM to SIGKILL.
  public var terminate: Duration
  /// From one SIGKILL to the next; a process in an uninterruptible wait ends late.
  public var kill: Duration
  /// How long a ready process may show no progress before it counts as stuck; nil for ever.
  public var watchdog: Duration?

  /// Limits; what is not named has the value that suits most workers.
  public init(
    start: Duration = .seconds(10),
    drain: Duration = .seconds(5),
    drainMargin: Duration = .milliseconds(500),
    terminate: Duration = .seconds(2),
    kill: Duration = .seconds(5),
    watchdog: Duration? = .seconds(10)
  ) {
    self.start = start
    self.drain = drain
    self.drainMargin = drainMargin
    self.terminate = terminate
    self.kill = kill
    self.watchdog = watchdog
  }

  /// From when a process of an earlier host is found until it has proved what it is. It runs
  /// already: one that takes longer than a ready process may is stuck, or stopped.
  var adoption: Duration { watchdog.map { min($0, start) } ?? start }
}
