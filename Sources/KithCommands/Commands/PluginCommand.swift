import ArgumentParser

/// `kith plugin`
struct PluginCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plugin", abstract: "Writes new plugins.", subcommands: [])
}
