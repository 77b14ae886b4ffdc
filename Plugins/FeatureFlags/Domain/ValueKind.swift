public import KithJSON

/// A kind of value, as OpenFeature tells them apart.
public enum ValueKind: Sendable, Hashable {
  /// Any value.
  case any
  /// true or false.
  case boolean
  /// A text.
  case string
  /// A whole number.
  case integer
  /// A number.
  case double
  /// An object.
  case object

  /// Whether a value is of this kind.
  public func admits(_ value: JSONValue) -> Bool {
    switch self {
    case .any: true
    case .boolean: value.boolValue != nil
    case .string: value.stringValue != nil
    case .integer: value.integerValue != nil
    case .double: value.doubleValue != nil
    case .object: value.objectValue != nil
    }
  }
}
