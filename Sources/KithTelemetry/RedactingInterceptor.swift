import KithPersonalData
public import KithRPC

/// Takes personal data out of what a handler's error says, before it leaves the process: callers
/// show errors, log them and hand them on. Calls that succeed cost nothing.
public struct RedactingInterceptor: ServerInterceptor {
  /// One interceptor for all servers of a process; it stands outermost.
  public init() {}

  /// Runs the handler.
  public func intercept<Answer: Sendable>(
    _ context: CallContext, _ next: () async throws -> Answer
  ) async throws -> Answer {
    do {
      return try await next()
    } catch let error as RPCError {
      throw error.withoutPersonalData
    } catch let error as any RPCErrorConvertible {
      throw error.rpcError.withoutPersonalData
    }
  }
}

extension RPCError {
  /// The error with placeholders such as `[REDACTED_PHONE]` for personal data in its words.
  ///
  /// An error is to say what was expected and never what was sent; this is for the one that does
  /// not keep to it, or quotes another.
  public var withoutPersonalData: RPCError {
    let scanner = PersonalDataScanner(policy: .log)
    var error = self
    error.message = scanner.redacted(message)
    let violations = fieldViolations
    let redacted = violations.map {
      FieldViolation(field: $0.field, description: scanner.redacted($0.description))
    }
    guard redacted != violations else { return error }
    error.details.removeAll { $0.type == FieldViolation.typeName }
    for violation in redacted {
      error.details +=
        RPCError.invalidArgument(field: violation.field, violation.description).details
    }
    return error
  }
}
