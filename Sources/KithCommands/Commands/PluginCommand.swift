import ArgumentParser

/// `kith plugin`
struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "Writes a new plugin into a checkout of Kith.",
    discussion: """
      `kith help plugin` lists every key of plugin.yaml.

      EXAMPLES
        kith plugin new pill-box
      """,
    subcommands: [PluginNewCommand.self])
}
