import KithJSON
import Testing

@testable import KithCommands

/// `--help --json`.
@Suite struct CommandHelpTests {
  @Test(arguments: [
    (["--help", "--json"], "kith"), (["--json", "-h"], "kith"), (["help", "--json"], "kith"),
    (["up", "--help", "--json"], "up"), (["help", "up", "--json"], "up"),
    (["clock", "advance", "--json", "--help"], "advance"),
    (["status", "--root", "up", "--help", "--json"], "status"),
  ])
  func helpIsJSONWhereJSONIsAskedFor(_ arguments: [String], _ name: String) throws {
    let help = try #require(CommandHelp(arguments)?.json)
    #expect(help["commandName"]?.stringValue == name)
    #expect(help["abstract"]?.stringValue?.isEmpty == false)
    #expect(help["arguments"]?.arrayValue != nil)
  }

  @Test(arguments: [
    ["--help"], ["up", "--json"], ["up", "--", "--help", "--json"],
    ["nonsense", "--help", "--json"],
  ])
  func nothingElseIs(_ arguments: [String]) {
    #expect(CommandHelp(arguments)?.json == nil)
  }

  @Test func allCommandsThatAreMeantForPeopleAreThere() throws {
    let help = try #require(CommandHelp(["--help", "--json"])?.json)
    let names = help["subcommands"]?.arrayValue?.compactMap { $0["commandName"]?.stringValue } ?? []
    #expect(Set(names).isSuperset(of: KithCommand.shownNames))
    #expect(!names.contains("complete"))
  }
}
