public import KithTime

/// For whom a flag is evaluated.
public struct FlagContext: Sendable {
  /// The name under which conditions and draws find the targeting key.
  public static let user = "user"
  /// The name under which conditions find the time.
  public static let time = "now"

  /// The person, device or session; may be empty.
  public var targetingKey: String
  /// What conditions look at besides.
  public var attributes: [String: String]
  /// What time it is.
  public var now: Instant

  /// A context.
  public init(targetingKey: String = "", attributes: [String: String] = [:], now: Instant) {
    self.targetingKey = targetingKey
    self.attributes = attributes
    self.now = now
  }

  /// A property by name.
  subscript(_ name: String) -> String? {
    if name == Self.user { return targetingKey.isEmpty ? nil : targetingKey }
    return attributes[name]
  }
}
