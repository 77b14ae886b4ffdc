/// A message whose contract is known only at run time.
public struct DynamicMessage: Sendable, Equatable {
  /// A field that has a value.
  public struct Field: Sendable, Equatable {
    /// Which field.
    public let description: FieldDescription
    /// Its value.
    public let value: DynamicValue
  }

  /// What kind of message it is.
  public let type: MessageTypeDescription
  /// The fields that have a value, by number. A list or map is never empty here, and a field
  /// without presence never holds its default.
  public private(set) var fields: [Field] = []
  /// How many fields of the encoded message the contract does not know.
  public internal(set) var unknownFieldCount = 0

  /// A message without values.
  public init(_ type: MessageTypeDescription) {
    self.type = type
  }

  /// The value of a field; `nil` when it has none. Setting a member of a oneof clears the others.
  public subscript(field: FieldDescription) -> DynamicValue? {
    get { fields.first { $0.description.number == field.number }?.value }
    set {
      if newValue != nil, let oneof = field.oneof {
        fields.removeAll { $0.description.oneof == oneof }
      }
      let position = fields.firstIndex { $0.description.number >= field.number } ?? fields.count
      if position < fields.count, fields[position].description.number == field.number {
        fields.remove(at: position)
      }
      guard let newValue, !(newValue.isDefault && field.cardinality == .implicit),
        !(field.holdsMany && newValue.isEmptyCollection)
      else { return }
      fields.insert(Field(description: field, value: newValue), at: position)
    }
  }

  /// The value of the field of that name.
  public subscript(name: String) -> DynamicValue? {
    type.field(named: name).flatMap { self[$0] }
  }
}
