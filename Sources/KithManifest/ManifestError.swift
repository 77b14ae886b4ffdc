/// One thing that is wrong with a manifest or a place: what, where, what was expected, and the
/// nearest right name.
public struct ManifestError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The kinds of error; `rawValue` is stable and goes into `--json` output.
  public enum Code: String, Sendable, Hashable {
    /// The file is not YAML, or uses a part of YAML that manifests do without.
    case syntax
    /// A file or folder cannot be read.
    case unreadable
    /// A file, or what its aliases unfold to, is larger than the limit, or nested too deep.
    case tooLarge
    /// A key that is not known here.
    case unknownKey
    /// A key that stands twice in one mapping.
    case duplicateKey
    /// A key that must be there is not.
    case missingKey
    /// A value of another type than the key has.
    case wrongType
    /// A value of the right type that is not allowed.
    case outOfRange
    /// A product that no folder on the search path has.
    case missingProduct
    /// A plugin that no folder on the search path has.
    case missingPlugin
    /// Two plugins of one name in the same folder of the search path.
    case duplicatePlugin
    /// The program of a plugin is not there or cannot be executed.
    case missingExecutable
    /// A contract that some worker requires and none provides.
    case missingService
    /// A contract that two workers provide.
    case duplicateService
    /// A contract that one worker was built to call in another shape than the other serves it.
    case contractMismatch
    /// Workers that require each other.
    case cycle
    /// Configuration that the worker itself refuses.
    case configurationRefused
    /// A plugin that does not support the product's posture.
    case postureMismatch
    /// Files for TLS that cannot be used: missing, no PEM, a key of another certificate, or one
    /// whose time is over.
    case unusableCredentials
    /// A path that is too long for a socket.
    case pathTooLong
    /// An environment that does not say where to put the product.
    case environment
  }

  /// The kind of error.
  public var code: Code
  /// What is wrong.
  public var message: String
  /// Where; `nil` when no file is to blame.
  public var location: SourceLocation?
  /// What would have been right.
  public var expected: String?
  /// The nearest right name, when one is near.
  public var suggestion: String?

  /// Creates an error.
  public init(
    _ code: Code, _ message: String, at location: SourceLocation?, expected: String? = nil,
    suggestion: String? = nil
  ) {
    self.code = code
    self.message = message
    self.location = location
    self.expected = expected
    self.suggestion = suggestion
  }

  /// `plugin.yaml:3:1: unknown key 'exectuable'; expected ...; did you mean 'executable'?`
  public var description: String {
    var text = location.map { "\($0): \(message)" } ?? message
    if let expected { text += "; expected \(expected)" }
    if let suggestion { text += "; did you mean '\(suggestion)'?" }
    return text
  }
}

/// All that is wrong, so that a person mends it in one go. Never empty.
public struct ManifestErrors: Error, Sendable, Equatable, CustomStringConvertible {
  /// The errors, file by file, in order of place.
  public let errors: [ManifestError]

  /// One error.
  public init(_ error: ManifestError) {
    errors = [error]
  }

  /// Several errors; nothing when there are none. They are sorted by place within a file.
  public init?(_ errors: [ManifestError]) {
    guard !errors.isEmpty else { return nil }
    var files: [String: Int] = [:]
    for error in errors {
      let file = error.location?.file ?? ""
      files[file] = files[file] ?? files.count
    }
    func place(_ error: ManifestError) -> (Int, Int, Int) {
      (
        files[error.location?.file ?? ""] ?? 0, error.location?.line ?? 0,
        error.location?.column ?? 0
      )
    }
    self.errors = errors.enumerated()
      .sorted { (place($0.element), $0.offset) < (place($1.element), $1.offset) }
      .map(\.element)
  }

  /// One line an error.
  public var description: String {
    errors.map(\.description).joined(separator: "\n")
  }
}

/// The order of places, and of the errors at one place.
private func < (left: ((Int, Int, Int), Int), right: ((Int, Int, Int), Int)) -> Bool {
  left.0 == right.0 ? left.1 < right.1 : left.0 < right.0
}
