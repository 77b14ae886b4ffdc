import KithJSON
import KithTime

/// Reads the members of a statement by their names, with bounds.
struct StatementFields {
  private static let longest = 4096
  /// From 2001 to 2286: nothing that a store says is of another time.
  private static let times = 1_000_000_000_000...9_999_999_999_999

  let object: JSONValue

  init(_ value: JSONValue?) throws(StatementProblem) {
    guard let value, value.objectValue != nil else {
      throw StatementProblem(.malformed, "expected an object")
    }
    object = value
  }

  /// A text that must be there.
  func text(_ name: String) throws(StatementProblem) -> String {
    guard let text = optionalText(name) else {
      throw StatementProblem(.malformed, "\(name): expected a text")
    }
    return text
  }

  /// A text; nil where there is none.
  func optionalText(_ name: String) -> String? {
    guard let text = object[name]?.stringValue, !text.isEmpty, text.utf8.count <= Self.longest
    else { return nil }
    return text
  }

  /// A text or a number that names something.
  func name(_ name: String) throws(StatementProblem) -> String {
    if let number = object[name]?.integerValue { return "\(number)" }
    return try text(name)
  }

  /// A moment in milliseconds, as a number or as a text; nil where there is none.
  func moment(_ name: String) throws(StatementProblem) -> Instant? {
    guard let value = object[name], !value.isNull else { return nil }
    let number = value.integerValue ?? value.stringValue.flatMap { Int64($0) }
    guard let number, Self.times.contains(Int(number)) else {
      throw StatementProblem(.malformed, "\(name): expected milliseconds since 1970")
    }
    return Instant(milliseconds: Int(number))
  }

  /// A moment in seconds; nil where there is none.
  func seconds(_ name: String) throws(StatementProblem) -> Instant? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let number = value.integerValue, (1_000_000_000...9_999_999_999).contains(number) else {
      throw StatementProblem(.malformed, "\(name): expected seconds since 1970")
    }
    return Instant(seconds: Int(number))
  }

  /// A moment as a date of ISO 8601; nil where there is none.
  func date(_ name: String) throws(StatementProblem) -> Instant? {
    guard let value = object[name], !value.isNull else { return nil }
    guard let instant = value.stringValue.flatMap({ Instant($0) }),
      Self.times.contains(instant.milliseconds)
    else {
      throw StatementProblem(.malformed, "\(name): expected a date such as 2026-11-21T20:00:00Z")
    }
    return instant
  }

  func bool(_ name: String) -> Bool { object[name]?.boolValue ?? false }
  func integer(_ name: String) -> Int64? { object[name]?.integerValue }
  func inside(_ name: String) throws(StatementProblem) -> StatementFields {
    do throws(StatementProblem) {
      return try StatementFields(object[name])
    } catch {
      throw StatementProblem(.malformed, "\(name): expected an object")
    }
  }
}

extension StatementProblem {
  /// A moment that must be there.
  static func needed(
    _ moment: Instant?, _ name: String
  ) throws(StatementProblem) -> Instant {
    guard let moment else { throw StatementProblem(.malformed, "\(name): expected a moment") }
    return moment
  }
}
