/// Why a product under test could not be driven, or what was found wrong with it at the end.
///
/// ```
/// MiloTests/PillTests.swift:31: reminders did not start: its configuration has no time_zone
///   reminders | error: config: time_zone: expected a zone such as America/New_York
/// ```
public struct TestingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong, for people.
  public var message: String
  /// The line of the test that asked for it, as `Module/File.swift:31`; nil where the kit does not
  /// know it.
  public var location: String?
  /// The last lines of the logs of the product's host and workers at that moment, each with the
  /// name of its log.
  public var lastLogLines: [String] = []

  /// An error with its message.
  public init(_ message: String) {
    self.message = message
  }

  /// The error with the line of the test that asked, unless it has one.
  func at(_ fileID: String, _ line: Int) -> TestingError {
    var error = self
    error.location = location ?? "\(fileID):\(line)"
    return error
  }

  /// The location, the message and the log lines.
  public var description: String {
    let first = location.map { "\($0): \(message)" } ?? message
    return ([first] + lastLogLines.map { "  \($0)" }).joined(separator: "\n")
  }
}
