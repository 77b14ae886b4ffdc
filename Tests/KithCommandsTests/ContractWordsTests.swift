import KithAccess
import KithReflection
import KithWire
import RemindersContract
import Testing

@testable import KithCommands
@testable import KithTerminal
@testable import KithVerbs

/// What a contract says of its own command line: words for methods, values without flags, units.
@Suite struct ContractWordsTests {
  private let contracts: ContractSet

  init() throws { contracts = try ContractSet(encodedDescriptorSet: RemindersDescriptorSet.bytes) }

  private func parse<Request: GeneratedMessage>(
    _ type: Request.Type, _ arguments: [String]
  ) throws -> Request {
    let message = try #require(contracts.message(named: Request.fullName))
    let parsed = try VerbArguments(
      arguments, request: message, contracts: contracts, command: "kith reminders",
      reader: ScriptedReader(input: Array("Tea at 3 pm\n".utf8)))
    return try Request(decoding: parsed.request.encoded())
  }

  @Test func aMethodIsCalledAsItsContractSays() throws {
    let verbs = Verb.verbs(of: contracts.services)
    #expect(verbs.map(\.name).prefix(5) == ["add", "get", "list", "update", "delete"])
    // Without a word of its own it has its name; and its name works always.
    #expect(verbs.contains { $0.name == "read-time" })
    for name in ["add", "create-reminder", "CreateReminder"] {
      let verb = try Verb.verb(named: name, among: verbs, worker: "reminders")
      #expect(verb.method.name == "CreateReminder")
    }
  }

  @Test(arguments: [
    ["Pills at 8 pm"], ["Pills", "at", "8", "pm"], ["--text", "Pills at 8 pm"],
    ["--", "Pills at 8 pm"],
  ])
  func whatIsSaidNeedsNoFlag(_ words: [String]) throws {
    let request = try parse(CreateReminderRequest.self, words)
    #expect(request == CreateReminderRequest(text: "Pills at 8 pm"))
  }

  @Test func wordsAndFlagsGoTogether() throws {
    #expect(
      try parse(CreateReminderRequest.self, ["Pills", "--kind", "medicine", "at 8 pm"])
        == CreateReminderRequest(text: "Pills at 8 pm", kind: .medicine))
    #expect(try parse(CreateReminderRequest.self, ["-"]).text == "Tea at 3 pm")
    #expect(try parse(CreateReminderRequest.self, ["--", "--kind"]).text == "--kind")
    let twice = #expect(throws: CommandFailure.self) {
      try parse(CreateReminderRequest.self, ["Pills", "--text", "Tea"])
    }
    #expect(twice?.message == "--text is given twice; it takes one value")
    let flag = #expect(throws: CommandFailure.self) {
      try parse(CreateReminderRequest.self, ["Pills", "-x"])
    }
    #expect(flag?.status == .usage)
    // A request without such a field takes no bare words.
    #expect(throws: CommandFailure.self) { try parse(ListUpcomingRequest.self, ["today"]) }
  }

  @Test func timesAreTypedAsTimes() throws {
    #expect(
      try parse(ListUpcomingRequest.self, ["--within", "2d"])
        == ListUpcomingRequest(withinMs: 172_800_000))
    #expect(try parse(ListUpcomingRequest.self, ["--within", "5000"]).withinMs == 5_000)
    #expect(
      try parse(CompleteOccurrenceRequest.self, ["r1", "--due", "2026-11-21T20:00:00-05:00"])
        == CompleteOccurrenceRequest(reminderId: "r1", dueMs: 1_795_309_200_000))
    #expect(
      try parse(
        CreateReminderRequest.self, ["x", "--ladder.repeats", "5m", "--ladder.repeats", "10m"]
      )
      .ladder?.repeatsMs == [300_000, 600_000])
    for wrong in [["--due", "8 pm"], ["--due", "5m"]] {
      let failure = #expect(throws: CommandFailure.self) {
        try parse(CompleteOccurrenceRequest.self, ["r1"] + wrong)
      }
      #expect(
        failure?.status == .usage && failure?.message.contains("2026-11-21T20:00:00Z") == true)
    }
    #expect(throws: CommandFailure.self) {
      try parse(ListUpcomingRequest.self, ["--within", "tomorrow"])
    }
  }

  @Test func timesAreShownAsTimes() throws {
    let occurrence = Occurrence(
      reminderId: "r1", dueMs: 1_795_309_200_000, state: .sent, lateByMs: 600_000)
    let message = try contracts.decode(try occurrence.encoded(), as: Occurrence.fullName)
    let lines = MessageRenderer(contracts, terminal: Terminal()).lines(message)
    #expect(
      lines == [
        "reminder id  r1", "due          2026-11-22T01:00:00Z", "state        sent",
        "late by      10 min",
      ])
  }

  @Test func whoeverCallsIsNamed() throws {
    let message = try #require(contracts.message(named: ListRemindersRequest.fullName))
    func parse(_ user: String) throws -> VerbArguments {
      try VerbArguments(
        ["--as", user], request: message, contracts: contracts, command: "kith reminders list",
        reader: ScriptedReader())
    }
    #expect(try parse("ada").settings.user == UserID("ada"))
    #expect(throws: CommandFailure.self) { try parse("a b") }
  }
}
