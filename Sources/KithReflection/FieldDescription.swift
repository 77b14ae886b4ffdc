/// A field of a message.
public struct FieldDescription: Sendable, Equatable {
  /// How often a field has a value, and how its absence shows.
  public enum Cardinality: Sendable, Equatable {
    /// One value; the default value and absence are the same.
    case implicit
    /// At most one value; absence is told from the default value.
    case explicit
    /// Any number of values in order; `isPacked` says how this side writes numbers.
    case repeated(isPacked: Bool)
    /// Values by key. The field's `type` is the type of the values.
    case map(key: FieldType)
  }

  /// As in the proto file: `sender_is_contact`.
  public var name: String
  /// As in JSON: `senderIsContact`.
  public var jsonName: String
  /// The number on the wire.
  public var number: Int32
  /// The type of a value; of a list or map, of each of its values.
  public var type: FieldType
  /// How often it has a value.
  public var cardinality: Cardinality
  /// The oneof that it belongs to, if any.
  public var oneof: String?
  /// Whether its value is personal or secret: `(kith.sensitive)`.
  public var isSensitive: Bool
  /// What the service takes when the field is absent, as a person would write it:
  /// `(kith.default_value)`. Empty when the contract does not say.
  public var documentedDefault: String
  /// Whether its value stands by itself on the command line, without a flag: `(kith.positional)`.
  public var isPositional: Bool
  /// What a whole number counts: `(kith.unit)`; nil for a plain number.
  public var unit: Unit?
  /// Whether its bytes are a file on the command line: `(kith.file)`.
  public var isFile: Bool
  /// Whether its messages are shown as the rows of a table: `(kith.table)`.
  public var isTable: Bool
  /// Whether the contract says that it is no longer to be used.
  public var isDeprecated: Bool
  /// Whether a message without it is none: `required` of proto2.
  public var isRequired: Bool
  /// The comment above it in the proto file.
  public var documentation: String

  /// What a whole number counts.
  public enum Unit: String, Sendable, Hashable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    case instant = "instant_ms"
    /// Milliseconds.
    case duration = "duration_ms"
    /// Nanoseconds.
    case nanoseconds = "duration_ns"
  }

  /// Creates a description; `jsonName` follows from `name` unless told.
  public init(
    name: String, number: Int32, type: FieldType, cardinality: Cardinality = .implicit,
    jsonName: String? = nil, oneof: String? = nil, isSensitive: Bool = false,
    documentedDefault: String = "", isPositional: Bool = false, unit: Unit? = nil,
    isFile: Bool = false, isTable: Bool = false,
    isDeprecated: Bool = false,
    isRequired: Bool = false,
    documentation: String = ""
  ) {
    self.name = name
    self.jsonName = jsonName ?? ContractNames.lowerCamel(name)
    self.number = number
    self.type = type
    self.cardinality = cardinality
    self.oneof = oneof
    self.isSensitive = isSensitive
    self.documentedDefault = documentedDefault
    self.isPositional = isPositional
    self.unit = unit
    self.isFile = isFile
    self.isTable = isTable
    self.isDeprecated = isDeprecated
    self.isRequired = isRequired
    self.documentation = documentation
  }

  /// Whether it is a list or a map.
  public var holdsMany: Bool {
    switch cardinality {
    case .implicit, .explicit: false
    case .repeated, .map: true
    }
  }

  /// Whether it is a map.
  public var isMap: Bool {
    if case .map = cardinality { true } else { false }
  }
}
