/// The text of a message for people:
/// `kith.risk.v1.AnalyzeRequest(text: <sensitive>, channel: SMS)`.
public struct MessageDescription {
  private var text: String
  private var isFirst = true

  init(_ name: String) { text = "\(name)(" }

  /// Adds a field.
  public mutating func add(_ name: StaticString, _ value: some Any) {
    add(name, text: String(describing: value))
  }

  /// Adds a text in quotes.
  public mutating func add(_ name: StaticString, _ value: String) {
    add(name, text: value.debugDescription)
  }

  /// Adds bytes by their number: they may be a secret, and nobody reads them.
  public mutating func add(_ name: StaticString, _ value: [UInt8]) {
    add(name, text: "<\(value.count) bytes>")
  }

  /// Adds the values of a repeated field.
  public mutating func add(_ name: StaticString, _ values: [some Any]) {
    add(name, text: "[\(values.map(Self.element).joined(separator: ", "))]")
  }

  /// Adds the entries of a map, in the order of their keys.
  public mutating func add<Key: Hashable & LosslessStringConvertible>(
    _ name: StaticString, _ values: [Key: some Any]
  ) {
    let entries = values.map { "\($0.key): \(Self.element($0.value))" }.sorted()
    add(name, text: "[\(entries.joined(separator: ", "))]")
  }

  /// Adds a field whose value is nobody's business.
  public mutating func addSensitive(_ name: StaticString) {
    add(name, text: "<sensitive>")
  }

  /// Adds how many bytes of fields the contract does not name.
  public mutating func add(_ unknownFields: UnknownFields) {
    if !unknownFields.isEmpty { add("unknown fields", unknownFields.bytes) }
  }

  private mutating func add(_ name: StaticString, text value: String) {
    text += isFirst ? "\(name): \(value)" : ", \(name): \(value)"
    isFirst = false
  }

  private static func element(_ value: some Any) -> String {
    switch value {
    case let text as String: text.debugDescription
    case let bytes as [UInt8]: "<\(bytes.count) bytes>"
    default: String(describing: value)
    }
  }

  var finished: String { text + ")" }
}
