import RiskContract
import Testing

@testable import KithCommands
@testable import KithVerbs

/// Products and workers as a test wants them.
private struct ScriptedSource: CompletionSource {
  func products() async -> [String] { ["boomer-buddy", "milo"] }

  func runningProducts() async -> [String] { ["boomer-buddy"] }

  func workers(_ place: CallSettings) async -> [String] {
    place.product == "milo" ? ["pill-box"] : ["reminders", "risk-engine"]
  }

  func contracts(of worker: String, _ place: CallSettings) async -> WorkerContracts? {
    guard worker == "risk-engine" else { return nil }
    return try? WorkerContracts(
      services: ["kith.risk.v1.RiskEngine"], descriptorSet: RiskDescriptorSet.bytes)
  }
}

@Suite struct CompletionTests {
  private func candidates(_ words: [String]) async throws -> [String] {
    let kith = try #require(CommandShape.kith())
    return await Completion(kith: kith, source: ScriptedSource()).candidates(words).map {
      guard case .word(let text, _) = $0 else { return $0.line }
      return text
    }
  }

  @Test(
    arguments: [
      (["ri"], ["risk-engine"]),
      (["st"], ["status", "start", "stop"]),
      (["re"], ["restart", "restore", "reminders"]),
      (["--product", "milo", "p"], ["plan", "plugin", "pill-box"]),
      (["--product", ""], ["boomer-buddy"]),
      (["--product=b"], ["--product=boomer-buddy"]),
      (["--root", "/t"], [":folders"]),
      (["--j"], ["--json"]),
      (["up", ""], ["boomer-buddy", "milo", ":files"]),
      (["up", "m"], ["milo", ":files"]),
      (["plan", "b"], ["boomer-buddy", ":files"]),
      (["restart", ""], ["reminders", "risk-engine"]),
      (["restart", "reminders", ""], ["risk-engine"]),
      (["--product", "milo", "stop", ""], ["pill-box"]),
      (["stop", "--product", "milo", ""], ["pill-box"]),
      (["logs", ""], ["reminders", "risk-engine", "kithd"]),
      (["logs", "-n", ""], []),
      (["logs", "-n", "5", "k"], ["kithd"]),
      (["logs", "--fo"], ["--follow"]),
      (["logs", "--level", "w"], ["warning"]),
      (["log-level", "ri"], ["risk-engine"]),
      (["log-level", "risk-engine", "d"], ["debug"]),
      (["export", "s"], ["systemd"]),
      (["export", "systemd", "b"], ["boomer-buddy", ":files"]),
      (
        ["risk-engine", ""],
        ["analyze", "explain", "build-features", "analyze-features", "link", "rules", "get-model"]
      ),
      (["help", "risk-engine", "a"], ["analyze", "analyze-features"]),
      (["risk-engine", "analyze", "--ch"], ["--channel"]),
      (["risk-engine", "analyze", "--channel", "s"], ["sms"]),
      (["risk-engine", "analyze", "--channel=s"], ["--channel=sms"]),
      (["risk-engine", "analyze", "--text", "x", "--te"], []),
      (["risk-engine", "analyze", "--no"], ["--no-sender-is-contact"]),
      (["risk-engine", "analyze", "--timeout", ""], []),
      (["reminders", ""], []),
      (["reminders", "--"], ["--json", "--timeout", "--product", "--root", "--help"]),
      (["call", "kith.risk.v1.RiskEngine/G"], ["kith.risk.v1.RiskEngine/GetModel"]),
      (["call", "RiskEngine/A"], ["RiskEngine/Analyze", "RiskEngine/AnalyzeFeatures"]),
      (["call", "--worker", ""], ["reminders", "risk-engine"]),
      (["describe", "risk"], ["risk-engine"]),
      (["describe", "AnalyzeR"], ["AnalyzeRequest", "AnalyzeResponse"]),
      (["completion", ""], ["bash", "zsh", "fish"]),
      (["plugin", ""], ["new"]),
      (["exit-codes", ""], ["--json", "--version", "--help", "--timeout", "--product", "--root"]),
      (["no-such-word", "x", ""], []),
    ] as [([String], [String])])
  func whatMayStandThere(_ words: [String], _ expected: [String]) async throws {
    let found = try await candidates(words)
    #expect(found == expected, "\(words)")
  }

  @Test func noWordOffersCommandsAndWorkersOnce() async throws {
    let found = try await candidates([""])
    #expect(found == KithCommand.shownNames + ["help", "reminders", "risk-engine"])
  }

  @Test func aVerbOffersItsFlagsWithoutADash() async throws {
    let found = try await candidates(["risk-engine", "analyze", "--channel", "sms", ""])
    #expect(found.prefix(3) == ["--text", "--locale", "--state"])
    #expect(Set(found).count == found.count)
  }

  @Test func aLineIsFitForAShell() {
    #expect(CompletionCandidate.word("a", "b\tc\nd\u{1b}").line == "a\tb c d\u{fffd}")
    #expect(CompletionCandidate.word("a", "").line == "a")
  }
}
