/// What is known of a sensor beforehand.
public struct SensorProfile: Sendable, Hashable {
  /// Where it is worn.
  public var placement: Placement
  /// The largest magnitude that an axis can show, in g; nil when unknown.
  public var rangeG: Double?

  /// A sensor at a place of the body. A range that is not above zero counts as unknown.
  public init(placement: Placement, rangeG: Double? = nil) {
    self.placement = placement
    self.rangeG = rangeG.flatMap { $0 > 0 ? $0 : nil }
  }
}

/// Where a device is worn.
public enum Placement: String, Sendable, Hashable, CaseIterable {
  /// At a belt, on the trunk or in a pocket of the trunk.
  case waist
  /// At a wrist, where daily movements are harder and posture says less.
  case wrist
  /// In a trouser pocket, where sitting down turns the device as lying down does.
  case pocket
}
