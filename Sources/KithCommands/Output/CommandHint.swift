/// Commands in texts that people read and copy: `` `kith logs kithd` ``.
enum CommandHint {
  /// The text with options added to each command of `kith` in backticks that names neither a root
  /// nor a product. A worker and its host do not know how the operator reached them.
  /// - Parameter options: with a space in front: ` --root /tmp/demo`; empty to leave the text as it
  ///   is.
  static func located(_ text: String, _ options: String) -> String {
    guard !options.isEmpty else { return text }
    let parts = text.split(separator: "`", omittingEmptySubsequences: false)
    // Without a second backtick the last part is not quoted.
    return parts.enumerated().map { index, part in
      let isQuoted = !index.isMultiple(of: 2) && index < parts.count - 1
      let isCommand =
        part.hasPrefix("kith ") && !part.contains(" --root ") && !part.contains(" --product ")
      return isQuoted && isCommand ? part + options : String(part)
    }.joined(separator: "`")
  }

  /// The option `--root` as it stands among arguments, for ``located(_:_:)``.
  static func root(in arguments: [String]) -> String {
    for (index, argument) in arguments.enumerated() {
      if argument == "--" { break }
      if argument == "--root", index + 1 < arguments.count {
        return " --root \(arguments[index + 1])"
      }
      if argument.hasPrefix("--root=") { return " --root \(argument.dropFirst("--root=".count))" }
    }
    return ""
  }
}
