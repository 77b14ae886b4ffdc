import KithTime

/// What must hold of a property of the context.
struct Condition: Sendable, Equatable {
  /// Which side of a value is meant.
  enum Comparison: Sendable, Equatable {
    case equals, above, atLeast, below, atMost

    func holds<Value: Comparable>(_ found: Value, _ wanted: Value) -> Bool {
      switch self {
      case .equals: found == wanted
      case .above: found > wanted
      case .atLeast: found >= wanted
      case .below: found < wanted
      case .atMost: found <= wanted
      }
    }
  }

  /// What is asked of the property.
  enum Test: Sendable, Equatable {
    case isIn(Set<String>)
    case contains([String])
    case startsWith([String])
    case endsWith([String])
    case number(Comparison, Double)
    case version(Comparison, SemanticVersion)
    case time(Comparison, Instant)
  }

  let attribute: String
  let test: Test
  /// Whether the opposite must hold. What the context lacks holds of nothing, and so its opposite
  /// does.
  let isNegated: Bool
  /// Whether letters are compared without their case; the test's texts are in lower case then.
  let ignoresCase: Bool
  /// The operator's name, for explanations.
  let name: String

  func holds(_ context: FlagContext) -> Bool {
    holdsAsStated(context) != isNegated
  }

  private func holdsAsStated(_ context: FlagContext) -> Bool {
    if case .time(let comparison, let wanted) = test {
      if let text = context[attribute] {
        return Instant(text).map { comparison.holds($0, wanted) } ?? false
      }
      return attribute == FlagContext.time && comparison.holds(context.now, wanted)
    }
    guard var found = context[attribute] else { return false }
    if ignoresCase { found = found.lowercased() }
    switch test {
    case .isIn(let values): return values.contains(found)
    case .contains(let values): return values.contains { found.contains($0) }
    case .startsWith(let values): return values.contains { found.hasPrefix($0) }
    case .endsWith(let values): return values.contains { found.hasSuffix($0) }
    case .number(let comparison, let wanted):
      return Double(found).map { comparison.holds($0, wanted) } ?? false
    case .version(let comparison, let wanted):
      return SemanticVersion(found).map { comparison.holds($0, wanted) } ?? false
    case .time: return false
    }
  }
}
