package import KithRPC

/// The exit codes of `kith`: stable, documented in `kith help exit-codes`, the same for every
/// command.
package struct ExitStatus: Sendable, Hashable {
  /// The number that the process leaves with.
  package let number: Int32
  /// What it means, for the table.
  package let meaning: String
  /// The status of a call that comes nearest, for errors that came from no call.
  package let code: StatusCode

  /// Exit code 0.
  package static let ok = ExitStatus(number: 0, meaning: "done", code: .ok)
  /// Exit code 1.
  package static let failure = ExitStatus(
    number: 1, meaning: "the worker refused or failed the call", code: .unknown)
  /// Exit code 2.
  package static let changes = ExitStatus(
    number: 2, meaning: "something would change (only `kith plan --exit-code`)", code: .ok)
  /// Exit code 3.
  package static let action = ExitStatus(
    number: 3, meaning: "somebody must do something (only `kith doctor`)", code: .ok)
  /// Exit code 64.
  package static let usage = ExitStatus(
    number: 64, meaning: "wrong usage: unknown flag, missing value", code: .invalidArgument)
  /// Exit code 65.
  package static let badInput = ExitStatus(
    number: 65, meaning: "bad input: a manifest, a request or a text is not as it must be",
    code: .invalidArgument)
  /// Exit code 69.
  package static let unavailable = ExitStatus(
    number: 69, meaning: "no host is running, or the worker is not ready", code: .unavailable)
  /// Exit code 70.
  package static let defect = ExitStatus(
    number: 70, meaning: "something that must hold does not: a defect of Kith or the worker",
    code: .internal)
  /// Exit code 73.
  package static let cannotCreate = ExitStatus(
    number: 73, meaning: "a folder, file or socket cannot be created or written: read-only, full",
    code: .failedPrecondition)
  /// Exit code 75.
  package static let tryAgain = ExitStatus(
    number: 75,
    meaning: "a limit is reached: a host runs there, or it is too much or too large",
    code: .resourceExhausted)
  /// Exit code 77.
  package static let permission = ExitStatus(
    number: 77, meaning: "not allowed: the host or the file is somebody else's",
    code: .permissionDenied)
  /// Exit code 124.
  package static let deadline = ExitStatus(
    number: 124,
    meaning: "the time of --timeout passed; whether the call was carried out is unknown",
    code: .deadlineExceeded)
  /// Exit code 130.
  package static let interrupted = ExitStatus(
    number: 130, meaning: "ended with ctrl-C", code: .cancelled)
  /// Exit code 143.
  package static let terminated = ExitStatus(
    number: 143, meaning: "ended by SIGTERM", code: .cancelled)

  /// All of them, in the order of their numbers.
  package static let all: [ExitStatus] = [
    .ok, .failure, .changes, .action, .usage, .badInput, .unavailable, .defect, .cannotCreate,
    .tryAgain,
    .permission, .deadline, .interrupted, .terminated,
  ]

  /// What a call's status comes to.
  package init(_ code: StatusCode) {
    self =
      switch code {
      case .ok: .ok
      case .invalidArgument, .outOfRange: .badInput
      case .deadlineExceeded: .deadline
      case .permissionDenied, .unauthenticated: .permission
      case .resourceExhausted, .aborted: .tryAgain
      case .unimplemented: .usage
      case .internal, .dataLoss: .defect
      case .unavailable: .unavailable
      // CANCELLED by the worker, UNKNOWN, NOT_FOUND, ALREADY_EXISTS, FAILED_PRECONDITION, and codes
      // of the future.
      default: .failure
      }
  }

  private init(number: Int32, meaning: String, code: StatusCode) {
    self.code = code
    self.number = number
    self.meaning = meaning
  }

  /// The exit codes that a call can end with, by the codes of its status.
  package static func codes(of status: ExitStatus) -> [StatusCode] {
    StatusCode.allCases.filter { ExitStatus($0) == status }
  }
}
