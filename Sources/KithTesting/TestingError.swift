/// Why a product under test could not be driven, or what was found wrong with it at the end.
public struct TestingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong, for people.
  public var description: String

  /// An error with its text.
  public init(_ description: String) {
    self.description = description
  }
}
