import ArgumentParser
import KithJSON

/// The options and arguments of a command, as the argument parser knows them.
struct CommandShape: Equatable {
  /// An option or flag.
  struct Option: Equatable {
    /// With their dashes, the one to offer first: `--lines`, `-n`.
    var names: [String]
    /// What its value is called in the help; `nil` for a flag.
    var valueName: String?
    /// The values that there are, where they are few.
    var values: [String] = []
    var summary = ""
  }

  /// An argument that is told by its place.
  struct Argument: Equatable {
    /// The values that there are, where they are few.
    var values: [String]
    /// Whether it takes all words that are left.
    var isRepeating: Bool
  }

  var name: String
  var summary: String
  var options: [Option]
  var arguments: [Argument]
  var subcommands: [CommandShape]

  /// All of `kith`: the commands that are shown, as its subcommands.
  static func kith() -> CommandShape? {
    dump()?["command"].map(CommandShape.init)
  }

  /// What the argument parser tells of all commands.
  static func dump() -> JSONValue? {
    do {
      _ = try KithCommand.parseAsRoot(["--experimental-dump-help"])
      return nil
    } catch {
      return try? JSONValue(parsing: KithCommand.fullMessage(for: error))
    }
  }

  /// A command from what the argument parser dumps of it.
  private init(_ command: JSONValue) {
    name = command["commandName"]?.stringValue ?? ""
    summary = command["abstract"]?.stringValue ?? ""
    subcommands = (command["subcommands"]?.arrayValue ?? [])
      .filter { $0["shouldDisplay"]?.boolValue ?? true }.map(CommandShape.init)
    options = []
    arguments = []
    for argument in command["arguments"]?.arrayValue ?? [] {
      let values = (argument["allValues"]?.arrayValue ?? []).compactMap(\.stringValue)
      guard let kind = argument["kind"]?.stringValue, kind != "positional" else {
        arguments.append(
          Argument(values: values, isRepeating: argument["isRepeating"]?.boolValue ?? false))
        continue
      }
      let names = (argument["names"]?.arrayValue ?? []).compactMap { name -> String? in
        let dashes = name["kind"]?.stringValue == "long" ? "--" : "-"
        return name["name"]?.stringValue.map { dashes + $0 }
      }
      options.append(
        Option(
          names: names.sorted { $0.count > $1.count },
          valueName: kind == "option" ? argument["valueName"]?.stringValue ?? "" : nil,
          values: values, summary: argument["abstract"]?.stringValue ?? ""))
    }
  }
}
