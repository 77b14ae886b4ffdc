import KithJSON
import KithRPC
import Testing

@testable import KithWorker

/// The answer of a worker's program to `--check-configuration`.
@Suite struct ConfigurationCheckTests {
  private func problems(
    _ input: String, _ read: (WorkerConfiguration) throws -> Void
  ) -> JSONValue? {
    let answer = ConfigurationCheck.answer(to: Array(input.utf8), read)
    #expect(answer["checked"] == true)
    return answer["problems"]
  }

  @Test func whatIsReadWithoutAnErrorHasNoProblem() {
    let found = problems(#"{ "level": 3 }"#) { configuration in
      let level = try configuration.integer("level")
      #expect(level == 3)
    }
    #expect(found == [])
  }

  @Test func anErrorNamesItsKey() {
    #expect(
      problems("{}") { _ in throw ConfigurationError(key: "level", description: "too high") }
        == [["key": "level", "reason": "too high"]])
    for field in ["configuration.level", "level", "configuration.level[2]"] {
      #expect(
        problems("{}") { _ in throw RPCError.invalidArgument(field: field, "too high") }
          == [["key": "level", "reason": "too high"]])
    }
    #expect(
      problems("{}") { _ in throw RPCError(.unavailable, "gone") }
        == [["key": "", "reason": "gone"]])
  }

  @Test(arguments: ["", "[]", "{", "null"])
  func whatIsNoConfigurationIsAProblem(_ input: String) {
    #expect(problems(input) { _ in } == [["key": "", "reason": "it is not a JSON object"]])
  }
}
