import ArgumentParser

/// `kith plugin`
struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin",
    abstract: "Writes a new plugin, into a checkout of Kith or as a package of its own.",
    discussion: """
      `kith help plugin` lists every key of plugin.yaml.

      EXAMPLES
        kith plugin new pill-box
        kith plugin new pill-box --stateful --package
      """,
    subcommands: [PluginNewCommand.self])
}
