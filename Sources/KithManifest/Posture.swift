/// What a product keeps of the people it looks after.
public enum Posture: String, Sendable, Hashable, CaseIterable {
  /// Nothing: workers hold what they need in memory and have no state folder. The default.
  case ephemeral
  /// What the person wants kept, sealed, in a state folder of each worker.
  case personal
}
