extension JSONValue {
  /// The value as JSON: always the same text for the same value.
  ///
  /// Doubles are written with the fewest digits that read back as the same double. Control
  /// characters, also those that could steer a terminal, are escaped.
  /// - Parameters:
  ///   - pretty: one member or element a line, indented by two spaces; else all on one line.
  ///   - sorted: members by name (in order of UTF-8) rather than in the order in which they were
  ///     added.
  public func text(pretty: Bool = false, sorted: Bool = false) -> String {
    var writer = JSONWriter(pretty: pretty, sorted: sorted)
    writer.write(self, indentation: 0)
    return writer.text
  }
}

struct JSONWriter {
  let pretty: Bool
  let sorted: Bool
  private(set) var text = ""

  init(pretty: Bool, sorted: Bool) {
    self.pretty = pretty
    self.sorted = sorted
  }

  mutating func write(_ value: JSONValue, indentation: Int) {
    switch value {
    case .null: text += "null"
    case .bool(let value): text += value ? "true" : "false"
    case .integer(let value): text += String(value)
    case .unsigned(let value): text += String(value)
    case .number(let value): text += value.isFinite ? value.description : "null"
    case .string(let value): write(string: value)
    case .array(let values):
      writeItems(values, open: "[", close: "]", indentation: indentation) { writer, value in
        writer.write(value, indentation: indentation + 1)
      }
    case .object(let object):
      let members =
        sorted
        ? object.members.sorted { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) }
        : object.members
      writeItems(members, open: "{", close: "}", indentation: indentation) { writer, member in
        writer.write(string: member.name)
        writer.text += writer.pretty ? ": " : ":"
        writer.write(member.value, indentation: indentation + 1)
      }
    }
  }

  private mutating func writeItems<Item>(
    _ items: [Item], open: String, close: String, indentation: Int,
    _ writeItem: (inout JSONWriter, Item) -> Void
  ) {
    text += open
    for (position, item) in items.enumerated() {
      if position > 0 { text += "," }
      breakLine(indentation + 1)
      writeItem(&self, item)
    }
    if !items.isEmpty { breakLine(indentation) }
    text += close
  }

  private mutating func breakLine(_ indentation: Int) {
    guard pretty else { return }
    text += "\n"
    text += String(repeating: "  ", count: indentation)
  }

  private mutating func write(string: String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case "\n": text += "\\n"
      case "\r": text += "\\r"
      case "\t": text += "\\t"
      case "\u{0}"..<" ", "\u{7f}"..."\u{9f}":
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }
}
