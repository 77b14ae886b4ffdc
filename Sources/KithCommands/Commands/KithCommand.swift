import ArgumentParser

/// The root of all commands.
struct KithCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "kith",
    abstract: "Runs products that look after people, and speaks to their workers.",
    usage: """
      kith COMMAND [OPTIONS]
      kith WORKER VERB [FLAGS]
      """,
    discussion: """
      A word that is no command is a worker of the running product. Its verbs and flags come from the worker \
      itself: `kith risk-engine --help` lists them.

      `kith help manifest` and `kith help plugin` list every key of a product's manifest and of plugin.yaml.

      EXAMPLES
        kith up boomer-buddy
        kith risk-engine analyze --channel sms --text "Your parcel waits for a fee"
        kith status
        kith logs risk-engine -f
        kith down
      """,
    version: "kith \(KithVersion.current)",
    subcommands: commands)

  private static let commands: [any ParsableCommand.Type] = [
    UpCommand.self, DownCommand.self, StatusCommand.self, WhyCommand.self, TopCommand.self,
    AlertsCommand.self, DoctorCommand.self,
    StartCommand.self, StopCommand.self, RestartCommand.self, UpgradeCommand.self,
    LogsCommand.self, EventsCommand.self, LogLevelCommand.self, ClockCommand.self,
    CallCommand.self, DescribeCommand.self, DemoCommand.self,
    BackupCommand.self, RestoreCommand.self, RotateKeyCommand.self, EraseCommand.self,
    PlanCommand.self, ApplyCommand.self, ExportCommand.self, PluginCommand.self,
    CompletionCommand.self,
    ExitCodesCommand.self,
    CompleteCommand.self,
  ]

  /// The names of the commands.
  static let names = commands.compactMap { $0.configuration.commandName }

  /// The names of those that are meant for people.
  static let shownNames = commands.filter { $0.configuration.shouldDisplay }
    .compactMap { $0.configuration.commandName }
}

/// The version of this command line.
enum KithVersion {
  static let current = "0.1.0"
}
