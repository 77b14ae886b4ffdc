import ArgumentParser

/// `kith export`
struct ExportCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "export",
    abstract: "Writes a product for another program to run.",
    discussion: """
      EXAMPLES
        kith export systemd boomer-buddy --user
      """,
    subcommands: [ExportSystemdCommand.self])
}
