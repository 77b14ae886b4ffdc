/// What a process says about itself, again and again, without being asked.
public struct HealthReport: Hashable, Sendable {
  /// Counts what its own event loop has got done. One that does not grow tells a stuck process from
  /// a quiet one.
  public var progress: UInt64
  /// Why it serves with a part missing; empty when it is whole.
  public var degradation: String

  /// A report.
  public init(progress: UInt64, degradation: String = "") {
    self.progress = progress
    self.degradation = degradation
  }
}
