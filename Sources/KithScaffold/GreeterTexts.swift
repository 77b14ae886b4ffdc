extension PluginTexts {
  /// A plugin without data: it greets people.
  package static let greeter = PluginTexts(
    proto: greeterProto,
    plugin: [
      File("plugin.yaml", greeterManifest), File("demo.yaml", greeterDemo),
      File("README.md", greeterReadme), File("Domain/Greeter.swift", greeterDomain),
      File("Service/{{Type}}Service.swift", greeterService),
      File("Worker/main.swift", greeterWorker),
    ],
    tests: [
      File("GreeterTests.swift", greeterDomainTests),
      File("{{Type}}ServiceTests.swift", greeterServiceTests),
    ],
    trial: "greet --name Ana --part-of-day morning --plans \"take a walk\"")

  private static let greeterProto = """
    syntax = "proto3";

    // Greets people. An example to start from: change it into what {{kebab}} is for, then run
    // {{generate}}.
    package {{package}};

    {{import}} "kith/options.proto";

    // {{Words}}: finds the words for a person and a time of day.
    service {{Type}} {
      // Greets a person and tells what the day holds.
      rpc Greet(GreetRequest) returns (GreetResponse) {
        option (kith.callers) = ANYONE;
        option idempotency_level = NO_SIDE_EFFECTS;
      }
    }

    // Whom to greet, and when.
    message GreetRequest {
      // What the person likes to be called, at most 100 characters. Empty or blank is answered INVALID_ARGUMENT.
      string name = 1 [(kith.sensitive) = true];

      // The part of the day. Unspecified gives a greeting that fits at any time.
      PartOfDay part_of_day = 2 [(kith.default_value) = "unspecified"];

      // What the person plans to do, in order, at most 10.
      repeated string plans = 3 [(kith.sensitive) = true];
    }

    // The words.
    message GreetResponse {
      // One or two plain sentences.
      string greeting = 1 [(kith.sensitive) = true];

      // How many plans they name.
      uint32 plan_count = 2;
    }

    // A part of the day.
    enum PartOfDay {
      // Not known.
      PART_OF_DAY_UNSPECIFIED = 0;
      // Until noon.
      MORNING = 1;
      // From noon until six.
      AFTERNOON = 2;
      // From six on.
      EVENING = 3;
    }
    """

  private static let greeterManifest = """
    # {{Words}}: what the host must know about the plugin.
    plugin: {{kebab}}
    version: 0.1.0
    executable: {{executable}}
    provides: [{{package}}.{{Type}}]
    requires: []
    overlap: true
    restart: { type: permanent, strategy: one_for_one, intensity: 5, period: 30s }
    limits: { memory: 256MiB, open_files: 256 }
    network: none
    config:
      closing: { type: string, default: "Have a good day.", doc: "The sentence at the end of a greeting." }
    """

  private static let greeterDemo = """
    # A product of this plugin alone, to try it: {{up}}
    product: {{kebab}}-demo
    title: {{Words}} demo
    posture: ephemeral
    workers:
      {{kebab}}:
        config: { closing: "See you soon." }
    """

  private static let greeterReadme = """
    # {{Words}}

    Greets people. An example to start from.

    ```
    {{build}}
    {{kith}} {{kebab}} greet --name Ana --part-of-day morning --plans "take a walk"
    {{kith}} down
    ```

    | place | holds |
    |---|---|
    | `proto/{{protoFolder}}/{{snake}}.proto` | the contract: what it can be asked |
    | `Domain/` | the rules: values in, values out; no calls, files or clocks |
    | `Service/` | the rules behind the contract: checks requests, words answers |
    | `Worker/` | the program |
    | `plugin.yaml` | what the host must know, and the configuration |

    | method | answers |
    |---|---|
    | `Greet` | a greeting; INVALID_ARGUMENT for a blank or long name and for more than 10 plans |

    | configuration | type | default | meaning |
    |---|---|---|---|
    | `closing` | string | `Have a good day.` | the sentence at the end |
    """

  private static let greeterDomain = """
    /// Finds words for a person. Pure: the same values always give the same words.
    public struct Greeter: Sendable, Equatable {
      /// A part of the day.
      public enum Part: Sendable {
        /// Until noon.
        case morning
        /// From noon until six.
        case afternoon
        /// From six on.
        case evening
      }

      /// The sentence at the end.
      public var closing: String

      /// A greeter that ends with this sentence.
      public init(closing: String) {
        self.closing = closing
      }

      /// The words for a person; `part` is `nil` when the time of day is not known.
      public func greeting(name: String, part: Part?, plans: [String]) -> String {
        let words =
          switch part {
          case .morning: "Good morning"
          case .afternoon: "Good afternoon"
          case .evening: "Good evening"
          case nil: "Hello"
          }
        var sentences = ["\\(words), \\(name)."]
        if !plans.isEmpty { sentences.append("You plan to \\(Self.list(plans)).") }
        if !closing.isEmpty { sentences.append(closing) }
        return sentences.joined(separator: " ")
      }

      /// `a, b and c`
      private static func list(_ plans: [String]) -> String {
        guard let last = plans.last, plans.count > 1 else { return plans.first ?? "" }
        return "\\(plans.dropLast().joined(separator: ", ")) and \\(last)"
      }
    }
    """

  private static let greeterService = """
    public {{import}} KithRPC
    public {{import}} {{Contract}}
    {{import}} {{Type}}Domain

    /// The greeter behind its contract: checks requests and words answers.
    public struct {{Type}}Service: {{Type}}Handler {
      /// The longest name in characters.
      public static let longestName = 100
      /// The most plans of a greeting.
      public static let mostPlans = 10

      private let greeter: Greeter

      /// A service whose greetings end with this sentence.
      public init(closing: String) {
        greeter = Greeter(closing: closing)
      }

      /// What the worker serves.
      public var definition: ServiceDefinition { .{{property}}(self) }

      /// Greets a person.
      public func greet(
        _ request: GreetRequest, context: CallContext
      ) async throws -> GreetResponse {
        guard !request.name.allSatisfy(\\.isWhitespace) else {
          throw RPCError.invalidArgument(field: "name", "expected a name, found nothing but blanks")
        }
        guard request.name.count <= Self.longestName else {
          throw RPCError.invalidArgument(
            field: "name", "expected at most \\(Self.longestName) characters")
        }
        guard request.plans.count <= Self.mostPlans else {
          throw RPCError.invalidArgument(field: "plans", "expected at most \\(Self.mostPlans)")
        }
        return GreetResponse(
          greeting: greeter.greeting(
            name: request.name, part: Self.part(request.partOfDay), plans: request.plans),
          planCount: UInt32(request.plans.count))
      }

      /// A part of the day that this version does not know counts as not known.
      private static func part(_ part: PartOfDay) -> Greeter.Part? {
        switch part {
        case .morning: .morning
        case .afternoon: .afternoon
        case .evening: .evening
        default: nil
        }
      }
    }
    """

  private static let greeterWorker = """
    {{import}} KithWorker
    {{import}} {{Type}}Service

    try await Worker.run { context in
      let service = {{Type}}Service(closing: try context.configuration.string("closing"))
      return [service.definition]
    }
    """

  private static let greeterDomainTests = """
    {{import}} {{Type}}Domain
    {{import}} Testing

    @Suite struct GreeterTests {
      @Test(
        arguments: [
          (Greeter.Part.morning, [], "Good morning, Ana. Bye."),
          (.evening, ["rest"], "Good evening, Ana. You plan to rest. Bye."),
          (nil, ["walk", "read", "rest"], "Hello, Ana. You plan to walk, read and rest. Bye."),
        ] as [(Greeter.Part?, [String], String)])
      func wordsFitTheDay(_ part: Greeter.Part?, _ plans: [String], _ expected: String) {
        let greeter = Greeter(closing: "Bye.")
        #expect(greeter.greeting(name: "Ana", part: part, plans: plans) == expected)
      }

      @Test func theClosingMayBeEmpty() {
        #expect(Greeter(closing: "").greeting(name: "Ana", part: nil, plans: []) == "Hello, Ana.")
      }
    }
    """

  private static let greeterServiceTests = """
    {{import}} KithRPC
    {{import}} KithTransportInProcess
    {{import}} {{Contract}}
    {{import}} {{Type}}Service
    {{import}} Testing

    /// The service as its callers see it: through calls, without a socket.
    @Suite struct {{Type}}ServiceTests {
      @Test func aPersonIsGreeted() async throws {
        let answer = try await call(
          GreetRequest(name: "Ana", partOfDay: .morning, plans: ["take a walk"]))
        #expect(answer.greeting == "Good morning, Ana. You plan to take a walk. Bye.")
        #expect(answer.planCount == 1)
      }

      @Test(arguments: [
        (GreetRequest(name: " "), "name"),
        (GreetRequest(name: String(repeating: "a", count: 101)), "name"),
        (GreetRequest(name: "Ana", plans: Array(repeating: "rest", count: 11)), "plans"),
      ])
      func whatDoesNotFitIsRefused(_ request: GreetRequest, _ field: String) async throws {
        let error = await #expect(throws: RPCError.self) { try await call(request) }
        #expect(error?.code == .invalidArgument)
        #expect(error?.fieldViolations.map(\\.field) == [field])
      }

      private func call(_ request: GreetRequest) async throws -> GreetResponse {
        let transport = InProcessTransport()
        let service = {{Type}}Service(closing: "Bye.")
        let server = RPCServer(services: [service.definition])
        try server.start(on: transport.listener)
        defer { server.close() }
        let client = RPCClient(connector: transport.connector)
        defer { client.close() }
        return try await {{Type}}Client(client).greet(request)
      }
    }
    """
}
