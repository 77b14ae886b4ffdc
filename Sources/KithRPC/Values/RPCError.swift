/// A call that did not end OK: what the caller of a method catches, and what a handler throws to
/// name its failure.
///
/// `code`, `message`, `details` and `trailers` cross the wire; `cause` never leaves the process.
/// Equality looks at all but the cause.
public struct RPCError: Error, Sendable {
  /// The canonical code.
  public var code: StatusCode
  /// What went wrong and what to do, in plain words, never personal.
  public var message: String
  /// Typed details; empty when there is nothing to add.
  public var details: [StatusDetail]
  /// What the worker told after the answer.
  public var trailers: Metadata
  /// The error underneath, for the log of this process.
  public var cause: (any Error)?

  /// An error with the given code and message.
  public init(
    _ code: StatusCode, _ message: String, details: [StatusDetail] = [], trailers: Metadata = [:],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.details = details
    self.trailers = trailers
    self.cause = cause
  }

  /// INVALID_ARGUMENT that names the field: `field` by its proto path, `description` says what was
  /// expected and never repeats the value.
  public static func invalidArgument(field: String, _ description: String) -> RPCError {
    let violation = FieldViolation(field: field, description: description)
    return RPCError(.invalidArgument, "\(field): \(description)", details: [violation.detail])
  }

  /// The fields that the worker refused, read from the details.
  public var fieldViolations: [FieldViolation] { details.compactMap(FieldViolation.init(detail:)) }

  /// What is known about whether the worker has carried the call out.
  public var execution: CallExecution { CallExecution(details: details) }
}

extension RPCError: Equatable {
  /// Whether code, message, details and trailers are the same.
  public static func == (left: RPCError, right: RPCError) -> Bool {
    left.code == right.code && left.message == right.message && left.details == right.details
      && left.trailers == right.trailers
  }
}

extension RPCError: CustomStringConvertible {
  /// `UNAVAILABLE: the worker is not there`; the cause is left out, since it may be personal.
  public var description: String { message.isEmpty ? code.name : "\(code.name): \(message)" }
}
