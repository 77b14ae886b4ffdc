import Glibc
import KithJSON
import KithTesting
import Testing

/// What a person types, with the places that a person has: no `--root`, the XDG folders.
@Suite struct CommandLineTests {
  @Test func aSessionFromUpToDown() async throws {
    let home = try Home()
    let none = try await home.kith("status")
    #expect(none.exitCode == 69, "\(none)")
    #expect(none.errors.contains("kith up"), "\(none)")

    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    #expect(up.output.contains("risk-engine"))
    let again = try await home.kith("up", "boomer-buddy")
    #expect(again.exitCode == 0, "\(again)")
    #expect(!again.output.contains("kith start"), "\(again)")

    let status = try await home.kith("status", "--json")
    #expect(status.exitCode == 0, "\(status)")
    #expect(try JSONValue(parsing: status.output).objectValue != nil)

    let verb = try await home.kith(
      "risk-engine", "analyze", "--channel", "sms", "--text",
      "IRS: a warrant is out for your arrest. Pay $900 in gift cards today", "--json")
    #expect(verb.exitCode == 0, "\(verb)")
    #expect(verb.output.contains("LIKELY_SCAM"), "\(verb)")

    let call = try await home.kith(
      "call", "kith.risk.v1.RiskEngine/Analyze", "{\"text\": \"See you at eight\"}")
    #expect(call.exitCode == 0, "\(call)")

    for verb in ["restart", "stop"] {
      let outcome = try await home.kith(verb, "risk-engine")
      #expect(outcome.exitCode == 0, "\(verb): \(outcome)")
    }
    let stopped = try await home.kith("up", "boomer-buddy")
    #expect(stopped.exitCode == 0, "\(stopped)")
    #expect(stopped.output.contains("kith start risk-engine"), "\(stopped)")
    let start = try await home.kith("start", "risk-engine")
    #expect(start.exitCode == 0, "\(start)")
    let logs = try await home.kith("logs", "risk-engine", "-n", "100")
    #expect(logs.exitCode == 0, "\(logs)")
    #expect(logs.output.contains("ready"), "\(logs)")
    // One time a line: that of the host.
    let times = logs.output.matches(of: /\d\d:\d\d:\d\d\.\d/).count
    #expect(times == logs.output.split(separator: "\n").count, "\(logs)")

    let unknown = try await home.kith("stop", "no-such-worker")
    #expect(unknown.exitCode != 0)
    #expect(unknown.errors.contains("risk-engine"), "\(unknown)")

    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    let after = try await home.kith("status")
    #expect(after.exitCode == 69, "\(after)")
  }

  /// A command keeps what it has learned of a worker's contracts for the next one.
  @Test func theContractsOfAProcessAreAskedForOnce() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let name = "r/kith/boomer-buddy/host/contracts-risk-engine"
    func kept(after change: String = "") async throws -> String? {
      let verb = try await home.kith("risk-engine", "analyze", "--text", "See you at eight")
      #expect(verb.exitCode == 0, "\(change): \(verb)")
      return TemporaryFolder.text(of: "\(home.folder.path)/\(name)")
    }
    let first = try #require(try await kept())
    #expect(try await kept() == first)

    // Cut short within the contracts.
    try home.folder.write(String(first.prefix(400)), to: name)
    #expect(try await kept(after: "cut") == first)

    let restart = try await home.kith("restart", "risk-engine")
    #expect(restart.exitCode == 0, "\(restart)")
    let second = try #require(try await kept(after: "restart"))
    #expect(second != first)

    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    let folder = "\(home.folder.path)/r/kith/boomer-buddy/host"
    #expect(access(folder, F_OK) != 0)
  }

  @Test func aWorkersNameTellsWhichOfSeveralProductsIsMeant() async throws {
    let home = try Home()
    try home.folder.write(
      "product: other\ntitle: Other\nposture: ephemeral\nworkers:\n  second:\n    plugin: risk-engine\n",
      to: "other.yaml")
    let first = try await home.kith("up", "boomer-buddy")
    try #require(first.exitCode == 0, "\(first)")
    #expect(first.output.contains("kith down"), "\(first)")
    let second = try await home.kith("up", home.folder.path + "/other.yaml")
    try #require(second.exitCode == 0, "\(second)")
    #expect(second.output.contains("kith --product other down"), "\(second)")

    let either = try await home.kith("status")
    #expect(either.exitCode == 64, "\(either)")
    #expect(either.errors.contains("boomer-buddy, other"), "\(either)")
    let verb = try await home.kith("second", "analyze", "--text", "See you at eight", "--json")
    #expect(verb.exitCode == 0, "\(verb)")
    let restart = try await home.kith("restart", "risk-engine")
    #expect(restart.exitCode == 0, "\(restart)")

    for product in ["other", "boomer-buddy"] {
      let down = try await home.kith("--product", product, "down")
      #expect(down.exitCode == 0, "\(down)")
    }
  }

  @Test func planSaysWhatWouldRunAndStartsNothing() async throws {
    let home = try Home()
    let plan = try await home.kith("plan", "boomer-buddy")
    #expect(plan.exitCode == 0, "\(plan)")
    #expect(plan.output.contains("risk-engine"))
    #expect(TemporaryFolder.names(in: home.folder.path) == [])
    let wrong = try await home.kith("plan", "boomer-budy")
    #expect(wrong.exitCode == 65, "\(wrong)")
    #expect(wrong.errors.contains("boomer-buddy"), "\(wrong)")
  }
}
