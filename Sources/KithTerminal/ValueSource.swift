/// Where the value of a text or bytes flag comes from.
///
/// | written | means |
/// |---|---|
/// | `@FILE` | what the file holds |
/// | `@@TEXT` | the text `@TEXT` |
/// | `-` | what standard input holds |
/// | anything else | the text itself |
package enum ValueSource: Equatable {
  case literal(String)
  case file(String)
  case standardInput

  /// The source that an argument names.
  package init(_ argument: String) {
    if argument == "-" {
      self = .standardInput
    } else if argument.hasPrefix("@@") {
      self = .literal(String(argument.dropFirst()))
    } else if argument.hasPrefix("@") {
      self = .file(String(argument.dropFirst()))
    } else {
      self = .literal(argument)
    }
  }
}

/// Reads what a flag points at.
package protocol ValueReader {
  /// All bytes of a file.
  /// - Throws: ``CommandFailure`` that names the file.
  func bytes(ofFile path: String) throws(CommandFailure) -> [UInt8]
  /// All bytes of standard input.
  func standardInput() throws(CommandFailure) -> [UInt8]
}
