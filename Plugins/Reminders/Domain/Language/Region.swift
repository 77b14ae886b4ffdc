/// Whose English it is, where that makes a difference to times.
public enum Region: String, Sendable, Hashable, CaseIterable {
  case unitedStates = "united_states"
  case canada, britain, australia

  /// Whether 2/3 is the second of March.
  var isDayFirst: Bool { self == .britain || self == .australia }
}
