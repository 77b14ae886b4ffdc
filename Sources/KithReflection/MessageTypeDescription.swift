/// A message of a contract and the fields that it has.
public struct MessageTypeDescription: Sendable, Equatable {
  /// A group of fields of which at most one is set.
  public struct Oneof: Sendable, Equatable {
    /// `target`.
    public var name: String
    /// The comment above it in the proto file.
    public var documentation: String

    /// Creates a description.
    public init(name: String, documentation: String = "") {
      self.name = name
      self.documentation = documentation
    }
  }

  /// `kith.risk.v1.AnalyzeRequest`.
  public var fullName: String
  /// The fields in the order of the proto file.
  public var fields: [FieldDescription]
  /// The oneofs, those apart that proto3 `optional` makes.
  public var oneofs: [Oneof]
  /// What no field may use any more, since one that is gone did.
  public var reserved: Reservations
  /// The comment above it in the proto file.
  public var documentation: String
  /// The proto file that declares it.
  public var file: String

  /// Creates a description.
  public init(
    fullName: String, fields: [FieldDescription], oneofs: [Oneof] = [],
    reserved: Reservations = Reservations(), documentation: String = "", file: String = ""
  ) {
    self.fullName = fullName
    self.fields = fields
    self.oneofs = oneofs
    self.reserved = reserved
    self.documentation = documentation
    self.file = file
  }

  /// The name without its package: `AnalyzeRequest`.
  public var name: String { ContractNames.last(of: fullName) }

  /// Whether the number and the name of a field that is not there may not be used any more.
  func isReserved(_ field: FieldDescription) -> Bool {
    reserved.contains(field.number, field.name)
  }

  /// The field with that number.
  public func field(number: Int32) -> FieldDescription? {
    fields.first { $0.number == number }
  }

  /// The field of that name, as it stands in the proto file or as in JSON.
  public func field(named name: String) -> FieldDescription? {
    fields.first { $0.name == name || $0.jsonName == name }
  }
}
