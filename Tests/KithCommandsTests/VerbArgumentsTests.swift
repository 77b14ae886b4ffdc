import KithReflection
import KithWire
import RiskContract
import Testing
import TestingContract

@testable import KithCommands
@testable import KithTerminal
@testable import KithVerbs

/// Files and standard input as a test wants them.
struct ScriptedReader: ValueReader {
  var files: [String: [UInt8]] = [:]
  var input: [UInt8] = []

  func bytes(ofFile path: String) throws(CommandFailure) -> [UInt8] {
    guard let bytes = files[path] else {
      throw CommandFailure(.badInput, "cannot read the file '\(path)'")
    }
    return bytes
  }

  func standardInput() throws(CommandFailure) -> [UInt8] { input }
}

@Suite struct VerbArgumentsTests {
  static func risk(
    _ arguments: [String], reader: ScriptedReader = ScriptedReader()
  ) throws -> VerbArguments {
    let contracts = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let type = try #require(contracts.message(named: "kith.risk.v1.AnalyzeRequest"))
    return try VerbArguments(
      arguments, request: type, contracts: contracts, command: "kith risk-engine analyze",
      reader: reader)
  }

  static func everything(
    _ arguments: [String], reader: ScriptedReader = ScriptedReader()
  ) throws -> Everything {
    let contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
    let type = try #require(contracts.message(named: "kith.testing.v1.Everything"))
    let parsed = try VerbArguments(
      arguments, request: type, contracts: contracts, command: "kith testing try", reader: reader)
    return try Everything(decoding: parsed.request.encoded())
  }

  @Test func flagsBuildTheRequest() throws {
    let parsed = try Self.risk([
      "--channel", "sms", "--text", "--hello", "--no-sender-is-contact", "--locale=de-CH",
    ])
    #expect(
      try AnalyzeRequest(decoding: parsed.request.encoded())
        == AnalyzeRequest(
          text: "--hello", channel: .sms, locale: "de-CH", senderIsContact: false))
    #expect(parsed.settings == CallSettings())
  }

  @Test func ownOptionsAreTakenBesides() throws {
    let parsed = try Self.risk(["--json", "--timeout", "5s", "--text", "x", "--root=/tmp/r"])
    #expect(parsed.settings.isJSON && parsed.settings.timeout == .seconds(5))
    #expect(parsed.settings.root == "/tmp/r")
    #expect(try Self.risk(["--help"]).wantsHelp)
    #expect(try Self.risk(["--text", "x", "-h"]).wantsHelp)
    #expect(try !Self.risk(["--text", "-h"]).wantsHelp)
  }

  @Test(
    arguments: [
      (["--a-double", "-1.5", "--a-float=0.25"], Everything(aDouble: -1.5, aFloat: 0.25)),
      (
        ["--an-int32", "-7", "--a-uint64", "18446744073709551615"],
        Everything(anInt32: -7, aUint64: .max)
      ),
      (["--a-bool", "--no-maybe-bool"], Everything(aBool: true, maybeBool: false)),
      (["--a-bool=false"], Everything()),
      (
        ["--a-bytes", "AP8=", "--a-colour", "infrared"],
        Everything(aBytes: [0, 255], aColour: .infrared)
      ),
      (["--colours", "RED", "--colours", "2"], Everything(colours: [.red, .init(rawValue: 2)])),
      (["--strings", "a", "--strings", ""], Everything(strings: ["a", ""])),
      (
        ["--a-leaf.name", "x", "--a-leaf.tags", "t", "--a-leaf.weight", "3"],
        Everything(aLeaf: Leaf(name: "x", weight: 3, tags: ["t"]))
      ),
      (
        ["--a-leaf", #"{"name": "x"}"#, "--a-leaf.weight", "3"],
        Everything(aLeaf: Leaf(name: "x", weight: 3))
      ),
      (
        ["--leaves", #"{"name": "a"}"#, "--leaves", "{}"],
        Everything(leaves: [Leaf(name: "a"), Leaf()])
      ),
      (
        ["--texts-by-text", "a=b=c", "--doubles-by-int32", "-1=2"],
        Everything(textsByText: ["a": "b=c"], doublesByInt32: [-1: 2])
      ),
      (["--bools", "true", "--bools", "false"], Everything(bools: [true, false])),
      (["--chosen-string", ""], Everything(choice: .chosenString(""))),
      (
        ["--json-request", #"{"anInt32": 1, "aBool": true}"#, "--an-int32", "2"],
        Everything(anInt32: 2, aBool: true)
      ),
    ] as [([String], Everything)])
  func everyKindOfFieldIsAFlag(_ arguments: [String], _ expected: Everything) throws {
    #expect(try Self.everything(arguments) == expected)
  }

  @Test func valuesComeFromFilesAndStandardInput() throws {
    let reader = ScriptedReader(
      files: ["note": Array("a\0b\n".utf8), "raw": [0xff, 0x0a]], input: Array("hi\r\n".utf8))
    #expect(try Self.everything(["--a-string", "@note"], reader: reader).aString == "a\0b")
    #expect(try Self.everything(["--a-string", "-"], reader: reader).aString == "hi")
    #expect(try Self.everything(["--a-string", "@@note"], reader: reader).aString == "@note")
    #expect(try Self.everything(["--a-bytes", "@raw"], reader: reader).aBytes == [0xff, 0x0a])
    let json = ScriptedReader(input: Array(#"{"aBool": true}"#.utf8))
    #expect(try Self.everything(["--json-request", "-"], reader: json).aBool)
  }

  @Test(
    arguments: [
      (["--txet", "x"], 64, "unknown flag --txet; did you mean --text?"),
      (
        ["--zzzzzz"], 64, "unknown flag --zzzzzz; `kith risk-engine analyze --help` lists the flags"
      ),
      (
        ["--text"], 64,
        "--text needs a value; `kith risk-engine analyze --help` shows what it takes"
      ),
      (
        ["--text", "--channel", "sms"], 64,
        "--text needs a value, and channel is a flag; to give that very text write --text=--channel"
      ),
      (["--text", "a", "--text", "b"], 64, "--text is given twice; it takes one value"),
      (
        ["--channel", "smss"], 64,
        "--channel: Channel has no value 'smss'; expected one of unspecified, sms, call, voicemail, "
          + "email, web, letter; did you mean 'sms'?"
      ),
      (
        ["--sender-is-contact", "true"], 64,
        "unexpected 'true': write a yes-or-no flag as --flag, --no-flag or --flag=true"
      ),
      (["--sender-is-contact=maybe"], 64, "--sender-is-contact: expected true or false"),
      (["--json=yes"], 64, "--json takes no value; write it without '='"),
      (
        ["--timeout", "soon"], 64,
        "--timeout: expected a time above zero in ms, s, m or h, such as 500ms, 5s or 2m, at most 24h"
      ),
      (
        ["--json-request", "{"], 65,
        "--json-request: line 1, column 2: expected a name in double quotes, found the end"
      ),
      (
        ["--json-request", #"{"txt": "x"}"#], 65,
        "--json-request: AnalyzeRequest has no field 'txt'; did you mean 'text'?"
      ),
      (["--text", "@nowhere"], 65, "cannot read the file 'nowhere'"),
    ] as [([String], Int32, String)])
  func wrongUsageSaysWhatIsRight(
    _ arguments: [String], _ code: Int32, _ message: String
  ) throws {
    let failure = #expect(throws: CommandFailure.self) { try Self.risk(arguments) }
    #expect(failure?.message == message)
    #expect(failure?.status.number == code)
  }

  @Test func wordsAreTheTextOfARequestThatHasOne() throws {
    let parsed = try Self.risk(["You", "won", "a prize", "--channel", "sms"])
    let request = try AnalyzeRequest(decoding: parsed.request.encoded())
    #expect(request.text == "You won a prize" && request.channel == .sms)
    let failure = #expect(throws: CommandFailure.self) { try Self.everything(["hello"]) }
    #expect(failure?.message.hasPrefix("there is a word that belongs to no flag") == true)
  }

  @Test func aFileThatIsNoTextIsNamedWithItsPlace() throws {
    let reader = ScriptedReader(files: ["f": [0x61, 0xc3, 0xa4, 0xff]], input: [0xff])
    let failure = #expect(throws: CommandFailure.self) {
      try Self.risk(["--text", "@f"], reader: reader)
    }
    #expect(failure?.message == "--text: byte 3 is not valid UTF-8; expected text in UTF-8")
    #expect(failure?.status == .badInput)
  }

  @Test func standardInputIsReadOnce() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try Self.everything(["--a-string", "-", "--a-bytes", "-"])
    }
    #expect(
      failure?.message
        == "standard input can be read once, and --a-string reads it; --a-bytes cannot too")
  }

  @Test func onlyOneOfAChoiceIsTaken() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try Self.everything(["--chosen-bool", "--chosen-int32", "1"])
    }
    #expect(failure?.message == "--chosen-int32: only one of the flags of 'choice' may be given")
  }

  @Test(
    arguments: [
      ("500ms", 500), ("5s", 5000), ("0.5s", 500), ("2m", 120_000), ("1h", 3_600_000),
      ("0s", nil), ("-1s", nil), ("5", nil), ("s", nil), ("1e3s", nil), ("25h", nil), ("infs", nil),
    ] as [(String, Int?)])
  func timesAreReadWithTheirUnit(_ text: String, _ milliseconds: Int?) {
    #expect(TimeLimit(argument: text)?.duration == milliseconds.map { .milliseconds($0) })
  }
}
