import HealthContract
import KithRPC
import KithWire
import Synchronization
import Testing

/// What a caller and a handler see of a call, over every transport.
@Suite(.timeLimit(.minutes(2)))
struct CallTests {
  @Test("simple request", arguments: TransportKind.allCases)
  func aCallIsAnswered(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, server, _ in
      try #require(try await client.say([7, 8]) == [7, 8])
      try #require(try await client.say([]) == [])
    }
  }

  @Test("registered call", arguments: TransportKind.allCases)
  func generatedCodeCallsAndAnswers(_ kind: TransportKind) async throws {
    struct Worker: HealthHandler {
      func check(_ request: CheckRequest, context: CallContext) async throws -> CheckResponse {
        guard context.metadata.isEmpty else {
          throw RPCError.invalidArgument(field: "service", "must be empty here")
        }
        var response = CheckResponse()
        response.status = ServingStatus(rawValue: 1)
        return response
      }

      func watch(
        _ request: WatchRequest, responses: ResponseWriter<WatchResponse>, context: CallContext
      ) async throws {
        throw RPCError(.unimplemented, "nobody watches here")
      }
    }
    let place = kind.makePlace()
    let server = RPCServer(services: [.health(Worker())])
    try server.start(on: place.makeListener())
    let health = HealthClient(RPCClient(connector: place.connector))
    #expect(try await health.check(CheckRequest()).status.rawValue == 1)

    let options = CallOptions(metadata: ["a": "b"])
    let error = await #expect(throws: RPCError.self) {
      try await health.check(CheckRequest(), options: options)
    }
    #expect(error?.code == .invalidArgument)
    #expect(
      error?.fieldViolations == [
        FieldViolation(field: "service", description: "must be empty here")
      ])
    server.close()
  }

  @Test("simple, binary and trailing metadata", arguments: TransportKind.allCases)
  func metadataTravelsBothWays(_ kind: TransportKind) async throws {
    let seen = Mutex(Metadata())
    let echo = EchoService { context in
      seen.withLock { $0 = context.metadata }
      context.responseMetadata = ["kept": "before"]
      context.responseTrailers = ["kept": "after"]
      context.responseTrailers.append(binary: [0, 255], forKey: "raw")
    }
    try await withEcho(kind, echo) { client, _, _ in
      var metadata: Metadata = ["a": "1", "b": "é\u{0}x", "a": "2"]
      metadata.append(binary: [0, 1, 254], forKey: "c-bin")
      let response = try await client.unary(
        EchoService.describe, encodedRequest: [], options: CallOptions(metadata: metadata))
      #expect(seen.withLock { $0 } == metadata)
      #expect(response.metadata == ["kept": "before"])
      #expect(response.trailers["kept"] == "after")
      #expect(response.trailers[binary: "raw"] == [0, 255])

      let error = await client.failure(of: EchoService.fail)
      #expect(error.trailers["kept"] == "after")
    }
  }

  @Test("bad metadata key", arguments: TransportKind.allCases)
  func aBadMetadataKeyIsRefusedBeforeItIsSent(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, server, _ in
      for key in ["", "Upper", "space d", String(repeating: "k", count: 129)] {
        let error = await client.failure(
          of: EchoService.say,
          options: CallOptions(metadata: Metadata([.init(key: key, value: .text("v"))])))
        #expect(error.code == .invalidArgument, "\(key)")
      }
      #expect(server.callsEnded == 0)
    }
  }

  @Test("peer identity", arguments: TransportKind.allCases)
  func whoCalledAndWithWhichTraceIsKnown(_ kind: TransportKind) async throws {
    let seen = Mutex<(PeerIdentity, String, String)?>(nil)
    let echo = EchoService { context in
      seen.withLock { $0 = (context.peer, context.traceparent, context.method.fullName) }
    }
    try await withEcho(kind, echo) { client, _, _ in
      _ = try await client.unary(
        EchoService.describe, encodedRequest: [], options: CallOptions(traceparent: "00-ab-cd-01"))
      let (peer, traceparent, method) = try #require(seen.withLock { $0 })
      // On one machine the kernel tells who it is, between two the certificate does.
      #expect(peer.uid == (kind == .tls ? nil : RPCTestSystem.userID))
      #expect(peer.pid == (kind == .tls ? nil : RPCTestSystem.processID))
      #expect(peer.hasCertificate == (kind == .tls))
      #expect(traceparent == "00-ab-cd-01")
      #expect(method == "test.Echo/Describe")
    }
  }

  @Test(
    "request with error status and details", arguments: TransportKind.allCases,
    StatusCode.allCases.dropFirst())
  func everyStatusTravelsWithItsDetails(_ kind: TransportKind, _ code: StatusCode) async throws {
    let thrown = RPCError(
      code, "what to do", details: [StatusDetail(type: "x.Y", value: [1, 2, 3])],
      trailers: ["t": "v"], cause: EchoService.PersonalError())
    try await withEcho(kind, EchoService(failure: thrown)) { client, _, _ in
      let error = await client.failure(of: EchoService.fail)
      #expect(error == thrown)
      #expect(error.cause == nil)
    }
  }

  @Test("unknown status code", arguments: TransportKind.allCases)
  func aCodeThatNobodyKnowsIsKept(_ kind: TransportKind) async throws {
    for number in [Int32(17), 4242, -1] {
      let thrown = RPCError(StatusCode(rawValue: number), "new")
      try await withEcho(kind, EchoService(failure: thrown)) { client, _, _ in
        #expect(await client.failure(of: EchoService.fail).code.rawValue == number)
      }
    }
  }

  @Test("unmapped error", arguments: TransportKind.allCases)
  func anUnmappedErrorSaysNothingOfItself(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let logged = Mutex<[String]>([])
    let server = RPCServer(
      services: [EchoService().definition],
      unmappedError: { method, error in
        logged.withLock { $0.append("\(method.fullName) \(type(of: error))") }
      })
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    let error = await client.failure(of: EchoService.fail)
    #expect(error.code == .unknown)
    #expect(!"\(error)".contains("Ada") && error.details.isEmpty)
    #expect(logged.withLock { $0 } == ["test.Echo/Fail PersonalError"])
    server.close()
  }

  @Test(arguments: TransportKind.allCases)
  func whatIsKnownOfAnInnerCallIsNotToldOfTheOuter(_ kind: TransportKind) async throws {
    let inner = RPCClient(connector: TransportKind.inProcess.makePlace().connector)
    let failure = await inner.failure(of: EchoService.say)
    #expect(failure.code == .unavailable)
    #expect(failure.execution == .notStarted)
    let thrown = RPCError(
      .unavailable, "inner",
      details: [StatusDetail(type: "kith.rpc.v1.CallExecution", value: [8, 1])])
    #expect(thrown.execution == .notStarted)
    try await withEcho(kind, EchoService(failure: thrown)) { client, _, _ in
      let error = await client.failure(of: EchoService.fail)
      #expect(error.code == .unavailable && error.execution == .unspecified)
    }
  }

  @Test("unimplemented method", arguments: TransportKind.allCases)
  func anUnknownMethodOrServiceIsUnimplemented(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, _, _ in
      let noMethod = await client.failure(
        of: MethodDescriptor(service: "test.Echo", method: "Sing"))
      #expect(noMethod.code == .unimplemented && noMethod.message.contains("test.Echo"))
      let noService = await client.failure(of: MethodDescriptor(service: "x.Y", method: "Say"))
      #expect(noService.code == .unimplemented)
      try #require(try await client.say() == [1, 2, 3])
    }
  }

  @Test("registration while serving", arguments: TransportKind.allCases)
  func servicesCanBeAddedWhileServing(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let server = RPCServer(services: [])
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector)
    #expect(await client.failure(of: EchoService.say).code == .unimplemented)
    server.add([EchoService().definition])
    try #require(try await client.say([5]) == [5])
    server.close()
  }

  @Test("server that is starting", arguments: TransportKind.allCases)
  func aServiceThatIsStillToComeIsUnavailableAndNotStarted(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let echo = EchoService()
    let server = RPCServer(services: [], awaitsServices: true)
    try server.start(on: place.makeListener())
    defer { server.close() }
    let connector = CountingConnector(place.connector)
    let client = RPCClient(connector: connector)
    defer { client.close() }
    let error = await client.failure(of: EchoService.say, options: CallOptions(retry: .never))
    #expect(error.code == .unavailable && error.execution == .notStarted, "\(error)")
    // Whoever waits for readiness waits on the same connection.
    let bounded = await client.failure(
      of: EchoService.say,
      options: CallOptions(waitForReady: true, readyTimeout: .milliseconds(20), retry: .never))
    #expect(bounded.code == .unavailable && bounded.execution == .notStarted)
    let waiting = Task { try await client.say([5], options: CallOptions(waitForReady: true)) }
    let held = Task {
      try await client.unary(
        EchoService.hold, encodedRequest: [6], options: CallOptions(waitForReady: true)
      ).message
    }
    echo.release.set()
    server.add([echo.definition])
    server.finishServices()
    try #require(try await waiting.value == [5])
    let answer = try await held.value
    #expect(answer == [6])
    #expect(connector.connections.load(ordering: .relaxed) == 1)
    // Now all is there: what is not is not served at all.
    let unknown = await client.failure(of: MethodDescriptor(service: "x.Y", method: "Say"))
    #expect(unknown.code == .unimplemented)
    let method = await client.failure(of: MethodDescriptor(service: "test.Echo", method: "Sing"))
    #expect(method.code == .unimplemented)
  }

  @Test("high initial load", arguments: TransportKind.allCases)
  func manyCallsInFlightAreAllAnswered(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, server, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for caller in 0..<256 {
          group.addTask {
            for round in 0..<8 {
              let request =
                [UInt8(caller & 255), UInt8(round)] + [UInt8](repeating: 9, count: caller)
              let answer = try await client.say(
                request, options: CallOptions(timeout: .seconds(60)))
              guard answer == request else { throw RPCError(.dataLoss, "another call's answer") }
            }
          }
        }
        try await group.waitForAll()
      }
      // A caller may have its answer a moment before the server has counted it.
      await server.waitUntilIdle()
      #expect(server.callsEnded == 2048)
      #expect(server.callsInProgress == 0)
    }
  }

  @Test(arguments: TransportKind.allCases)
  func callersOnTheCallExecutorAreAnsweredToo(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, _, _ in
      try await withTaskExecutorPreference(CallExecutor.shared) {
        try await withThrowingTaskGroup(of: Void.self) { group in
          for _ in 0..<64 {
            group.addTask { for _ in 0..<20 { _ = try await client.say() } }
          }
          try await group.waitForAll()
        }
      }
    }
  }

  @Test("invoke large request", arguments: [TransportKind.inProcess, .nng])
  func messagesOfMegabytesTravel(_ kind: TransportKind) async throws {
    try await withEcho(kind) { client, _, _ in
      let large = (0..<(3 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
      async let first = client.say(large)
      async let second = client.say([1])
      let answers = try await [first, second]
      #expect(answers == [large, [1]])
    }
  }

  @Test("call from a handler", arguments: TransportKind.allCases)
  func aHandlerMayCallAnotherWorker(_ kind: TransportKind) async throws {
    try await withEcho(kind) { inner, _, _ in
      let place = kind.makePlace()
      let outer = RPCServer(services: [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(EchoService.say) { request, context in
              try await inner.say(
                request + [0], options: CallOptions(timeout: context.remainingTime))
            }
          ])
      ])
      try outer.start(on: place.makeListener())
      let client = RPCClient(connector: place.connector)
      try #require(
        try await client.say([1], options: CallOptions(timeout: .seconds(30))) == [1, 0])
      outer.close()
    }
  }

  @Test("deadline and trace propagation", arguments: TransportKind.allCases)
  func whatAHandlerCallsSharesItsDeadlineAndItsTrace(_ kind: TransportKind) async throws {
    struct Seen {
      var remaining: Duration?
      var traceparent: String
    }
    let seen = Mutex<[Seen]>([])
    let innerEcho = EchoService { context in
      seen.withLock {
        $0.append(Seen(remaining: context.remainingTime, traceparent: context.traceparent))
      }
    }
    try await withEcho(kind, innerEcho) { inner, _, _ in
      let place = kind.makePlace()
      let outer = RPCServer(services: [
        ServiceDefinition(
          name: "test.Echo",
          methods: [
            .encodedUnary(EchoService.say) { request, _ in
              for options in [
                CallOptions(), CallOptions(timeout: .seconds(1_000)),
                CallOptions(timeout: .seconds(1), traceparent: "00-own"),
                CallOptions(inheritsContext: false),
              ] {
                _ = try await inner.unary(
                  EchoService.describe, encodedRequest: [], options: options)
              }
              return request
            }
          ])
      ])
      try outer.start(on: place.makeListener())
      let client = RPCClient(connector: place.connector)
      _ = try await client.say(
        options: CallOptions(timeout: .seconds(30), traceparent: "00-outer"))
      outer.close()
    }
    let calls = seen.withLock { $0 }
    try #require(calls.count == 4)
    #expect(calls.map(\.traceparent) == ["00-outer", "00-outer", "00-own", ""])
    #expect(calls.prefix(2).allSatisfy { $0.remaining.map { $0 <= .seconds(30) } ?? false })
    #expect(calls[2].remaining.map { $0 <= .seconds(1) } ?? false)
    #expect(calls[3].remaining == nil)
    #expect(CallContext.current == nil)
  }
}
