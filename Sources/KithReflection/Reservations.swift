/// The numbers and names that a message or an enum keeps free, since something that is gone had
/// them.
public struct Reservations: Sendable, Equatable {
  /// The numbers.
  public var numbers: [ClosedRange<Int32>]
  /// The names.
  public var names: [String]

  /// Numbers and names; none unless told.
  public init(numbers: [ClosedRange<Int32>] = [], names: [String] = []) {
    self.numbers = numbers
    self.names = names
  }

  /// Whether both are kept free.
  func contains(_ number: Int32, _ name: String) -> Bool {
    names.contains(name) && numbers.contains { $0.contains(number) }
  }
}
