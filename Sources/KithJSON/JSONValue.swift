/// A JSON value: what a manifest's configuration, a call on the command line and `--json` output
/// are made of.
///
/// Whole numbers keep their exact value: one that fits is an `integer`, one above `Int64.max` is
/// `unsigned`, and only what has a fraction or an exponent, or fits neither, is a `number`. An
/// object keeps the order of its members, so that the same value is always written as the same
/// text.
public enum JSONValue: Sendable, Equatable {
  /// `null`.
  case null
  /// `true` or `false`.
  case bool(Bool)
  /// A whole number from `Int64.min` to `Int64.max`.
  case integer(Int64)
  /// A whole number above `Int64.max`; smaller ones are read as `integer`.
  case unsigned(UInt64)
  /// A number with a fraction or an exponent. One that is not finite cannot be JSON and is written
  /// as `null`.
  case number(Double)
  /// A text; always valid Unicode.
  case string(String)
  /// Values in order.
  case array([JSONValue])
  /// Named values in order, each name once.
  case object(JSONObject)
}

extension JSONValue {
  /// A whole number in its one right case: `integer` where it fits, else `unsigned`.
  public init(_ value: UInt64) {
    if let signed = Int64(exactly: value) {
      self = .integer(signed)
    } else {
      self = .unsigned(value)
    }
  }

  /// The value when it is `true` or `false`.
  public var boolValue: Bool? {
    if case .bool(let value) = self { value } else { nil }
  }

  /// The value when it is a whole number that fits; a `number` without a fraction (`3.0`, `1e3`)
  /// counts as whole.
  public var integerValue: Int64? {
    switch self {
    case .integer(let value): value
    case .unsigned(let value): Int64(exactly: value)
    case .number(let value): Int64(exactly: value)
    default: nil
    }
  }

  /// The value when it is a whole number from zero on that fits.
  public var unsignedValue: UInt64? {
    switch self {
    case .integer(let value): UInt64(exactly: value)
    case .unsigned(let value): value
    case .number(let value): UInt64(exactly: value)
    default: nil
    }
  }

  /// The value when it is any number; a whole number above 2^53 is rounded to the nearest double.
  public var doubleValue: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }

  /// The value when it is a text.
  public var stringValue: String? {
    if case .string(let value) = self { value } else { nil }
  }

  /// The values when it is an array.
  public var arrayValue: [JSONValue]? {
    if case .array(let value) = self { value } else { nil }
  }

  /// The members when it is an object.
  public var objectValue: JSONObject? {
    if case .object(let value) = self { value } else { nil }
  }

  /// Whether it is `null`.
  public var isNull: Bool { self == .null }

  /// The member of that name when it is an object that has one.
  public subscript(name: String) -> JSONValue? {
    objectValue?[name]
  }

  /// What kind of value it is, for an error: `a text`, `a whole number`, `an object`.
  public var kindDescription: String {
    switch self {
    case .null: "null"
    case .bool: "true or false"
    case .integer, .unsigned: "a whole number"
    case .number: "a number"
    case .string: "a text"
    case .array: "a list"
    case .object: "an object"
    }
  }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral,
  ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral, ExpressibleByStringLiteral,
  ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// `null`.
  public init(nilLiteral: ()) { self = .null }
  /// `true` or `false`.
  public init(booleanLiteral value: Bool) { self = .bool(value) }
  /// A whole number.
  public init(integerLiteral value: Int64) { self = .integer(value) }
  /// A number with a fraction.
  public init(floatLiteral value: Double) { self = .number(value) }
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }
  /// Values in order.
  public init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
  /// Named values in order; of a name given twice the last value stands.
  public init(dictionaryLiteral elements: (String, JSONValue)...) {
    self = .object(JSONObject(elements))
  }
}

extension JSONValue: CustomStringConvertible {
  /// The value as one line of JSON.
  public var description: String { text() }
}
