import ArgumentParser
import KithManifest
import KithPlanning
import KithExport
import KithTerminal

/// `kith export systemd`
struct ExportSystemdCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "systemd",
    abstract: "Prints a systemd unit that runs a product.",
    discussion: """
      The product is checked first; exit code 65 when its manifest is wrong. The unit says how to install it. Without \
      --user it is one of the machine, run as the user of --run-as, with state under /var/lib/kith and sockets under \
      /run/kith; workers outlive a crash of the host, and the next one takes them over.

      EXAMPLES
        kith export systemd boomer-buddy --user > ~/.config/systemd/user/kith-boomer-buddy.service
        kith export systemd boomer-buddy --run-as kith | sudo tee /etc/systemd/system/kith-boomer-buddy.service
      """)

  @Argument(
    help: ArgumentHelp(
      "The product: its name, or the path of its manifest.", valueName: "product|file"))
  var product: String

  @Flag(help: "A unit of a person's own service manager.")
  var user = false

  @Option(
    help: ArgumentHelp(
      "The user as whom a unit of the machine runs. (default: kith)", valueName: "user"),
    transform: ExportSystemdCommand.userName)
  var runAs: String?

  @Option(
    help: ArgumentHelp(
      "One folder for state, logs and sockets, which must be there. By default those above.",
      valueName: "dir"))
  var root: String?

  @OptionGroup var plugins: PluginOptions

  mutating func validate() throws {
    root = root ?? Surroundings.standardRoot
    if user, runAs != nil {
      throw ValidationError("--run-as is for a unit of the machine; leave it or --user out")
    }
  }

  func run() throws {
    let environment = Surroundings.current.environment
    let root = try Surroundings.root(root)
    let plan = try plugins.reader(environment: environment).checkedPlan(product)
    // A service has no shell around it: what the environment says here is told there in so many
    // words.
    let search = (environment["KITH_PLUGIN_PATH"] ?? "").split(separator: ":").map(String.init)
    let unit = SystemdUnit(
      plan: plan, manager: user ? .user : .system(user: runAs ?? "kith"),
      program: Surroundings.programDirectory + "/kithd",
      arguments: arguments(search, root: root), root: root)
    try Output.text(unit.text)
  }

  private func arguments(_ search: [String], root: String?) -> [String] {
    var arguments = ["run", "--product", Surroundings.productArgument(product)]
    if let root { arguments += ["--root", root] }
    for folder in plugins.folders + search {
      arguments += ["--plugins", Surroundings.absolutePath(folder)]
    }
    return arguments + ["--foreground"]
  }

  @Sendable private static func userName(_ text: String) throws(CommandFailure) -> String {
    let isName = text.utf8.allSatisfy {
      (0x30...0x39).contains($0) || (0x61...0x7A).contains($0 | 0x20) || "-_.".utf8.contains($0)
    }
    guard isName, let first = text.utf8.first, first != UInt8(ascii: "-"), text.utf8.count <= 32
    else {
      throw CommandFailure(.usage, "expected the name of a user of this machine, such as kith")
    }
    return text
  }
}
