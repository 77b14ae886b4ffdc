package import KithReflection

/// A flag of a worker's verb: a field of the request, or a field of a message inside of it.
package struct RequestFlag: Equatable {
  /// What a value of the flag is.
  package enum Kind: Equatable {
    /// A text, which can also come from a file or standard input.
    case text
    /// Any bytes: base64, or from a file or standard input.
    case bytes
    /// Any bytes, by the name of the file that has them.
    case file
    /// A number, by the name of its type in the contract.
    case number(String)
    /// A moment in time, or a length of it.
    case time(FieldDescription.Unit)
    /// Yes or no: the flag alone means yes.
    case bool
    /// One of these names.
    case choice([String])
    /// A message as JSON.
    case message(String)
  }

  /// The name without the dashes: `sender-is-contact`, `span.start`.
  package let name: String
  /// The fields that lead to the value, the request's own first. Never empty.
  package let path: [FieldDescription]
  /// What a value is; of a list or map, each of its values.
  package let kind: Kind

  /// The field that holds the value.
  package var field: FieldDescription { path[path.count - 1] }

  /// Whether its value may stand by itself, without the flag.
  package var isPositional: Bool {
    path.count == 1 && field.isPositional && (kind == .text || kind == .file) && !field.holdsMany
  }

  /// Whether it may be given several times.
  package var isRepeatable: Bool { field.holdsMany }

  /// What stands behind the flag in a help text: `TEXT`, `KEY=NUMBER`; `nil` for a flag that needs
  /// nothing.
  package var valueName: String? {
    let value =
      switch kind {
      case .text: "TEXT"
      case .bytes: "BASE64"
      case .file: "FILE"
      case .number: "NUMBER"
      case .time(.instant): "TIME"
      case .time(.duration), .time(.nanoseconds): "DURATION"
      case .bool: field.holdsMany ? "true|false" : ""
      case .choice: ContractNames.upperSnake(field.type.name)
      case .message: "JSON"
      }
    if field.isMap { return "KEY=\(value)" }
    return value.isEmpty ? nil : value
  }
}

extension RequestFlag {
  /// How deep messages inside of messages become flags with dots; deeper ones are given as JSON.
  private static let maximumDepth = 3

  /// The flags of a request, in the order of its fields.
  package static func flags(
    of request: MessageTypeDescription, in contracts: ContractSet
  ) -> [RequestFlag] {
    flags(of: request, in: contracts, prefix: "", path: [], enclosing: [request.fullName])
  }

  private static func flags(
    of message: MessageTypeDescription, in contracts: ContractSet, prefix: String,
    path: [FieldDescription], enclosing: [String]
  ) -> [RequestFlag] {
    var flags: [RequestFlag] = []
    for field in message.fields {
      let short = field.nameWithoutUnit
      let isTaken = message.fields.contains { $0.name == short && $0.number != field.number }
      let name = prefix + ContractNames.kebab(isTaken ? field.name : short)
      let path = path + [field]
      flags.append(RequestFlag(name: name, path: path, kind: kind(of: field, in: contracts)))
      if case .message(let type) = field.type, !field.holdsMany, path.count < maximumDepth,
        !enclosing.contains(type), let inner = contracts.message(named: type)
      {
        flags += self.flags(
          of: inner, in: contracts, prefix: name + ".", path: path, enclosing: enclosing + [type])
      }
    }
    return flags
  }

  private static func kind(of field: FieldDescription, in contracts: ContractSet) -> Kind {
    if let unit = field.unit { return .time(unit) }
    switch field.type {
    case .string: return .text
    case .bytes: return field.isFile && !field.holdsMany ? .file : .bytes
    case .bool: return .bool
    case .message(let name): return .message(name)
    case .enumeration(let name):
      guard let type = contracts.enumeration(named: name) else { return .number("int32") }
      return .choice(type.values.map { type.shortName(of: $0) })
    default: return .number(field.type.name)
    }
  }
}

extension FieldDescription {
  /// `next_due` for `next_due_ms`, where the value is shown with its unit.
  package var nameWithoutUnit: String {
    unit != nil && (name.hasSuffix("_ms") || name.hasSuffix("_ns"))
      ? String(name.dropLast(3)) : name
  }
}
