/// What callers ask for and only one of them does at a time.
struct ExclusiveOperations {
  enum Operation: Hashable {
    /// The clocks of virtual time are moved.
    case moveClock
    /// A changed manifest is applied.
    case applyManifest
    /// Processes are handed their keys: none may be handed older keys after newer ones.
    case handOverKeys
  }

  private var inProgress: Set<Operation> = []

  /// Begins an operation; false when another caller is doing it. A caller that got true calls
  /// `end`.
  mutating func begin(_ operation: Operation) -> Bool { inProgress.insert(operation).inserted }

  /// Ends an operation that was begun.
  mutating func end(_ operation: Operation) { inProgress.remove(operation) }

  /// Whether somebody is doing it.
  func contains(_ operation: Operation) -> Bool { inProgress.contains(operation) }
}
