import ArgumentParser
import KithJSON
import KithManifest
import KithRPC
import Testing

@testable import KithCommands
@testable import KithTerminal
@testable import KithVerbs

@Suite struct CommandFailureTests {
  @Test func everyErrorHasACode() throws {
    let failures = [
      CommandFailure(.usage, "x"), CommandFailure(RPCError(.notFound, "x")),
      CommandFailure(ManifestError(.environment, "x", at: nil)),
      CommandFailure(.unavailable, "x", notes: ["y"]),
    ]
    #expect(
      failures.map { $0.json["error"]?["code"] }
        == ["INVALID_ARGUMENT", "NOT_FOUND", "INVALID_ARGUMENT", "UNAVAILABLE"])
    #expect(ExitStatus.all.allSatisfy { CommandFailure($0, "x").code == $0.code.name })
  }

  @Test func aPathThatIsTooLongCannotBeMadeAndAnyOtherPlaceIsUsage() {
    #expect(
      CommandFailure(ManifestError(.pathTooLong, "x", at: nil)).status == .cannotCreate)
    for code in [ManifestError.Code.environment, .outOfRange] {
      #expect(CommandFailure(ManifestError(code, "x", at: nil)).status == .usage)
    }
  }

  @Test func whatACallTellsOfItsFailureIsInTheJSON() {
    let refused = CommandFailure(RPCError.invalidArgument(field: "text", "must not be empty"))
    #expect(
      refused.json["error"]?["fields"]
        == [["field": "text", "description": "must not be empty"]])
    #expect(refused.json["error"]?["execution"] == nil)
    for (execution, word) in [
      (CallExecution.notStarted, "NOT_STARTED"), (.mayHaveRun, "MAY_HAVE_RUN"),
    ] as [(CallExecution, String)] {
      var lost = CommandFailure(.unavailable, "x")
      lost.execution = execution
      #expect(lost.json["error"]?["execution"] == JSONValue.string(word))
    }
  }

  @Test(
    arguments: [
      (["status", "--jsn"], "Unknown option '--jsn'. Did you mean '--json'?"),
      (["up"], "Missing expected argument '<product|file>'"),
      (
        ["status", "--timeout", "-1s"],
        "The value '-1s' is invalid for '--timeout <time>': a time cannot be negative; expected "
          + TimeLimit.form
      ),
      (
        ["logs", "-n", "-1"],
        "The value '-1' is invalid for '-n <count>': a count cannot be negative; expected 0 to 10000"
      ),
      (
        ["logs", "-n", "20000"],
        "The value '20000' is invalid for '-n <count>': expected 0 to 10000"
      ),
    ] as [([String], String)])
  func usageThatTheParserRefusesIsAFailureLikeAnyOther(
    _ arguments: [String], _ message: String
  ) throws {
    let error = try #require(throws: (any Error).self) {
      _ = try KithCommand.parseAsRoot(arguments)
    }
    let failure = CommandFailure(parsing: error)
    #expect(failure.message == message)
    #expect(failure.status == .usage)
    #expect(failure.notes.first?.hasPrefix("Usage: kith \(arguments[0])") == true)
  }

  @Test(
    arguments: [
      (
        ["clock", "advance", "-5m"],
        "'-5m' is negative: time only advances; expected a length of time such as 90s, 3h or 1d12h. "
          + "`kith clock set INSTANT` sets the wall clock back"
      ),
      (["clock", "set", "-5"], "'-5' is negative, and no negative value is expected here"),
      (["clock", "-5m"], "'-5m' is negative, and no negative value is expected here"),
      (
        ["up", "x", "--virtual-time", "-5"],
        "'-5' is negative, and no negative value is expected here"
      ),
      (["status", "-x"], "Unknown option '-x'"),
    ] as [([String], String)])
  func aNegativeValueIsNotAnUnknownOption(_ arguments: [String], _ message: String) throws {
    let error = try #require(throws: (any Error).self) {
      _ = try KithCommand.parseAsRoot(arguments)
    }
    let failure = CommandFailure(parsing: error, arguments: arguments)
    #expect(failure.message == message)
    #expect(failure.status == .usage)
  }

  @Test func anEmptyFolderIsNotTheOneAtHand() throws {
    let failure = #expect(throws: CommandFailure.self) {
      try Surroundings.folder("", option: "--root")
    }
    #expect(failure?.status == .usage)
    #expect(failure?.message.hasPrefix("--root needs a folder") == true)
  }

  @Test func noWorkerMayHaveTheNameOfACommand() {
    #expect(ReservedNames.commands == Set(KithCommand.names + ["help"]))
  }
}
