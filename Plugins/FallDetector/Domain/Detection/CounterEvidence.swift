/// Something that speaks against a fall.
public struct CounterEvidence: Sendable, Hashable {
  /// What.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// A long free fall, then the stillness of a thing.
    case deviceDrop = "device_drop"
    /// Steps after the impact.
    case gait
    /// The shaking of a vehicle before and after the impact.
    case vehicle
    /// The softness of sitting or lying down.
    case sittingDown = "sitting_down"
    /// Movement after the impact, or the same posture as before.
    case recovery
  }

  /// What.
  public var kind: Kind
  /// What was measured, in the unit that `reason` names.
  public var value: Double
  /// What it takes from the score, in log-odds.
  public var weight: Double
  /// The same in plain words.
  public var reason: String

  /// Evidence against a fall.
  public init(kind: Kind, value: Double, weight: Double, reason: String) {
    self.kind = kind
    self.value = value
    self.weight = weight
    self.reason = reason
  }
}
