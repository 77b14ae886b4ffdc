package import KithReflection
import KithTime
package import KithTerminal

/// Writes any message for a person: names beside values, messages inside of messages indented,
/// enums in plain words, numbers with as many digits as are of use. What is empty is left out.
///
/// A message `Span` of `start` and `end` is shown with the words that it covers when the request
/// had a `text`, as the contracts of Kith count it: in bytes of UTF-8.
package struct MessageRenderer {
  /// Where the types of the messages are.
  package let contracts: ContractSet
  /// What it is shown on.
  package let terminal: Terminal
  /// The text that spans of the answer point into.
  package var spannedText: String?

  /// A renderer of the answer to a request.
  package init(
    _ contracts: ContractSet, terminal: Terminal, answering request: DynamicMessage? = nil
  ) {
    self.contracts = contracts
    self.terminal = terminal
    if case .string(let text)? = request?["text"] { spannedText = text }
  }

  /// The message as lines; one that says so when there is nothing in it.
  package func lines(_ message: DynamicMessage) -> [String] {
    let lines = block(message, width: terminal.width)
    return lines.isEmpty ? ["done"] : lines
  }

  // MARK: Messages

  private func block(_ message: DynamicMessage, width: Int) -> [String] {
    let shown = message.type.fields.compactMap { field in
      content(of: field, in: message).map { (label: label(of: field), content: $0) }
    }
    let column =
      shown.filter { $0.content.isInline }.map { TextWidth.columns($0.label) }.max() ?? 0
    return shown.flatMap { label, content in
      self.lines(label: label, content, column: column, width: width)
    }
  }

  /// What stands behind or below a label.
  private enum Content {
    /// Text behind the label; its lines are broken to fit.
    case inline([String])
    /// Named values below the label.
    case rows([(label: String, text: [String])])
    /// A message below the label.
    case message(DynamicMessage)
    /// Messages below the label, numbered.
    case messages([DynamicMessage])
    /// Messages below the label, as the rows of a table.
    case table(Table)
    /// Messages below the label, by key.
    case keyed([(key: String, message: DynamicMessage)])

    var isInline: Bool {
      if case .inline = self { true } else { false }
    }
  }

  private func content(of field: FieldDescription, in message: DynamicMessage) -> Content? {
    guard let value = message[field] else {
      // A number or a yes-or-no without presence says something also at its default.
      guard field.cardinality == .implicit, let value = DynamicValue.defaultValue(of: field.type)
      else { return nil }
      switch value {
      case .bool, .signed, .unsigned, .float, .double: return .inline(scalar(value, field))
      default: return nil
      }
    }
    switch value {
    case .message(let inner):
      return compact(inner).map { .inline([$0]) } ?? .message(inner)
    case .list(let values): return list(values, field)
    case .map(let entries): return map(entries, field)
    default:
      let text = scalar(value, field)
      return text.isEmpty ? nil : .inline(text)
    }
  }

  private func list(_ values: [DynamicValue], _ field: FieldDescription) -> Content {
    let messages = values.compactMap { value in
      if case .message(let message) = value { message } else { nil }
    }
    guard messages.isEmpty else {
      if field.isTable, let table = table(messages) { return .table(table) }
      let compacts = messages.compactMap(compact)
      return compacts.count == messages.count ? .inline(compacts) : .messages(messages)
    }
    let texts = values.map { scalar($0, field).joined(separator: " ") }
    let joined = texts.joined(separator: ", ")
    let longest = 60
    return .inline(
      TextWidth.columns(joined) <= longest || isNumeric(field.type) ? [joined] : texts)
  }

  /// Messages as rows, a column for each field that has a value in one of them.
  private func table(_ messages: [DynamicMessage]) -> Table? {
    guard let type = messages.first?.type else { return nil }
    let columns = type.fields.compactMap { field in
      let cells = messages.map { message in
        let value =
          message[field]
          ?? (field.cardinality == .implicit ? DynamicValue.defaultValue(of: field.type) : nil)
        return value.map { scalar($0, field).joined(separator: " ") } ?? ""
      }
      return cells.allSatisfy(\.isEmpty) ? nil : (field: field, cells: cells)
    }
    return Table(
      columns: columns.map {
        .init(title: label(of: $0.field), isNumeric: isNumeric($0.field.type))
      },
      rows: messages.indices.map { row in .init(cells: columns.map { .init($0.cells[row]) }) })
  }

  private func map(_ entries: [DynamicValue.Entry], _ field: FieldDescription) -> Content {
    let sorted = entries.map { (key: SafeText.line($0.key.mapKeyText), value: $0.value) }
      .sorted { $0.key < $1.key }
    let messages = sorted.compactMap { entry in
      if case .message(let message) = entry.value { (entry.key, message) } else { nil }
    }
    guard messages.isEmpty else { return .keyed(messages) }
    return .rows(sorted.map { ($0.key, scalar($0.value, field)) })
  }

  private func isNumeric(_ type: FieldType) -> Bool {
    switch type {
    case .string, .bytes, .message, .enumeration, .bool: false
    default: true
    }
  }

  // MARK: Lines

  private func lines(
    label: String, _ content: Content, column: Int, width: Int
  ) -> [String] {
    let heading = terminal.text(label, .faint)
    switch content {
    case .inline(let texts):
      return beside(label, texts, column: column, width: width)
    case .rows(let rows):
      let column = rows.map { TextWidth.columns($0.label) }.max() ?? 0
      return [heading]
        + rows.flatMap { row in
          indented(beside(row.label, row.text, column: column, width: width - 2), by: "  ")
        }
    case .message(let message):
      return [heading] + indented(block(message, width: width - 2), by: "  ")
    case .messages(let messages):
      return [heading]
        + messages.enumerated().flatMap { position, message in
          item("\(position + 1).", message, width: width)
        }
    case .table(let table):
      var narrower = terminal
      narrower.width = width - 2
      return [heading] + indented(table.lines(narrower), by: "  ")
    case .keyed(let entries):
      return [heading]
        + entries.flatMap { key, message in
          ["  " + terminal.text(key, .faint)]
            + indented(block(message, width: width - 4), by: "    ")
        }
    }
  }

  /// A message of a list behind its number.
  private func item(_ number: String, _ message: DynamicMessage, width: Int) -> [String] {
    let indentation = 2 + max(number.count, 2) + 1
    let lines = block(message, width: width - indentation)
    let first = "  " + TextWidth.padded(number, to: indentation - 2)
    guard let head = lines.first else { return [first + "-"] }
    return [first + head]
      + indented(Array(lines.dropFirst()), by: String(repeating: " ", count: indentation))
  }

  /// A label with text beside it; lines that do not fit are broken and stand below each other.
  private func beside(
    _ label: String, _ texts: [String], column: Int, width: Int
  ) -> [String] {
    let indentation = column + 2
    let available = max(width - indentation, 20)
    let lines = texts.flatMap { TextWidth.wrapped($0, width: available) }
    let padding = String(repeating: " ", count: indentation - TextWidth.columns(label))
    return lines.enumerated().map { position, line in
      position == 0
        ? terminal.text(label, .faint) + padding + line
        : String(repeating: " ", count: indentation) + line
    }
  }

  private func indented(_ lines: [String], by indentation: String) -> [String] {
    lines.map { indentation + $0 }
  }

  private func label(of field: FieldDescription) -> String {
    String(field.nameWithoutUnit.map { $0 == "_" ? " " : $0 })
  }

  // MARK: Values

  /// A value as lines of text; none for what is empty.
  private func scalar(_ value: DynamicValue, _ field: FieldDescription) -> [String] {
    switch value {
    case .bool(let value): [value ? "yes" : "no"]
    case .signed(let value): [number(value, field)]
    case .unsigned(let value):
      [Int64(exactly: value).map { number($0, field) } ?? String(value)]
    case .float(let value): [Quantities.real(Double(value.description) ?? Double(value))]
    case .double(let value): [Quantities.real(value)]
    case .string(let value): value.isEmpty ? [] : SafeText.lines(value)
    case .bytes(let value): value.isEmpty ? [] : [bytes(value)]
    case .enumeration(let number): words(number, field.type).map { [$0] } ?? []
    case .message, .list, .map: []
    }
  }

  private func number(_ value: Int64, _ field: FieldDescription) -> String {
    switch field.unit {
    case .instant: "\(Instant(milliseconds: Int(value)))"
    case .duration: Quantities.elapsed(milliseconds: value)
    case .nanoseconds: "\(Quantities.decimals(Double(value) / 1e9, 3)) s"
    case nil: String(value)
    }
  }

  private func bytes(_ bytes: [UInt8]) -> String {
    let longest = 32
    return bytes.count <= longest
      ? Base64.encode(bytes) : "\(Quantities.bytes(UInt64(bytes.count))), base64 with --json"
  }

  /// A value of an enum in plain words; `nil` for the one that stands for nothing.
  private func words(_ number: Int32, _ type: FieldType) -> String? {
    guard case .enumeration(let name) = type, let type = contracts.enumeration(named: name) else {
      return String(number)
    }
    guard let value = type.value(number: number) else { return "\(number) (not known here)" }
    let words = type.words(for: value)
    return number == 0 && words == "unspecified" ? nil : words
  }

  /// A span on one line.
  private func compact(_ message: DynamicMessage) -> String? {
    guard message.type.name == "Span", message.type.fields.map(\.name) == ["start", "end"],
      message.type.fields.allSatisfy({ $0.type == .uint32 && $0.cardinality == .implicit })
    else { return nil }
    func number(_ name: String) -> Int {
      if case .unsigned(let value)? = message[name] { Int(value) } else { 0 }
    }
    let (start, end) = (number("start"), number("end"))
    guard let words = spannedText.flatMap({ Self.words($0, from: start, to: end) }) else {
      return "bytes \(start) to \(end)"
    }
    return "\"\(words)\" (bytes \(start) to \(end))"
  }

  /// The words of a text that a span covers, shortened in the middle; `nil` when the span does not
  /// fit the text.
  private static func words(_ text: String, from start: Int, to end: Int) -> String? {
    let utf8 = Array(text.utf8)
    guard start < end, end <= utf8.count,
      let words = String(validating: utf8[start..<end], as: UTF8.self)
    else { return nil }
    let line = SafeText.line(words)
    let longest = 60
    guard line.count > longest else { return line }
    return "\(line.prefix(longest / 2)) ... \(line.suffix(longest / 2 - 5))"
  }
}
