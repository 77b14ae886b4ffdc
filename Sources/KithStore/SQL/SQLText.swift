/// A piece of SQL with its values: a condition, an order, a whole statement.
///
/// Every interpolated value is bound and never becomes part of the text:
///
///     var due: SQLText = "next_due_ms <= \(now)"
///     if let state { due = due && "state = \(state)" }
///     let rows = try transaction.records(Reminder.self, where: due, orderedBy: "next_due_ms, id", under: grant)
///
/// An interpolated collection becomes a list in parentheses: `"id IN \(ids)"`. Two more forms are
/// not bound: `\(name: column)` quotes the name of a table or column, and `\(literal: value)`
/// writes a constant into the text, as a partial index needs it. Write what SQLite and PostgreSQL
/// both run.
public struct SQLText: Sendable, Hashable {
  enum Part: Sendable, Hashable {
    case text(String)
    case name(String)
    case value(StoreValue)
    case literal(StoreValue)
    case list([StoreValue])
  }

  private(set) var parts: [Part]

  init(parts: [Part]) { self.parts = parts }

  /// Both pieces, one behind the other.
  public static func + (first: SQLText, second: SQLText) -> SQLText {
    SQLText(parts: first.parts + second.parts)
  }

  /// Appends a piece.
  public static func += (first: inout SQLText, second: SQLText) { first.parts += second.parts }

  /// The condition that both hold.
  public static func && (first: SQLText, second: SQLText) -> SQLText {
    "(\(first)) AND (\(second))"
  }

  /// The condition that one of them holds, or both.
  public static func || (first: SQLText, second: SQLText) -> SQLText {
    "(\(first)) OR (\(second))"
  }

  /// Pieces with commas between them.
  static func joined(_ pieces: [SQLText]) -> SQLText {
    SQLText(parts: Array(pieces.map(\.parts).joined(separator: [.text(", ")])))
  }

  /// The names of columns with commas between them, each with the same text behind it.
  static func names(_ names: [String], _ suffix: SQLText = "") -> SQLText {
    joined(names.map { "\(name: $0)\(suffix)" })
  }
}

extension SQLText: ExpressibleByStringInterpolation {
  /// A piece without values.
  public init(stringLiteral text: String) { parts = [.text(text)] }

  /// A piece with values.
  public init(stringInterpolation: StringInterpolation) { parts = stringInterpolation.parts }

  /// Takes the pieces of an interpolated text.
  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var parts: [Part] = []

    /// An interpolation with no pieces yet.
    public init(literalCapacity: Int, interpolationCount: Int) {
      parts.reserveCapacity(2 * interpolationCount + 1)
    }

    /// Appends text as it stands.
    public mutating func appendLiteral(_ text: String) {
      if !text.isEmpty { parts.append(.text(text)) }
    }

    /// Appends a value, which is bound.
    public mutating func appendInterpolation(_ value: some StoreConvertible) {
      parts.append(.value(value.storeValue))
    }

    /// Appends a value that may be NULL, which is bound.
    public mutating func appendInterpolation<Value: StoreConvertible>(_ value: Value?) {
      parts.append(.value(value.storeValue))
    }

    /// Appends a list of values in parentheses, which are bound. No value is in an empty list.
    public mutating func appendInterpolation<Value: StoreConvertible>(
      _ values: some Collection<Value>
    ) {
      parts.append(.list(values.map(\.storeValue)))
    }

    /// Appends another piece with its values.
    public mutating func appendInterpolation(_ text: SQLText) { parts += text.parts }

    /// Appends the quoted name of a table or column.
    public mutating func appendInterpolation(name: String) { parts.append(.name(name)) }

    /// Appends a constant that stands in the text itself. Never a value that came from outside.
    public mutating func appendInterpolation(literal value: some StoreConvertible) {
      parts.append(.literal(value.storeValue))
    }
  }
}
