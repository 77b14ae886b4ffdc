public import RiskEngineDomain

/// What a product sets of the risk engine.
public struct RiskEngineSettings: Sendable, Hashable {
  /// The bands of the score.
  public let bands: Bands

  /// What ships.
  public static let standard = RiskEngineSettings(checked: .standard)

  /// Settings of the keys `label_medium` and `label_high`.
  ///
  /// - Throws: `SettingsError` unless 0 < `medium` < `high` <= 1.
  public init(medium: Double, high: Double) throws(SettingsError) {
    guard medium > 0, medium < 1 else {
      throw SettingsError(
        description: "label_medium is \(medium), expected a number above 0 and below 1")
    }
    guard high > medium, high <= 1 else {
      throw SettingsError(
        description:
          "label_high is \(high), expected a number above label_medium (\(medium)) and at most 1")
    }
    self.init(checked: Bands(medium: medium, high: high))
  }

  private init(checked bands: Bands) { self.bands = bands }
}

/// Settings that the engine cannot work with.
public struct SettingsError: Error, Sendable, CustomStringConvertible {
  /// Which key, what it is, and what was expected.
  public var description: String
}
