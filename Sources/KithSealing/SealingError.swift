/// Why a key cannot be used, or something sealed not be opened.
public struct SealingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong, with the path or the place, what was expected and what to do. Never personal.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
