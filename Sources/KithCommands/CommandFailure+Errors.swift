import ArgumentParser
import KithManifest
import KithRPC
import KithReflection
import KithSealing
import KithStore
import KithTerminal
import KithWire
import KithVerbs

extension CommandFailure {
  /// Manifests that are not as they must be.
  init(_ errors: ManifestErrors) {
    // They quote what stands in the files, which may be orders to a terminal.
    let lines = errors.errors.map { SafeText.line($0.description) }
    self.init(.badInput, lines[0], notes: Array(lines.dropFirst()))
  }

  /// A store, or a backup of one, that cannot be used.
  init(_ error: StoreError) {
    let status: ExitStatus =
      switch error.code {
      case .full, .inputOutput: .cannotCreate
      case .busy: .tryAgain
      case .denied: .permission
      case .damaged, .removed, .laterVersion, .sealing, .constraint, .unusable: .badInput
      }
    self.init(status, error.message)
  }

  /// A place that is not as it must be.
  init(_ error: ManifestError) {
    self.init(error.code == .pathTooLong ? .cannotCreate : .usage, error.description)
  }

  /// Usage that the argument parser refused, or an error that nobody foresaw.
  /// - Parameter arguments: what the parser was given. A value that begins with a minus sign and a
  ///   digit is taken for an option by the parser, which says then that a value is missing, or that
  ///   there is no such option.
  init(parsing error: any Error, arguments: [String] = []) {
    let exitCode = KithCommand.exitCode(for: error).rawValue
    let width = Surroundings.current.terminal.width
    // The message is followed by the usage; the parser puts a word of its own in front, and `kith:`
    // stands there already.
    let usage = UsageText.wrapped(
      KithCommand.fullMessage(for: error, columns: width), width: width
    ).split(separator: "\n").map(String.init).drop { !$0.hasPrefix("Usage:") }
    let message = KithCommand.message(for: error)
    self.init(
      ExitStatus.all.first { $0.number == exitCode } ?? .failure,
      Self.negativeValue(refusedWith: message, in: arguments) ?? message, notes: Array(usage))
  }

  /// What to say of a negative value where none can stand; nil when the parser refused something
  /// else.
  private static func negativeValue(
    refusedWith message: String, in arguments: [String]
  ) -> String? {
    let isAboutValue =
      message.hasPrefix("Missing expected argument") || message.hasPrefix("Missing value for")
      || message.hasPrefix("Unknown option '-")
    let value = arguments.prefix { $0 != "--" }.first {
      $0.first == "-" && $0.dropFirst().first?.isNumber == true
    }
    guard isAboutValue, let value else { return nil }
    let shown = SafeText.line(String(value.prefix(60)))
    guard arguments.starts(with: ["clock", "advance"]) else {
      return "'\(shown)' is negative, and no negative value is expected here"
    }
    return
      "'\(shown)' is negative: time only advances; expected a length of time such as 90s, 3h or 1d12h. "
      + "`kith clock set INSTANT` sets the wall clock back"
  }

  /// What a command threw, unless it is the argument parser's own.
  init?(known error: any Error) {
    switch error {
    case let failure as CommandFailure: self = failure
    case let error as RPCError: self.init(error)
    case let errors as ManifestErrors: self.init(errors)
    case let error as ManifestError: self.init(error)
    case let error as StoreError: self.init(error)
    case let error as SealingError: self.init(.badInput, error.message)
    case let error as ContractError: self.init(error, .badInput)
    case let error as WireError: self.init(.defect, error.message)
    default: return nil
    }
  }
}
