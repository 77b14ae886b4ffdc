import KithReflection
import RiskContract
import Testing
import TestingContract

@testable import KithCommands
@testable import KithTerminal
@testable import KithVerbs

@Suite struct VerbHelpTests {
  @Test func theHelpOfAVerbComesFromTheContract() throws {
    let contracts = try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes)
    let help = VerbHelp(contracts: contracts, worker: "risk-engine", terminal: Terminal())
    let verbs = Verb.verbs(of: contracts.services)
    #expect(
      verbs.map(\.name) == [
        "analyze", "explain", "build-features", "analyze-features", "link", "rules", "get-model",
      ])
    #expect(help.text(verbs[0]) == Snapshots.analyzeHelp)
    #expect(help.text(services: contracts.services, verbs: verbs) == Snapshots.workerHelp)
  }

  @Test func theHelpOfAStreamHasWhatAStreamTakes() throws {
    let contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
    let service = try #require(contracts.service(named: "kith.testing.v1.Streams"))
    let verbs = Verb.verbs(of: [service])
    let help = VerbHelp(contracts: contracts, worker: "odd", terminal: Terminal())
    let list = help.text(services: [service], verbs: verbs)
    #expect(list.contains("(answers with a stream)") && list.contains("(a stream both ways)"))
    let sum = help.text(try #require(verbs.first { $0.name == "sum" }))
    #expect(!sum.contains("idempotency-key"))
    #expect(sum.contains("(default no") && !sum.contains("default 30s"), "\(sum)")
    #expect(sum.hasSuffix("kith odd sum < requests.jsonl"))
  }

  @Test func aMistypedVerbIsMet() throws {
    let verbs = Verb.verbs(
      of: try ContractSet(encodedDescriptorSet: RiskDescriptorSet.bytes).services)
    #expect(
      try Verb.verb(named: "Analyze", among: verbs, worker: "risk-engine").name == "analyze")
    let failure = #expect(throws: CommandFailure.self) {
      try Verb.verb(named: "anlyze", among: verbs, worker: "risk-engine")
    }
    #expect(failure?.message == "risk-engine has no verb 'anlyze'; did you mean 'analyze'?")
  }

  @Test func verbsOfTwoServicesAreToldApart() {
    func service(_ name: String) -> ServiceDescription {
      ServiceDescription(
        fullName: "a.\(name)",
        methods: [
          MethodDescription(
            name: "Check", service: "a.\(name)", requestType: "a.R", responseType: "a.R")
        ])
    }
    #expect(
      Verb.verbs(of: [service("PillBox"), service("Door")]).map(\.name)
        == ["pill-box.check", "door.check"])
  }

  @Test func messagesInsideOfMessagesHaveFlagsWithDots() throws {
    let contracts = try ContractSet(encodedDescriptorSet: TestingDescriptorSet.bytes)
    let type = try #require(contracts.message(named: "kith.testing.v1.Everything"))
    let names = RequestFlag.flags(of: type, in: contracts).map(\.name)
    #expect(names.contains("a-leaf.tags") && names.contains("tree.name"))
    #expect(names.contains("awkward.type"))
    // A message of its own kind is given as JSON.
    #expect(names.contains("nested") && !names.contains("nested.a-bool"))
    #expect(Set(names).count == names.count)
  }
}
