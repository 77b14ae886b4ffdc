/// What is done to a program of this machine that is locked. Each does more than the one before.
public enum Enforcement: String, Sendable, Hashable, CaseIterable {
  /// An event tells of it; it is stopped where it is; it is ended.
  case warn, freeze, end

  /// The stricter, the higher.
  var rank: Int {
    switch self {
    case .warn: 0
    case .freeze: 1
    case .end: 2
    }
  }
}
