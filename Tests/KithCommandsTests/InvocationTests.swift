import KithJSON
import Testing

@testable import KithCommands

@Suite struct InvocationTests {
  static let commands = ["up", "status", "plugin"]

  @Test(
    arguments: [
      (["status"], .command(["status"])),
      (["status", "--json"], .command(["status", "--json"])),
      (["--product", "milo", "status"], .command(["status", "--product", "milo"])),
      (["--root=/tmp/x", "--json", "status"], .command(["status", "--root=/tmp/x", "--json"])),
      ([], .command([])),
      (["--help"], .command(["--help"])),
      (["--product"], .command(["--product"])),
      (["help", "status"], .command(["help", "status"])),
      (["risk-engine"], .worker(leading: [], name: "risk-engine", rest: [])),
      (
        ["risk-engine", "analyze", "--text", "x"],
        .worker(leading: [], name: "risk-engine", rest: ["analyze", "--text", "x"])
      ),
      (
        ["--timeout", "5s", "risk-engine", "analyze"],
        .worker(leading: ["--timeout", "5s"], name: "risk-engine", rest: ["analyze"])
      ),
      (
        ["help", "risk-engine", "analyze"],
        .worker(leading: [], name: "risk-engine", rest: ["analyze", "--help"])
      ),
    ] as [([String], Invocation)])
  func theFirstWordDecides(_ arguments: [String], _ expected: Invocation) {
    #expect(Invocation(arguments, commands: Self.commands) == expected)
  }

  /// What `kith exit-codes --help` shows is the table itself.
  @Test(arguments: KithCommand.shownNames.filter { $0 != "exit-codes" })
  func everyCommandHasAnExample(_ name: String) throws {
    func examples(_ command: JSONValue) -> Bool {
      (command["discussion"]?.stringValue?.contains("kith \(name)") ?? false)
        || (command["subcommands"]?.arrayValue ?? []).contains(where: examples)
    }
    let help = try #require(CommandHelp([name, "--help", "--json"])?.json)
    #expect(examples(help), "\(name) --help shows no example")
  }
}
