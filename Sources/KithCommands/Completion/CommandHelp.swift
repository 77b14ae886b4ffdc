import ArgumentParser
import KithJSON

/// Help that is asked for as JSON: `kith --help --json`, `kith up --help --json`,
/// `kith help up --json`.
struct CommandHelp: Equatable {
  /// The words behind `kith` that name the command.
  let path: [String]

  /// Nil unless the arguments ask for help and for JSON.
  init?(_ arguments: [String]) {
    let words = arguments.prefix { $0 != "--" }
    let asksForHelp = words.first == "help" || words.contains("--help") || words.contains("-h")
    guard asksForHelp, words.contains("--json") else { return nil }
    path = words.drop { $0 == "help" }.filter { !$0.hasPrefix("-") }
  }

  /// The command as the argument parser describes it: `commandName`, `abstract`, `discussion`,
  /// `arguments` with `names`, `kind`, `valueName` and `abstract`, and `subcommands` in the same
  /// form. Nil when the path names no command; whatever stands behind the command, such as the
  /// value of an option, does not count.
  var json: JSONValue? {
    guard var command = Self.root else { return nil }
    for (position, word) in path.enumerated() {
      let subcommands = command["subcommands"]?.arrayValue ?? []
      guard let next = subcommands.first(where: { $0["commandName"]?.stringValue == word }) else {
        if position == 0 { return nil }
        break
      }
      command = next
    }
    return Self.shown(command)
  }

  /// Without the commands and arguments that are meant for programs only.
  private static func shown(_ command: JSONValue) -> JSONValue {
    guard var object = command.objectValue else { return command }
    for key in ["subcommands", "arguments"] {
      guard let members = command[key]?.arrayValue else { continue }
      object[key] = .array(
        members.filter { $0["shouldDisplay"]?.boolValue ?? true }.map(shown))
    }
    return .object(object)
  }

  private static let root: JSONValue? = CommandShape.dump()?["command"]
}
