package import KithJSON
package import KithRPC

/// Why a command could not do what it was asked: what a person reads and what the process leaves
/// with.
package struct CommandFailure: Error, Equatable, CustomStringConvertible {
  /// The exit code.
  package var status: ExitStatus
  /// What went wrong and what to do. One line unless several things are wrong.
  package var message: String
  /// More lines, each on its own: reasons, last lines of a log.
  package var notes: [String]
  /// The name of a call's status: that of the call which failed, else the one nearest to
  /// ``status``.
  package var code: String
  /// The fields of the request that the worker refused.
  package var fields: [FieldViolation] = []
  /// What is known about whether the call was carried out all the same.
  package var execution = CallExecution.unspecified

  /// A failure; `code` is the name of a call's status where one failed.
  package init(_ status: ExitStatus, _ message: String, notes: [String] = [], code: String? = nil) {
    self.status = status
    self.message = message
    self.notes = notes
    self.code = code ?? status.code.name
  }

  /// The message and the notes, a line each.
  package var description: String { ([message] + notes).joined(separator: "\n") }

  /// The failure as JSON, for `--json`.
  package var json: JSONValue {
    var error: JSONObject = [
      "message": .string(message), "exitCode": .integer(Int64(status.number)),
      "code": .string(code),
    ]
    if !notes.isEmpty { error["notes"] = .array(notes.map { .string($0) }) }
    if !fields.isEmpty {
      error["fields"] = .array(
        fields.map { ["field": .string($0.field), "description": .string($0.description)] })
    }
    switch execution {
    case .notStarted: error["execution"] = "NOT_STARTED"
    case .mayHaveRun: error["execution"] = "MAY_HAVE_RUN"
    default: break
    }
    return ["error": .object(error)]
  }
}

extension CommandFailure {
  /// A call that did not end OK.
  package init(_ error: RPCError) {
    let message = error.message.isEmpty ? "the call ended with \(error.code.name)" : error.message
    // The first line says what a person needs; the code is for those who know the codes.
    self.init(ExitStatus(error.code), message, code: error.code.name)
    fields = error.fieldViolations
    execution = error.execution
  }
}
