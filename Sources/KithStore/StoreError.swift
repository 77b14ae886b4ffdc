/// Why a worker's data cannot be used.
public struct StoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was wrong, with the path, what was expected and what to do. Never personal.
  public let message: String

  init(_ message: String) { self.message = message }

  /// The message.
  public var description: String { message }
}
