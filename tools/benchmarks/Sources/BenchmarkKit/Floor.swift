/// What is asked of a ratio or of a figure.
package enum Floor {
  case atLeast(Double)
  case above(Double)
  case atMost(Double)
  case below(Double)

  package func isKept(by value: Double) -> Bool {
    switch self {
    case .atLeast(let bound): value >= bound
    case .above(let bound): value > bound
    case .atMost(let bound): value <= bound
    case .below(let bound): value < bound
    }
  }

  /// How it is written in a table.
  package var text: String {
    switch self {
    case .atLeast(let bound): ">= \(Self.short(bound))"
    case .above(let bound): "> \(Self.short(bound))"
    case .atMost(let bound): "<= \(Self.short(bound))"
    case .below(let bound): "< \(Self.short(bound))"
    }
  }

  /// What was seen, and whether it is enough.
  package func cells(for value: Double) -> [String] {
    [value.formatted(decimals: 2), isKept(by: value) ? "kept" : "MISSED"]
  }

  private static func short(_ value: Double) -> String {
    value.formatted(decimals: value == value.rounded() ? 0 : 2)
  }
}
