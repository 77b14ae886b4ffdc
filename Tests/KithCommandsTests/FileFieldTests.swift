import FallsContract
import Glibc
import KithJSON
import KithReflection
import KithTesting
import KithWire
import Testing

@testable import KithCommands
@testable import KithTerminal
@testable import KithVerbs

/// Fields that are files on the command line (`(kith.file)`), and lists that are tables
/// (`(kith.table)`): `kith fall-detector replay FILE.csv --plot FILE.svg`.
@Suite struct FileFieldTests {
  private let contracts: ContractSet
  private let verb: Verb

  init() throws {
    contracts = try ContractSet(encodedDescriptorSet: FallsDescriptorSet.bytes)
    verb = try #require(Verb.verbs(of: contracts.services).first { $0.name == "replay" })
  }

  private func parse(_ arguments: [String]) throws -> VerbArguments {
    try VerbArguments(
      arguments, request: #require(contracts.message(named: verb.method.requestType)),
      answer: contracts.message(named: verb.method.responseType), contracts: contracts,
      command: "kith fall-detector replay",
      reader: ScriptedReader(
        files: ["walk.csv": Array("x,y,z\n".utf8)], input: Array("time,x,y,z\n".utf8)))
  }

  private func request(_ arguments: [String]) throws -> ReplayRequest {
    try ReplayRequest(decoding: try parse(arguments).request.encoded())
  }

  @Test(arguments: [["walk.csv"], ["--trace", "walk.csv"], ["--trace=walk.csv"]])
  func aFileIsNamedAndRead(_ arguments: [String]) throws {
    #expect(try request(arguments).trace == Array("x,y,z\n".utf8))
  }

  @Test func standardInputIsAFileToo() throws {
    #expect(try request(["-"]).trace == Array("time,x,y,z\n".utf8))
    let failure = #expect(throws: CommandFailure.self) { try request(["gone.csv"]) }
    #expect(failure?.message.contains("gone.csv") == true)
  }

  @Test func aFileOfTheAnswerIsAskedForAndNamedByOneFlag() throws {
    let parsed = try parse(["walk.csv", "--plot", "walk.svg"])
    #expect(parsed.files.map(\.path) == ["walk.svg"])
    #expect(parsed.files.map(\.file.name) == ["plot"])
    #expect(try request(["walk.csv", "--plot", "walk.svg"]).plot)
    #expect(try !request(["walk.csv"]).plot)
    for wrong in [["walk.csv", "--plot"], ["walk.csv", "--plot", "a.svg", "--plot", "b.svg"]] {
      #expect(throws: CommandFailure.self) { try parse(wrong) }
    }
  }

  @Test func theFileIsWrittenAndNotShown() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/walk.svg"
    let file = try #require(try parse(["-", "--plot", path]).files.first?.file)
    let answer = ReplayResponse(sampleCount: 3, plot: Array("<svg/>".utf8))
    var message = try contracts.decode(
      try answer.encoded(), as: ReplayResponse.fullName)
    #expect(try file.write(to: path, from: &message) == 6)
    #expect(try SystemValueReader().bytes(ofFile: path) == Array("<svg/>".utf8))
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let lines = MessageRenderer(contracts, terminal: Terminal()).lines(message)
    #expect(lines.first == "sample count  3" && !lines.contains { $0.hasPrefix("plot") })
    // Where the answer has none, nothing is written.
    let none = #expect(throws: CommandFailure.self) {
      try file.write(to: "\(folder.path)/none.svg", from: &message)
    }
    #expect(none?.message.contains("has no plot") == true)
    #expect(access("\(folder.path)/none.svg", F_OK) != 0)
  }

  @Test func aFileThatCannotBeWrittenIsNamed() throws {
    let file = try #require(try parse(["-", "--plot", "x"]).files.first?.file)
    var message = try contracts.decode(
      try ReplayResponse(plot: [1]).encoded(), as: ReplayResponse.fullName)
    let failure = #expect(throws: CommandFailure.self) {
      try file.write(to: "/nowhere/walk.svg", from: &message)
    }
    #expect(failure?.status == .cannotCreate && failure?.message.contains("/nowhere") == true)
  }

  @Test func theHelpNamesFiles() throws {
    let help = VerbHelp(contracts: contracts, worker: "fall-detector", terminal: Terminal())
    let text = help.text(verb)
    #expect(text.hasPrefix("Usage: kith fall-detector replay [TRACE] [FLAGS]"))
    #expect(text.contains("TRACE, --trace FILE") && text.contains("--plot FILE"))
    #expect(!text.contains("--[no-]plot"))
    #expect(text.hasSuffix("kith fall-detector replay FILE"), "\(text)")
    let flags = help.json(verb)["flags"]?.arrayValue ?? []
    #expect(flags.filter { $0["name"]?.stringValue == "--plot" }.count == 1)
  }

  @Test func phasesAreATable() throws {
    let answer = ReplayResponse(
      sampleCount: 500, rateHz: 50,
      findings: [
        Finding(
          verdict: .candidate, score: 0.9, reason: "a fall",
          phases: [
            Phase(
              kind: .impact, startNs: 1_250_000_000, endNs: 1_300_000_000, value: 3.2, weight: 0.4),
            Phase(
              kind: .inactivity, startNs: 2_800_000_000, endNs: 62_800_000_000, value: 0.02,
              weight: 0.2),
          ], atNs: 1_250_000_000)
      ])
    let message = try contracts.decode(try answer.encoded(), as: ReplayResponse.fullName)
    let lines = MessageRenderer(contracts, terminal: Terminal()).lines(message)
    #expect(
      lines.contains("       kind         start     end  value  weight"),
      "\(lines.joined(separator: "\n"))")
    #expect(lines.contains("       impact      1.25 s   1.3 s    3.2     0.4"))
    #expect(lines.contains("       inactivity   2.8 s  62.8 s   0.02     0.2"))
    #expect(lines.contains { $0.hasSuffix("at          1.25 s") })
  }

  @Test func theContractIsPrintedWithItsOptions() throws {
    let printed = ContractPrinter(contracts).text(
      of: try #require(contracts.message(named: ReplayRequest.fullName)))
    #expect(printed.contains("(kith.positional) = true, (kith.file) = true];"))
  }
}
