/// What the first words of a command line ask for.
enum Invocation: Equatable {
  /// A command of `kith` itself, or its help: the arguments as the argument parser takes them.
  case command([String])
  /// The page on a kind of manifest: `kith help manifest`, `kith help plugin`.
  case manifestHelp(ManifestHelp, isJSON: Bool)
  /// A worker: Kith's options in front of its name, its name, and all behind it.
  case worker(leading: [String], name: String, rest: [String])

  /// Looks for the first word that is no option. Options of every call (`--product`, `--root`,
  /// `--timeout`, `--as`, `--json`) may stand in front of it; for a command of `kith` they are
  /// moved behind it, where the argument parser expects them.
  init(_ arguments: [String], commands: [String]) {
    var leading: [String] = []
    var rest = arguments[...]
    while let argument = rest.first, argument.hasPrefix("-") {
      guard let option = Self.leadingOptions.first(where: { Self.matches(argument, $0.name) })
      else {
        // `--help`, `--version`, `--generate-completion-script`, and mistakes: for the argument
        // parser.
        self = .command(arguments)
        return
      }
      rest = rest.dropFirst()
      leading.append(argument)
      if option.takesValue, !argument.contains("=") {
        guard let value = rest.popFirst() else {
          self = .command(arguments)
          return
        }
        leading.append(value)
      }
    }
    guard let name = rest.popFirst() else {
      self = .command(arguments)
      return
    }
    let words = rest + leading
    if name == "help", let page = words.first.flatMap(ManifestHelp.init),
      words.dropFirst().allSatisfy({ $0 == "--json" })
    {
      self = .manifestHelp(page, isJSON: words.count > 1)
    } else if name == "help", let topic = rest.first, !topic.hasPrefix("-"),
      !commands.contains(topic)
    {
      // `kith help risk-engine analyze`
      self = .worker(
        leading: leading, name: topic, rest: Array(rest.dropFirst()) + ["--help"])
    } else if name == "help" || commands.contains(name) {
      self = .command([name] + rest + leading)
    } else {
      self = .worker(leading: leading, name: name, rest: Array(rest))
    }
  }

  private static let leadingOptions: [(name: String, takesValue: Bool)] = [
    ("--product", true), ("--root", true), ("--timeout", true), ("--as", true), ("--json", false),
  ]

  private static func matches(_ argument: String, _ name: String) -> Bool {
    argument == name || argument.hasPrefix(name + "=")
  }
}
