/// An enum of a contract. Enums are open: a number without a name is kept.
public struct EnumDescription: Sendable, Equatable {
  /// A named number.
  public struct Value: Sendable, Equatable {
    /// As in the proto file: `LIKELY_SCAM`.
    public var name: String
    /// The number on the wire.
    public var number: Int32
    /// The comment above it in the proto file.
    public var documentation: String

    /// Creates a description.
    public init(name: String, number: Int32, documentation: String = "") {
      self.name = name
      self.number = number
      self.documentation = documentation
    }
  }

  /// `kith.risk.v1.Channel`.
  public var fullName: String
  /// The values in the order of the proto file.
  public var values: [Value]
  /// What no value may use any more, since one that is gone did.
  public var reserved: Reservations
  /// The comment above it in the proto file.
  public var documentation: String
  /// The proto file that declares it.
  public var file: String

  /// Creates a description.
  public init(
    fullName: String, values: [Value], reserved: Reservations = Reservations(),
    documentation: String = "", file: String = ""
  ) {
    self.fullName = fullName
    self.values = values
    self.reserved = reserved
    self.documentation = documentation
    self.file = file
  }

  /// The name without its package: `Channel`.
  public var name: String { ContractNames.last(of: fullName) }

  /// Whether the number and the name of a value that is not there may not be used any more.
  func isReserved(_ value: Value) -> Bool {
    reserved.contains(value.number, value.name)
  }

  /// The value of that name.
  public func value(named name: String) -> Value? {
    values.first { $0.name == name }
  }

  /// The first value with that number.
  public func value(number: Int32) -> Value? {
    values.first { $0.number == number }
  }

  /// A value's name as a person types it: without the enum's own name in front, `likely-scam`.
  public func shortName(of value: Value) -> String {
    ContractNames.kebab(withoutPrefix(value.name))
  }

  /// A value's name in plain words: `likely scam`.
  public func words(for value: Value) -> String {
    String(shortName(of: value).map { $0 == "-" ? " " : $0 })
  }

  private func withoutPrefix(_ name: String) -> String {
    let prefix = ContractNames.upperSnake(self.name) + "_"
    return name.hasPrefix(prefix) && name.count > prefix.count
      ? String(name.dropFirst(prefix.count)) : name
  }
}
