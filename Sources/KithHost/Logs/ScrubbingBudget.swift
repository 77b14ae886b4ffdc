/// What one worker's output may take of the thread that scrubs it: bytes and processor time, each a
/// bucket that fills up steadily. What is over waits in its spool.
struct ScrubbingBudget: Hashable, Sendable {
  /// How large the buckets are, and how fast they fill up.
  struct Limits: Hashable, Sendable {
    /// How many bytes per second in the long run.
    var bytesPerSecond = 2 << 20
    /// How many bytes at once, after a time of silence.
    var burstBytes = 16 << 20
    /// Which part of one processor in the long run.
    var processorShare = 0.5
    /// How much processor time at once, after a time of silence.
    var burstTime = Duration.seconds(5)
  }

  private let limits: Limits
  private var bytes: Double
  private var time: Duration
  private var updatedAt: ContinuousClock.Instant

  /// A budget of which nothing has been used.
  init(_ limits: Limits = Limits(), at now: ContinuousClock.Instant) {
    self.limits = limits
    bytes = Double(limits.burstBytes)
    time = limits.burstTime
    updatedAt = now
  }

  /// Takes note of what a piece of output took. It may take more than is left: how long it takes is
  /// not known before.
  mutating func charge(bytes used: Int, time usedTime: Duration, at now: ContinuousClock.Instant) {
    let passed = max(.zero, now - updatedAt)
    updatedAt = max(updatedAt, now)
    bytes = min(
      Double(limits.burstBytes), bytes + (passed / .seconds(1)) * Double(limits.bytesPerSecond))
    time = min(limits.burstTime, time + passed * limits.processorShare)
    bytes -= Double(used)
    time -= usedTime
  }

  /// From when on more of the output may be taken.
  var opensAt: ContinuousClock.Instant {
    let forBytes = Duration.seconds(max(0, -bytes / Double(limits.bytesPerSecond)))
    let forTime = max(.zero, .zero - time) / limits.processorShare
    return updatedAt + max(forBytes, forTime)
  }
}
