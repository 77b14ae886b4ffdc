/// Writes contracts as proto files read: declarations with their comments above them.
public struct ContractPrinter: Sendable {
  /// The contracts.
  public let contracts: ContractSet
  private let width: Int

  /// A printer; comments are broken at `width` columns.
  public init(_ contracts: ContractSet, width: Int = 80) {
    self.contracts = contracts
    self.width = width
  }

  /// A service with its methods.
  public func text(of service: ServiceDescription) -> String {
    var lines = comment(service.documentation, indentation: "")
    lines.append("service \(service.name) {")
    for (position, method) in service.methods.enumerated() {
      if position > 0 { lines.append("") }
      lines += declaration(of: method, indentation: "  ")
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  /// A method with its request, its response and every type that these use.
  public func text(of method: MethodDescription) -> String {
    var parts = [declaration(of: method, indentation: "").joined(separator: "\n")]
    for type in types(usedBy: [method.requestType, method.responseType]) {
      if let message = contracts.message(named: type) {
        parts.append(text(of: message))
      } else if let enumeration = contracts.enumeration(named: type) {
        parts.append(text(of: enumeration))
      }
    }
    return parts.joined(separator: "\n\n")
  }

  /// A message with its fields.
  public func text(of message: MessageTypeDescription) -> String {
    var lines = comment(message.documentation, indentation: "")
    guard !message.fields.isEmpty else {
      lines.append("message \(message.name) {}")
      return lines.joined(separator: "\n")
    }
    lines.append("message \(message.name) {")
    var written: Set<String> = []
    for (position, field) in message.fields.enumerated() {
      guard let oneof = field.oneof else {
        if position > 0 { lines.append("") }
        lines += declaration(of: field, indentation: "  ")
        continue
      }
      guard written.insert(oneof).inserted else { continue }
      if position > 0 { lines.append("") }
      let documentation = message.oneofs.first { $0.name == oneof }?.documentation ?? ""
      lines += comment(documentation, indentation: "  ")
      lines.append("  oneof \(oneof) {")
      for member in message.fields where member.oneof == oneof {
        lines += declaration(of: member, indentation: "    ")
      }
      lines.append("  }")
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  /// An enum with its values.
  public func text(of enumeration: EnumDescription) -> String {
    var lines = comment(enumeration.documentation, indentation: "")
    lines.append("enum \(enumeration.name) {")
    for value in enumeration.values {
      lines += comment(value.documentation, indentation: "  ")
      lines.append("  \(value.name) = \(value.number);")
    }
    lines.append("}")
    return lines.joined(separator: "\n")
  }

  // MARK: Parts

  private func declaration(of method: MethodDescription, indentation: String) -> [String] {
    let lines = comment(method.documentation, indentation: indentation)
    let request = stream(method.isClientStreaming) + ContractNames.last(of: method.requestType)
    let response = stream(method.isServerStreaming) + ContractNames.last(of: method.responseType)
    let head = "\(indentation)rpc \(method.name)(\(request)) returns (\(response))"
    var options: [String] = []
    if !method.verb.isEmpty { options.append("(kith.verb) = \"\(method.verb)\"") }
    if let use = method.entitlement {
      options.append("(kith.entitlement) = { \(Self.text(of: use)) }")
    }
    switch method.idempotency {
    case .unknown: break
    case .noSideEffects: options.append("idempotency_level = NO_SIDE_EFFECTS")
    case .idempotent: options.append("idempotency_level = IDEMPOTENT")
    }
    guard !options.isEmpty else { return lines + ["\(head);"] }
    return lines + ["\(head) {"] + options.map { "\(indentation)  option \($0);" }
      + ["\(indentation)}"]
  }

  private static func text(of use: MethodDescription.Entitlement) -> String {
    var parts = ["feature: \"\(use.feature)\""]
    if !use.quota.isEmpty { parts.append("quota: \"\(use.quota)\"") }
    if use.cost > 1 { parts.append("cost: \(use.cost)") }
    if use.isSafety { parts.append("safety: true") }
    return parts.joined(separator: ", ")
  }

  private func stream(_ isStreaming: Bool) -> String { isStreaming ? "stream " : "" }

  private func declaration(of field: FieldDescription, indentation: String) -> [String] {
    var options: [String] = []
    if field.isSensitive { options.append("(kith.sensitive) = true") }
    if !field.documentedDefault.isEmpty {
      options.append("(kith.default_value) = \"\(field.documentedDefault)\"")
    }
    if field.isPositional { options.append("(kith.positional) = true") }
    if let unit = field.unit { options.append("(kith.unit) = \"\(unit.rawValue)\"") }
    if field.isFile { options.append("(kith.file) = true") }
    if field.isTable { options.append("(kith.table) = true") }
    if field.isDeprecated { options.append("deprecated = true") }
    let tail = options.isEmpty ? "" : " [\(options.joined(separator: ", "))]"
    return comment(field.documentation, indentation: indentation)
      + ["\(indentation)\(typeText(of: field)) \(field.name) = \(field.number)\(tail);"]
  }

  private func typeText(of field: FieldDescription) -> String {
    switch field.cardinality {
    case .implicit: return field.type.name
    case .explicit:
      if case .message = field.type { return field.type.name }
      return field.oneof == nil ? "optional \(field.type.name)" : field.type.name
    case .repeated: return "repeated \(field.type.name)"
    case .map(let key): return "map<\(key.name), \(field.type.name)>"
    }
  }

  private func comment(_ text: String, indentation: String) -> [String] {
    guard !text.isEmpty else { return [] }
    let prefix = "\(indentation)// "
    return Prose.wrapped(text, width: width - prefix.count).map {
      $0.isEmpty ? "\(indentation)//" : prefix + $0
    }
  }

  /// The full names of the types that these use, themselves included, each once, users before what
  /// they use.
  private func types(usedBy roots: [String]) -> [String] {
    var found: [String] = []
    var seen: Set<String> = []
    var waiting = roots[...]
    while let name = waiting.popFirst() {
      guard seen.insert(name).inserted else { continue }
      found.append(name)
      for field in contracts.message(named: name)?.fields ?? [] {
        switch field.type {
        case .message(let type), .enumeration(let type): waiting.append(type)
        default: break
        }
      }
    }
    return found
  }
}
