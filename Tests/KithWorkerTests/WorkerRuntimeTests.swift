import HealthContract
import IdentityContract
import KithIdentity
import KithJSON
import KithRPC
import KithTransportInProcess
import Logging
import MetricsContract
import ReflectionContract
import Synchronization
import Testing
import WorkerContract

@testable import KithWorker

/// A worker served in memory, led by a test that plays the host.
@Suite struct WorkerRuntimeTests {
  private static let nonce = [UInt8](repeating: 9, count: 32)
  private static let record = LaunchRecord(
    product: "milo", worker: "echo", generation: 4, secret: [UInt8](repeating: 1, count: 32),
    address: "in memory", pluginDirectory: "/plugins/Echo", pluginVersion: "1.2.3",
    sealingKeys: [key(1)])

  /// A sealing key whose every byte is its id.
  private static func key(_ id: UInt32, count: Int = 32) -> SealingKey {
    SealingKey(id: id, secret: [UInt8](repeating: UInt8(id), count: count))
  }

  /// The worker's own method: answers the request, when it may.
  private static let echo = MethodDescriptor(service: "test.Echo", method: "Echo")

  private struct Host: Sendable {
    let client: RPCClient
    var lifecycle: LifecycleClient { LifecycleClient(client) }
    var health: HealthClient { HealthClient(client) }
    var reflection: ReflectionClient { ReflectionClient(client) }

    func handshake(secret: [UInt8] = record.secret, versions: ClosedRange<UInt32> = 1...1)
      async throws -> HandshakeResponse
    {
      try await lifecycle.handshake(
        HandshakeRequest(
          nonce: nonce, hostProof: Proof(secret: secret).hostProof(nonce: nonce),
          minimumProtocolVersion: versions.lowerBound, maximumProtocolVersion: versions.upperBound))
    }

    func configure(_ json: String = "{}") async throws {
      _ = try await lifecycle.configure(ConfigureRequest(configurationJson: json))
    }

    func start() async throws {
      _ = try await lifecycle.start(StartRequest())
    }

    func makeReady() async throws {
      _ = try await handshake()
      try await configure()
      try await start()
    }

    func status() async throws -> ServingStatus {
      try await health.check(CheckRequest()).status
    }
  }

  /// Runs a worker while `body` plays the host; answers how the worker's run ended. The worker is
  /// told to end when the body is done.
  @discardableResult
  private func withWorker(
    _ makeServices: @escaping WorkerRuntime.MakeServices = { _ in [] },
    _ body: @escaping @Sendable (Host, WorkerRuntime) async throws -> Void
  ) async throws -> WorkerRuntime.Outcome {
    let transport = InProcessTransport()
    let runtime = WorkerRuntime(
      record: Self.record, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      authorize: { _ in true }, makeServices: makeServices)
    let (listening, isListening) = AsyncStream<Void>.makeStream()
    return try await withThrowingTaskGroup(of: WorkerRuntime.Outcome?.self) { group in
      group.addTask {
        try await runtime.run(on: transport.listener) { isListening.finish() }
      }
      group.addTask {
        for await _ in listening {}
        let host = Host(client: try Self.client(of: transport, as: .host(HostCaller())))
        defer {
          host.client.close()
          runtime.terminate(.zero)
        }
        try await body(host, runtime)
        return nil
      }
      var outcome: WorkerRuntime.Outcome?
      while let result = try await group.next() { outcome = result ?? outcome }
      return try #require(outcome)
    }
  }

  /// A client that shows a ticket of the worker's host.
  private static func client(
    of transport: InProcessTransport, as caller: TicketStatement.Caller?
  ) throws -> RPCClient {
    let ticket = try TicketKey(secret: record.secret).issue(
      TicketStatement(
        product: "milo", callee: "echo", calleeGeneration: 4, caller: caller,
        expiresAtBootMs: .max))
    return RPCClient(
      connector: Identified(
        connector: transport.connector,
        entries: caller == nil ? [] : [.init(key: ProofKeys.ticket, value: .binary(ticket))]))
  }

  private struct Identified: Connector {
    let connector: any Connector
    let entries: [Metadata.Entry]

    func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
      var connection = try await connector.connect(request)
      connection.credentials = { [entries] in entries }
      return connection
    }
  }

  private func code(_ body: () async throws -> Void) async -> StatusCode? {
    do {
      try await body()
      return nil
    } catch {
      return (error as? RPCError)?.code
    }
  }

  @Test func isLedFromHandshakeToReady() async throws {
    let seen = Mutex<WorkerContext?>(nil)
    try await withWorker({ context in
      seen.withLock { $0 = context }
      return [
        ServiceDefinition(
          name: "test.Echo", methods: [.encodedUnary(Self.echo) { request, _ in request }])
      ]
    }) { host, _ in
      #expect(try await host.status() == .starting)
      let handshake = try await host.handshake(versions: 1...3)
      #expect(
        handshake.workerProof
          == Proof(secret: Self.record.secret).workerProof(
            nonce: Self.nonce, product: "milo", worker: "echo", generation: 4))
      #expect(handshake.protocolVersion == 1)
      #expect(handshake.sdkVersion == Worker.sdkVersion)
      #expect(handshake.pluginVersion == "1.2.3")
      #expect(handshake.process == .current())
      #expect(
        handshake.services.map(\.name) == [
          "kith.worker.v1.Lifecycle", "kith.health.v1.Health", "kith.metrics.v1.Metrics",
          "kith.reflection.v1.Reflection",
        ])
      #expect(handshake.services.allSatisfy { $0.descriptorSha256.count == 32 })
      try await host.configure("{\"high\": 0.5}")
      #expect(try await host.status() == .starting)
      let early = await #expect(throws: RPCError.self) {
        _ = try await host.client.unary(
          Self.echo, encodedRequest: [1], options: CallOptions(retry: .never))
      }
      #expect(early?.code == .unavailable && early?.execution == .notStarted)
      try await host.start()
      #expect(try await host.status() == .serving)
      #expect(try await host.handshake().services.first?.name == "test.Echo")
      let answer = try await host.client.unary(Self.echo, encodedRequest: [1, 2, 3])
      #expect(answer.message == [1, 2, 3])
      let unknown = await #expect(throws: RPCError.self) {
        _ = try await host.client.unary(
          MethodDescriptor(service: "x.Y", method: "Say"), encodedRequest: [])
      }
      #expect(unknown?.code == .unimplemented)
      let health = try await host.health.check(CheckRequest())
      // The host's own calls are no progress of the worker.
      #expect(health.callsInProgress == 0)
      #expect(health.progress == 1)
    }
    let context = try #require(seen.withLock { $0 })
    #expect(context.product == "milo" && context.worker == "echo" && context.generation == 4)
    #expect(try context.configuration.double("high") == 0.5)
    #expect(context.pluginDirectory == "/plugins/Echo")
    #expect(context.stateDirectory == nil && context.hostAddress == nil)
  }

  @Test(
    arguments: [
      (nil, StatusCode.unauthenticated), (.operator(OperatorCaller()), .permissionDenied),
      (.worker(WorkerCaller(name: "other", generation: 1, actsForUsers: true)), .permissionDenied),
    ] as [(TicketStatement.Caller?, StatusCode)])
  func isLedByItsHostAlone(_ caller: TicketStatement.Caller?, _ refusal: StatusCode) async throws {
    let transport = InProcessTransport()
    let runtime = WorkerRuntime(
      record: Self.record, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() },
      authorize: { _ in true }, makeServices: { _ in [] })
    let (listening, isListening) = AsyncStream<Void>.makeStream()
    async let run = runtime.run(on: transport.listener) { isListening.finish() }
    for await _ in listening {}
    let other = Host(client: try Self.client(of: transport, as: caller))
    defer { other.client.close() }
    #expect(await code { try await other.configure() } == refusal)
    #expect(await code { try await other.start() } == refusal)
    #expect(await code { _ = try await other.lifecycle.drain(DrainRequest()) } == refusal)
    #expect(await code { _ = try await other.lifecycle.moveClock(MoveClockRequest()) } == refusal)
    #expect(
      await code { _ = try await other.lifecycle.setLogLevel(SetLogLevelRequest(level: "debug")) }
        == refusal)
    // How it is, is no secret.
    #expect(try await other.status() == .starting)
    runtime.terminate(.zero)
    _ = try await run
  }

  @Test func refusesAHostThatDoesNotHoldTheSecret() async throws {
    try await withWorker { host, _ in
      let wrong = [UInt8](repeating: 2, count: 32)
      #expect(
        await code { _ = try await host.handshake(secret: wrong) } == .permissionDenied)
      #expect(
        await code { _ = try await host.handshake(versions: 2...3) } == .failedPrecondition)
      #expect(await code { try await host.configure() } == .failedPrecondition)
      #expect(await code { try await host.start() } == .failedPrecondition)
      #expect(
        await code { _ = try await host.lifecycle.drain(DrainRequest()) } == .failedPrecondition)
    }
  }

  @Test func takesOverWhatMayChangeWhileItRuns() async throws {
    let taken = Mutex<[Double]>([])
    try await withWorker({ context in
      context.onConfigurationChange(of: ["high"]) { configuration in
        let high = try configuration.double("high")
        guard high < 1 else { throw ConfigurationError(key: "high", description: "too high") }
        taken.withLock { $0.append(high) }
      }
      return []
    }) { host, _ in
      #expect(try await host.handshake().liveConfigurationKeys == [])
      try await host.configure("{\"high\": 0.5, \"low\": 0}")
      try await host.start()
      #expect(try await host.handshake().liveConfigurationKeys == ["high"])
      try await host.configure("{\"high\": 0.6, \"low\": 0}")
      #expect(
        await code { try await host.configure("{\"high\": 2, \"low\": 0}") } == .invalidArgument)
      #expect(
        await code { try await host.configure("{\"high\": 0.7, \"low\": 1}") }
          == .failedPrecondition)
      #expect(
        await code { try await host.configure("{\"high\": 0.7}") } == .failedPrecondition)
    }
    #expect(taken.withLock { $0 } == [0.6])
  }

  @Test(arguments: ["", "{", "[]", "1", "{\"a\": 1, \"a\": 2}"])
  func refusesAConfigurationThatIsNoObject(json: String) async throws {
    try await withWorker { host, _ in
      _ = try await host.handshake()
      #expect(await code { try await host.configure(json) } == .invalidArgument)
      // And takes a right one after that.
      try await host.configure()
      #expect(await code { try await host.configure() } == .failedPrecondition)
    }
  }

  @Test func saysWhyItCannotStart() async throws {
    struct Broken: Error { let secret = "hush" }
    try await withWorker({ context in
      if context.configuration.object["broken"] != nil { throw Broken() }
      _ = try context.configuration.double("absent")
      return []
    }) { host, _ in
      _ = try await host.handshake()
      try await host.configure()
      do {
        try await host.start()
        Issue.record("started")
      } catch let error as RPCError {
        #expect(error.code == .invalidArgument)
        #expect(error.fieldViolations.map(\.field) == ["configuration.absent"])
      }
      let health = try await host.health.check(CheckRequest())
      #expect(health.status == .starting && health.reason.contains("absent"))
      #expect(await code { try await host.start() } == .failedPrecondition)
    }
    try await withWorker({ _ in throw Broken() }) { host, _ in
      _ = try await host.handshake()
      try await host.configure("{\"broken\": true}")
      do {
        try await host.start()
        Issue.record("started")
      } catch let error as RPCError {
        #expect(error.code == .failedPrecondition)
        #expect(error.message.contains("Broken") && !error.message.contains("hush"))
      }
    }
  }

  @Test func reflectionTellsOfEachService() async throws {
    try await withWorker { host, _ in
      let all = try await host.reflection.describe(DescribeRequest())
      #expect(all.services.count == 4)
      #expect(
        try all.fileDescriptorSet
          == DescriptorSets.joined([
            WorkerDescriptorSet.bytes, HealthDescriptorSet.bytes, MetricsDescriptorSet.bytes,
            ReflectionDescriptorSet.bytes,
          ]))
      let one = try await host.reflection.describe(
        DescribeRequest(service: "kith.health.v1.Health"))
      #expect(one.services == ["kith.health.v1.Health"])
      #expect(one.fileDescriptorSet == HealthDescriptorSet.bytes)
      #expect(
        await code { _ = try await host.reflection.describe(DescribeRequest(service: "x.Y")) }
          == .notFound)
    }
  }

  @Test func callsOfItsOwnServicesAreCounted() async throws {
    try await withWorker({ _ in
      [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(Self.echo) { request, _ in
              switch request.first {
              case 1: throw RPCError(.notFound, "there is none")
              case 2: throw RPCError(.unavailable, "not today")
              default: return request
              }
            }
          ])
      ]
    }) { host, _ in
      try await host.makeReady()
      let metrics = MetricsClient(host.client)
      let before = try await metrics.readMetrics(ReadMetricsRequest())
      #expect(before.methods.map(\.method) == ["test.Echo/Echo"])
      #expect(before.methods.first?.calls == 0 && before.methods.first?.latency == nil)
      for request in 0..<4 as Range<UInt8> {
        _ = try? await host.client.unary(Self.echo, encodedRequest: [request])
      }
      let after = try await metrics.readMetrics(ReadMetricsRequest())
      #expect(after.uptimeUs >= before.uptimeUs)
      let method = try #require(after.methods.first)
      #expect(method.calls == 4 && method.errors == 1 && method.inFlight == 0)
      #expect(method.callsByStatus == [0: 2, 5: 1, 14: 1])
      let latency = try #require(method.latency)
      #expect(latency.count == 4 && latency.buckets.reduce(0) { $0 + $1.count } == 4)
      #expect(latency.p50Us <= latency.p95Us && latency.p95Us <= latency.p99Us)
      #expect(latency.buckets.last?.upperUs == latency.p99Us)
    }
  }

  @Test func logsFromTheLevelOnThatItsHostSays() async throws {
    try await withWorker { host, runtime in
      let isRefused = await code {
        _ = try await host.lifecycle.setLogLevel(SetLogLevelRequest(level: "debug"))
      }
      #expect(isRefused == .failedPrecondition)
      _ = try await host.handshake()
      _ = try await host.lifecycle.setLogLevel(SetLogLevelRequest(level: "debug"))
      #expect(runtime.logThreshold.level == .debug)
      let unknown = await code {
        _ = try await host.lifecycle.setLogLevel(SetLogLevelRequest(level: "loud"))
      }
      #expect(unknown == .invalidArgument)
      #expect(runtime.logThreshold.level == .debug)
    }
  }

  @Test func takesTheKeysThatItsHostHandsOverAndNoOthers() async throws {
    let taken = Mutex<[[UInt32]]>([])
    try await withWorker({ context in
      try context.handedKeys.follow { keys in taken.withLock { $0.append(keys.map(\.id)) } }
      return []
    }) { host, _ in
      func take(_ keys: [SealingKey]) async -> StatusCode? {
        await code { _ = try await host.lifecycle.takeKeys(TakeKeysRequest(keys: keys)) }
      }
      // Before the host has proved itself anybody might call.
      #expect(await take([Self.key(2)]) == .failedPrecondition)
      _ = try await host.handshake()
      // Before anything is opened with them.
      #expect(await take([Self.key(3), Self.key(1)]) == nil)
      try await host.configure()
      try await host.start()
      #expect(taken.withLock { $0 } == [[3, 1]])
      for refused in [
        [], [Self.key(0)], [Self.key(4), Self.key(0)], [Self.key(4), Self.key(4)],
        [Self.key(4, count: 31)], [Self.key(4), Self.key(5, count: 33)],
      ] {
        #expect(await take(refused) == .invalidArgument)
      }
      #expect(taken.withLock { $0 } == [[3, 1]])
      #expect(await take([Self.key(3), Self.key(1), Self.key(4)]) == nil)
      #expect(await take([Self.key(4), Self.key(3)]) == nil)
      #expect(taken.withLock { $0 } == [[3, 1], [3, 1, 4], [4, 3]])
    }
  }

  @Test func keysThatCannotBeTakenAreNotSaidToBe() async throws {
    try await withWorker({ context in
      try context.handedKeys.follow { keys throws(RPCError) in
        guard keys.count == 1 else { throw RPCError(.internal, "no") }
      }
      return []
    }) { host, _ in
      try await host.makeReady()
      let refused = await code {
        _ = try await host.lifecycle.takeKeys(
          TakeKeysRequest(keys: [Self.key(2), Self.key(1)]))
      }
      #expect(refused == .internal)
    }
  }

  @Test func partsOfTheSDKSayWhatTheyLackBesideTheWorkersOwnWord() async throws {
    let health = Mutex<WorkerHealth?>(nil)
    try await withWorker({ context in
      health.withLock { $0 = context.health }
      return []
    }) { host, _ in
      try await host.makeReady()
      let health = try #require(health.withLock { $0 })
      health.degrade("1 value is damaged", part: "values")
      health.degrade("the model is old")
      #expect(
        try await host.health.check(CheckRequest()).reason == "the model is old; 1 value is damaged"
      )
      health.degrade("2 values are damaged", part: "values")
      health.recover(from: "the model is old")
      #expect(try await host.health.check(CheckRequest()).reason == "2 values are damaged")
      health.degrade("the model is new")
      health.recover(from: "the model is old")
      health.degrade("", part: "values")
      #expect(try await host.health.check(CheckRequest()).reason == "the model is new")
      health.recover()
      #expect(try await host.status() == .serving)
    }
  }

  @Test func tellsItsOwnWordOfItsHealth() async throws {
    let health = Mutex<WorkerHealth?>(nil)
    try await withWorker({ context in
      health.withLock { $0 = context.health }
      return []
    }) { host, _ in
      try await host.makeReady()
      health.withLock { $0 }?.degrade("the model is old")
      let degraded = try await host.health.check(CheckRequest())
      #expect(degraded.status == .degraded && degraded.reason == "the model is old")
      health.withLock { $0 }?.recover()
      #expect(try await host.status() == .serving)
    }
  }

  @Test func drainsWhatIsInProgress() async throws {
    let (entered, enter) = AsyncStream<Void>.makeStream()
    let (released, release) = AsyncStream<Void>.makeStream()
    let outcome = try await withWorker({ _ in
      [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(Self.echo) { request, _ in
              enter.finish()
              for await _ in released {}
              return request
            }
          ])
      ]
    }) { host, _ in
      try await host.makeReady()
      async let answer = host.client.unary(Self.echo, encodedRequest: [1])
      for await _ in entered {}
      let drain = try await host.lifecycle.drain(DrainRequest(gracePeriodMs: 60_000))
      #expect(drain.callsInProgress == 1)
      #expect(await code { _ = try await host.status() } == .unavailable)
      release.finish()
      #expect(try await answer.message == [1])
    }
    #expect(outcome == .drained)
  }

  @Test func endsCallsWhoseTimeIsUp() async throws {
    let (entered, enter) = AsyncStream<Void>.makeStream()
    let outcome = try await withWorker({ _ in
      [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(Self.echo) { request, _ in
              enter.finish()
              // Until it is cancelled.
              for await _ in AsyncStream<Void>.makeStream().stream {}
              return request
            }
          ])
      ]
    }) { host, _ in
      try await host.makeReady()
      async let answer = host.client.unary(Self.echo, encodedRequest: [1])
      for await _ in entered {}
      _ = try await host.lifecycle.drain(DrainRequest(gracePeriodMs: 0))
      do {
        _ = try await answer
        Issue.record("answered")
      } catch let error as RPCError {
        #expect(error.code == .unavailable)
      }
    }
    #expect(outcome == .drained)
  }

  @Test func aSignalDrainsAndASecondOneCutsShort() async throws {
    // The signal that ends every worker of these tests.
    let drained = try await withWorker { host, _ in try await host.makeReady() }
    #expect(drained == .drained)

    let (entered, enter) = AsyncStream<Void>.makeStream()
    let cut = try await withWorker({ _ in
      [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(Self.echo) { request, _ in
              enter.finish()
              for await _ in AsyncStream<Void>.makeStream().stream {}
              return request
            }
          ])
      ]
    }) { host, runtime in
      try await host.makeReady()
      async let answer = host.client.unary(Self.echo, encodedRequest: [1])
      for await _ in entered {}
      runtime.terminate(.seconds(60))
      runtime.terminate(.seconds(60))
      _ = try? await answer
    }
    #expect(cut == .cutShort)
  }
}
