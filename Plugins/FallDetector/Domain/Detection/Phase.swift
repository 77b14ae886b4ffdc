/// A part of a movement with what was measured in it.
public struct Phase: Sendable, Hashable {
  /// Which part.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// The body gives way: less acceleration than gravity. The value is the lowest, in g.
    case freeFall
    /// A peak of acceleration. The value is the highest sample, in g.
    case impact
    /// The second around the impact. The value is the deviation of the acceleration, in g.
    case settling
    /// The change of the direction of gravity. The value is its angle in degrees.
    case postureChange
    /// The seconds after it. The value is the deviation of the acceleration, in g.
    case inactivity
  }

  /// Which part.
  public var kind: Kind
  /// Its begin, in nanoseconds of the device's monotonic clock.
  public var startNanoseconds: Int64
  /// Its end, as `startNanoseconds`.
  public var endNanoseconds: Int64
  /// What was measured, in the unit of its kind.
  public var value: Double
  /// What it adds to the score, in log-odds; 0 when it speaks against a fall.
  public var weight: Double

  /// A phase.
  public init(
    kind: Kind, startNanoseconds: Int64, endNanoseconds: Int64, value: Double, weight: Double
  ) {
    self.kind = kind
    self.startNanoseconds = startNanoseconds
    self.endNanoseconds = endNanoseconds
    self.value = value
    self.weight = weight
  }
}
