import DescriptorContract
import KithReflection
import KithWire
import Testing

@Suite struct ContractSetTests {
  @Test func servicesAndMethodsAreReadWithTheirComments() throws {
    let contracts = try Contracts.risk()
    let service = try #require(contracts.service(named: "kith.risk.v1.RiskEngine"))
    #expect(service.name == "RiskEngine")
    #expect(service.documentation.hasPrefix("Scores short texts that a person received."))
    #expect(
      service.methods.map(\.name) == [
        "Analyze", "Explain", "BuildFeatures", "AnalyzeFeatures", "InspectLink", "ListRules",
        "GetModel",
      ])
    let analyze = try #require(contracts.method(named: "kith.risk.v1.RiskEngine/Analyze"))
    #expect(analyze.requestType == "kith.risk.v1.AnalyzeRequest")
    #expect(analyze.responseType == "kith.risk.v1.AnalyzeResponse")
    #expect(analyze.idempotency == .noSideEffects)
    #expect(!analyze.isClientStreaming && !analyze.isServerStreaming)
    #expect(analyze.documentation.hasPrefix("Scores a text and says why"))
  }

  @Test func fieldsAreReadWithOptionsAndPresence() throws {
    let request = try #require(
      try Contracts.risk().message(named: "kith.risk.v1.AnalyzeRequest"))
    let text = try #require(request.field(named: "text"))
    #expect(text.isSensitive && text.type == .string && text.cardinality == .implicit)
    let locale = try #require(request.field(named: "locale"))
    #expect(!locale.isSensitive && locale.documentedDefault == "en-US")
    let contact = try #require(request.field(named: "sender_is_contact"))
    #expect(contact.jsonName == "senderIsContact")
    #expect(contact.cardinality == .explicit && contact.oneof == nil)
    #expect(request.oneofs.isEmpty)
    #expect(request.field(named: "channel")?.type == .enumeration("kith.risk.v1.Channel"))
  }

  @Test func mapsListsAndChoicesAreTold() throws {
    let everything = try #require(
      try Contracts.everything().message(named: Contracts.everythingName))
    #expect(everything.field(named: "doubles_by_int32")?.cardinality == .map(key: .int32))
    #expect(everything.field(named: "doubles_by_int32")?.type == .double)
    #expect(everything.field(named: "int32s")?.cardinality == .repeated(isPacked: true))
    #expect(everything.field(named: "strings")?.cardinality == .repeated(isPacked: false))
    #expect(everything.field(named: "chosen_int32")?.oneof == "choice")
    #expect(everything.oneofs == [.init(name: "choice", documentation: "One of several kinds.")])
    #expect(everything.field(named: "last")?.number == 536_870_911)
  }

  @Test func enumValuesHaveShortNames() throws {
    let label = try #require(try Contracts.risk().enumeration(named: "kith.risk.v1.Label"))
    #expect(
      label.values.map { label.shortName(of: $0) }
        == ["unspecified", "likely-safe", "suspicious", "likely-scam"])
    #expect(label.value(named: "LIKELY_SCAM").map { label.words(for: $0) } == "likely scam")
  }

  @Test func bytesThatAreNoDescriptorSetAreRefused() {
    #expect(throws: ContractError.self) {
      try ContractSet(encodedDescriptorSet: [0x0a, 0x05, 0x01])
    }
  }

  @Test func aMissingTypeIsNamed() throws {
    let file = FileDescriptorProto(
      name: "a.proto", package: "a",
      messageType: [
        DescriptorProto(
          name: "A",
          field: [
            FieldDescriptorProto(
              name: "b", number: 1, label: .optional, type: .message, typeName: ".a.B")
          ])
      ], syntax: "proto3")
    let set = FileDescriptorSet(file: [file])
    let error = #expect(throws: ContractError.self) {
      try ContractSet(encodedDescriptorSet: try set.encoded())
    }
    #expect(error?.message == "a.A.b needs a.B, which the contracts do not describe")
  }

  @Test(arguments: [
    ("AnalyzeRequest", "analyze-request"), ("GetModel", "get-model"), ("score_100", "score-100"),
    ("HTTPServer", "http-server"), ("LIKELY_SCAM", "likely-scam"), ("SMS", "sms"),
  ])
  func namesBecomeKebab(_ name: String, _ kebab: String) {
    #expect(ContractNames.kebab(name) == kebab)
  }
}
