/// Why a definition cannot be used, and where. It never repeats a value.
public struct FlagProblem: Error, Sendable, Hashable, CustomStringConvertible {
  /// The place in the definition: `rules[0].share`; empty for the whole.
  public var place: String
  /// What was expected.
  public var expected: String

  /// A problem.
  public init(_ place: String, _ expected: String) {
    (self.place, self.expected) = (place, expected)
  }

  /// `rules[0].share: expected a number from 0 to 1`.
  public var description: String { place.isEmpty ? expected : "\(place): \(expected)" }

  /// The problem seen from outside of a part.
  public func inside(_ part: String) -> FlagProblem {
    FlagProblem(place.isEmpty ? part : "\(part).\(place)", expected)
  }
}
