public import KithRPC
public import RiskEngineDomain

/// What a product sets of the risk engine.
public struct RiskEngineSettings: Sendable, Hashable {
  /// The bands of the score.
  public let bands: Bands

  /// What ships.
  public static let standard = RiskEngineSettings(checked: .standard)

  /// Settings of the keys `label_medium` and `label_high`.
  ///
  /// - Throws: INVALID_ARGUMENT, naming the key, unless 0 < `medium` < `high` <= 1.
  public init(medium: Double, high: Double) throws(RPCError) {
    guard medium > 0, medium < 1 else {
      throw .invalidArgument(
        field: "configuration.label_medium",
        "it is \(medium), expected a number above 0 and below 1")
    }
    guard high > medium, high <= 1 else {
      throw .invalidArgument(
        field: "configuration.label_high",
        "it is \(high), expected a number above label_medium (\(medium)) and at most 1")
    }
    self.init(checked: Bands(medium: medium, high: high))
  }

  private init(checked bands: Bands) { self.bands = bands }
}
