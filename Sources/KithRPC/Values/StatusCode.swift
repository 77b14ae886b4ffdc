/// How a call ended, in the canonical codes, numbered as gRPC numbers them.
///
/// A struct rather than an enum, because a newer worker may answer a number that this build does
/// not know: it is kept, and treated as ``unknown``.
public struct StatusCode: RawRepresentable, Sendable, Hashable {
  /// The number on the wire.
  public let rawValue: Int32

  /// The code of the given number, known or not.
  public init(rawValue: Int32) { self.rawValue = rawValue }

  /// The call did what was asked.
  public static let ok = StatusCode(rawValue: 0)
  /// The caller gave the call up.
  public static let cancelled = StatusCode(rawValue: 1)
  /// The worker failed in a way that it did not name.
  public static let unknown = StatusCode(rawValue: 2)
  /// The request can never succeed as it stands.
  public static let invalidArgument = StatusCode(rawValue: 3)
  /// The deadline passed before the call ended.
  public static let deadlineExceeded = StatusCode(rawValue: 4)
  /// What was asked for does not exist.
  public static let notFound = StatusCode(rawValue: 5)
  /// What was to be created exists.
  public static let alreadyExists = StatusCode(rawValue: 6)
  /// The caller is known and may not do this.
  public static let permissionDenied = StatusCode(rawValue: 7)
  /// A limit or a quota is used up.
  public static let resourceExhausted = StatusCode(rawValue: 8)
  /// The state of the worker does not allow it now.
  public static let failedPrecondition = StatusCode(rawValue: 9)
  /// The call lost against another one at the same time.
  public static let aborted = StatusCode(rawValue: 10)
  /// A position past the end of what is there.
  public static let outOfRange = StatusCode(rawValue: 11)
  /// The worker has no such service or method.
  public static let unimplemented = StatusCode(rawValue: 12)
  /// Something that must hold does not.
  public static let `internal` = StatusCode(rawValue: 13)
  /// The worker cannot be reached now.
  public static let unavailable = StatusCode(rawValue: 14)
  /// Data is lost or damaged beyond repair.
  public static let dataLoss = StatusCode(rawValue: 15)
  /// The caller did not prove who it is.
  public static let unauthenticated = StatusCode(rawValue: 16)

  /// All codes that this build knows, in the order of their numbers.
  public static let allCases: [StatusCode] = (0...16).map { StatusCode(rawValue: $0) }

  private static let names = [
    "OK", "CANCELLED", "UNKNOWN", "INVALID_ARGUMENT", "DEADLINE_EXCEEDED", "NOT_FOUND",
    "ALREADY_EXISTS", "PERMISSION_DENIED", "RESOURCE_EXHAUSTED", "FAILED_PRECONDITION", "ABORTED",
    "OUT_OF_RANGE", "UNIMPLEMENTED", "INTERNAL", "UNAVAILABLE", "DATA_LOSS", "UNAUTHENTICATED",
  ]

  /// The name as the contract spells it, `INVALID_ARGUMENT`; `CODE_42` for a number that this build
  /// does not know.
  public var name: String {
    Self.names.indices.contains(Int(rawValue)) ? Self.names[Int(rawValue)] : "CODE_\(rawValue)"
  }
}

extension StatusCode: CustomStringConvertible {
  /// The ``name``.
  public var description: String { name }
}
