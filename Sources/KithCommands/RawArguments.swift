import KithTerminal

/// The arguments of this process, checked. `CommandLine.arguments` puts U+FFFD where an argument is
/// not UTF-8, and a text to be scored must not be changed in silence.
enum RawArguments {
  /// The arguments behind the program's name.
  static func current() throws(CommandFailure) -> [String] {
    var arguments: [String] = []
    for position in 1..<max(1, Int(CommandLine.argc)) {
      guard let pointer = CommandLine.unsafeArgv[position] else { break }
      arguments.append(try text(pointer, position: position))
    }
    return arguments
  }

  private static func text(
    _ pointer: UnsafePointer<CChar>, position: Int
  ) throws(CommandFailure) -> String {
    guard let text = String(validatingCString: pointer) else {
      throw CommandFailure(
        .badInput,
        "argument \(position) is not valid UTF-8; expected text in UTF-8. "
          + "Bytes of another encoding can be converted with iconv, or given in a file to a flag "
          + "of type bytes")
    }
    return text
  }
}
