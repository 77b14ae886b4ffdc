import ArgumentParser

/// Runs a product under load and trouble, and counts what was lost.
@main
struct KithSoak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith-soak",
    abstract: "Runs a product under load and trouble, and counts what was lost.",
    subcommands: [
      CallsCommand.self, RestartCommand.self, HostCommand.self, SchedulesCommand.self,
      RemindersCommand.self,
      ClientCommand.self,
    ])
}
