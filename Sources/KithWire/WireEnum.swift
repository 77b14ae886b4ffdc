/// A protobuf enumeration: an open set of numbers, some of which have names.
///
/// A number that this version of the contract has no name for is kept and written again.
public protocol WireEnum: RawRepresentable<Int32>, Hashable, Sendable, CaseIterable,
  CustomStringConvertible
{
  /// The full name of the enumeration: `kith.risk.v1.Channel`.
  static var fullName: String { get }

  /// The value with this number, whether it has a name or not.
  init(rawValue: Int32)

  /// The name in the contract, `LIKELY_SCAM`; nil for a number without one.
  var name: String? { get }
}

extension WireEnum {
  /// The value with this name in the contract; nil when there is none.
  public init?(name: String) {
    guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
    self = value
  }

  /// The name in the contract, or the number of a value without one.
  public var description: String { name ?? String(rawValue) }
}
