import KithReflection
import Testing

/// What breaks a caller that was built with one contract when the service has another, and what
/// does not.
@Suite struct ContractComparisonTests {
  /// A service with one method, and types of every kind behind it.
  struct Draft: Sendable {
    var method = MethodDescription(
      name: "Do", service: "a.S", requestType: "a.Request", responseType: "a.Response",
      idempotency: .idempotent)
    var moreMethods: [MethodDescription] = []
    var request = MessageTypeDescription(
      fullName: "a.Request",
      fields: [
        FieldDescription(name: "text", number: 1, type: .string),
        FieldDescription(name: "count", number: 2, type: .int32),
        FieldDescription(
          name: "sizes", number: 3, type: .int64, cardinality: .repeated(isPacked: true)),
        FieldDescription(name: "names", number: 4, type: .string, cardinality: .map(key: .int32)),
        FieldDescription(
          name: "one", number: 5, type: .bool, cardinality: .explicit, oneof: "choice"),
        FieldDescription(
          name: "other", number: 6, type: .bool, cardinality: .explicit, oneof: "choice"),
      ], oneofs: [MessageTypeDescription.Oneof(name: "choice")], file: "a.proto")
    var response = MessageTypeDescription(
      fullName: "a.Response",
      fields: [
        FieldDescription(name: "tree", number: 1, type: .message("a.Tree"), cardinality: .explicit),
        FieldDescription(name: "colour", number: 2, type: .enumeration("a.Colour")),
      ], file: "a.proto")
    var tree = MessageTypeDescription(
      fullName: "a.Tree",
      fields: [
        FieldDescription(
          name: "trees", number: 1, type: .message("a.Tree"),
          cardinality: .repeated(isPacked: false)),
        FieldDescription(name: "weight", number: 2, type: .double),
      ], file: "a.proto")
    var colour = EnumDescription(
      fullName: "a.Colour",
      values: [
        EnumDescription.Value(name: "NONE", number: 0),
        EnumDescription.Value(name: "RED", number: 1),
      ], file: "a.proto")
    /// What nobody calls.
    var unused = MessageTypeDescription(
      fullName: "a.Unused", fields: [FieldDescription(name: "x", number: 1, type: .bool)])

    func contracts() throws(ContractError) -> ContractSet {
      try ContractSet(
        services: [
          ServiceDescription(fullName: "a.S", methods: [method] + moreMethods, file: "a.proto")
        ], messages: [request, response, tree, unused], enumerations: [colour])
    }
  }

  struct Case: Sendable, CustomTestStringConvertible {
    var name: String
    var change: @Sendable (inout Draft) -> Void
    /// The rules that it breaks, with where.
    var broken: [String]

    init(
      _ name: String, _ broken: [String] = [], _ change: @escaping @Sendable (inout Draft) -> Void
    ) {
      self.name = name
      self.change = change
      self.broken = broken
    }

    var testDescription: String { name }
  }

  static let breaking: [Case] = [
    Case("a method is gone", ["RPC_NO_DELETE a.S/Do"]) { $0.method.name = "Else" },
    Case("requests are streamed", ["RPC_SAME_CLIENT_STREAMING a.S/Do"]) {
      $0.method.isClientStreaming = true
    },
    Case("answers are streamed", ["RPC_SAME_SERVER_STREAMING a.S/Do"]) {
      $0.method.isServerStreaming = true
    },
    Case("may not be repeated any more", ["RPC_SAME_IDEMPOTENCY_LEVEL a.S/Do"]) {
      $0.method.idempotency = .unknown
    },
    Case("a field is gone", ["FIELD_NO_DELETE a.Request.text"]) { $0.request.fields.removeFirst() },
    Case("a field is gone and only its number reserved", ["FIELD_NO_DELETE a.Request.text"]) {
      $0.request.fields.removeFirst()
      $0.request.reserved.numbers = [1...1]
    },
    Case("a field far inside is gone", ["FIELD_NO_DELETE a.Tree.weight"]) {
      $0.tree.fields.removeLast()
    },
    Case("a field has another number", ["FIELD_SAME_NUMBER a.Request.text"]) {
      $0.request.fields[0].number = 9
    },
    Case(
      "two fields changed places",
      [
        "FIELD_SAME_NAME a.Request.text", "FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.text",
        "FIELD_SAME_NAME a.Request.count", "FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.count",
      ]
    ) {
      $0.request.fields[0].number = 2
      $0.request.fields[1].number = 1
    },
    Case("a field has another name", ["FIELD_SAME_NAME a.Request.text"]) {
      $0.request.fields[0] = FieldDescription(name: "words", number: 1, type: .string)
    },
    Case("a field has another name in JSON", ["FIELD_SAME_JSON_NAME a.Request.text"]) {
      $0.request.fields[0].jsonName = "theText"
    },
    Case("a number grew", ["FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.count"]) {
      $0.request.fields[1].type = .int64
    },
    Case("a number is written otherwise", ["FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.count"]) {
      $0.request.fields[1].type = .sint32
    },
    Case("a text is bytes", ["FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.text"]) {
      $0.request.fields[0].type = .bytes
    },
    Case("a number is an enum", ["FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.count"]) {
      $0.request.fields[1].type = .enumeration("a.Colour")
    },
    Case("a text is a message", ["FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.text"]) {
      $0.request.fields[0].type = .message("a.Tree")
    },
    Case(
      "the key of a map is another", ["FIELD_WIRE_JSON_COMPATIBLE_TYPE a.Request.names (the key)"]
    ) {
      $0.request.fields[3].cardinality = .map(key: .string)
    },
    Case("a value is a list", ["FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY a.Request.text"]) {
      $0.request.fields[0].cardinality = .repeated(isPacked: false)
    },
    Case("a list is a value", ["FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY a.Request.sizes"]) {
      $0.request.fields[2].cardinality = .implicit
    },
    Case("a map is a list", ["FIELD_WIRE_JSON_COMPATIBLE_CARDINALITY a.Request.names"]) {
      $0.request.fields[3].cardinality = .repeated(isPacked: false)
    },
    Case("a field left its choice", ["FIELD_SAME_ONEOF a.Request.one"]) {
      $0.request.fields[4].oneof = nil
    },
    Case("a field joined a choice", ["FIELD_SAME_ONEOF a.Request.text"]) {
      $0.request.fields[0].oneof = "choice"
    },
    Case("a field is required", ["MESSAGE_SAME_REQUIRED_FIELDS a.Request.text"]) {
      $0.request.fields[0].isRequired = true
    },
    Case("a new field is required", ["MESSAGE_SAME_REQUIRED_FIELDS a.Request.new"]) {
      $0.request.fields.append(
        FieldDescription(name: "new", number: 7, type: .bool, isRequired: true))
    },
    Case("a value of an enum is gone", ["ENUM_VALUE_NO_DELETE a.Colour.RED"]) {
      $0.colour.values.removeLast()
    },
    Case("a value of an enum has another name", ["ENUM_VALUE_SAME_NAME a.Colour.RED"]) {
      $0.colour.values[1].name = "CRIMSON"
    },
    Case("a value of an enum has another number", ["ENUM_VALUE_NO_DELETE a.Colour.RED"]) {
      $0.colour.values[1].number = 2
    },
  ]

  static let harmless: [Case] = [
    Case("nothing") { _ in },
    Case("a new method") {
      var more = $0.method
      more.name = "More"
      $0.moreMethods = [more]
    },
    Case("more is promised") { $0.method.idempotency = .noSideEffects },
    Case("a new field") {
      $0.request.fields.append(FieldDescription(name: "new", number: 7, type: .bool))
    },
    Case("a field is gone for good") {
      $0.request.fields.removeFirst()
      $0.request.reserved = Reservations(numbers: [1...1], names: ["text"])
    },
    Case("a value of an enum is gone for good") {
      $0.colour.values.removeLast()
      $0.colour.reserved = Reservations(numbers: [1...3], names: ["RED"])
    },
    Case("a new value of an enum") {
      $0.colour.values.append(EnumDescription.Value(name: "BLUE", number: 2))
    },
    Case("another name for a value of an enum") {
      $0.colour.values.append(EnumDescription.Value(name: "CRIMSON", number: 1))
    },
    Case("a list is packed otherwise") {
      $0.request.fields[2].cardinality = .repeated(isPacked: false)
    },
    Case("absence shows") { $0.request.fields[0].cardinality = .explicit },
    Case("a number without a sign") { $0.request.fields[1].type = .uint32 },
    Case("the order of fields") { $0.request.fields.reverse() },
    Case("a field is deprecated") { $0.request.fields[0].isDeprecated = true },
    Case("comments") { $0.request.documentation = "Says more." },
    Case("what nobody calls") { $0.unused.fields = [] },
    Case("a message has another name") {
      $0.request = MessageTypeDescription(
        fullName: "a.Question", fields: $0.request.fields, oneofs: $0.request.oneofs)
      $0.method.requestType = "a.Question"
    },
  ]

  @Test(arguments: breaking + harmless)
  func findsWhatBreaksAndNothingElse(example: Case) throws {
    let caller = Draft()
    var callee = caller
    example.change(&callee)
    let breaks = ContractComparison.breaks(
      of: "a.S", caller: try caller.contracts(), callee: try callee.contracts())
    #expect(breaks.map { "\($0.rule.rawValue) \($0.place)" } == example.broken)
    for broken in breaks {
      #expect("\(broken)".hasPrefix("\(broken.place) (a.proto) "), "\(broken)")
    }
  }

  @Test func aCallerThatRequiresAFieldBreaksWhenItMayBeLeftOut() throws {
    var caller = Draft()
    caller.request.fields[0].isRequired = true
    let breaks = ContractComparison.breaks(
      of: "a.S", caller: try caller.contracts(), callee: try Draft().contracts())
    #expect(breaks.map(\.rule) == [.fieldSameRequired])
  }

  @Test func aServiceThatIsNotThere() throws {
    let empty = try ContractSet(services: [], messages: [], enumerations: [])
    let whole = try Draft().contracts()
    #expect(
      ContractComparison.breaks(of: "a.S", caller: whole, callee: empty).map(\.rule)
        == [.serviceNoDelete])
    // Who never heard of it calls nothing of it.
    #expect(ContractComparison.breaks(of: "a.S", caller: empty, callee: whole).isEmpty)
  }

  @Test func everyRuleIsBrokenSomewhere() {
    let broken = Set(Self.breaking.flatMap(\.broken).map { String($0.prefix { $0 != " " }) })
    let all = Set(ContractBreak.Rule.allCases.map(\.rawValue))
    #expect(all.subtracting(broken) == ["SERVICE_NO_DELETE"])
  }

  @Test func realContractsFitThemselves() throws {
    let risk = try Contracts.risk()
    #expect(
      ContractComparison.breaks(of: "kith.risk.v1.RiskEngine", caller: risk, callee: risk).isEmpty)
  }
}
