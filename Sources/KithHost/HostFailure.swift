/// Why a host could not start, or ended otherwise than asked: what kithd says and the exit code
/// that it leaves with.
public struct HostFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The kinds of failure, by their exit codes: those of `kith help exit-codes`.
  public enum Kind: Int32, Sendable {
    /// A manifest or a file of the host is not as it must be.
    case badInput = 65
    /// Something went wrong that nobody provided for.
    case `internal` = 70
    /// A folder, file or socket cannot be created: read-only, full, or another's; or it was moved
    /// or removed while the host ran.
    case cannotCreate = 73
    /// Another host runs for this root.
    case alreadyRuns = 75
  }

  /// The kind of failure.
  public var kind: Kind
  /// What went wrong and what to do, for people.
  public var description: String

  /// The exit code.
  public var exitCode: Int32 { kind.rawValue }

  /// A failure.
  public init(_ kind: Kind, _ description: String) {
    self.kind = kind
    self.description = description
  }
}
