import KithRPC
import Synchronization
import Testing
import TestingContract

/// Streaming calls, over every transport, through generated code.
@Suite(.timeLimit(.minutes(2)))
struct StreamTests {
  /// Runs `body` with a server of the streams and a client of it.
  private func withStreams(
    _ kind: TransportKind, _ service: StreamsService = StreamsService(),
    limits: RPCLimits = .standard,
    _ body: (StreamsClient, RPCServer) async throws -> Void
  ) async throws {
    let place = kind.makePlace()
    let server = RPCServer(services: [.streams(service)], limits: limits)
    try server.start(on: place.makeListener())
    let client = RPCClient(connector: place.connector, limits: limits)
    defer {
      client.close()
      server.close()
    }
    try await body(StreamsClient(client), server)
    server.beginGracefulShutdown()
    await server.waitUntilIdle()
    #expect(server.callsInProgress == 0)
  }

  @Test("server streaming", arguments: TransportKind.allCases)
  func aServerStreamArrivesWholeAndInOrder(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, _ in
      for count in [0, 1, 5_000] as [UInt32] {
        var expected: UInt64 = 0
        let stream = try await client.count(CountRequest(count: count, paddingBytes: 10))
        for try await message in stream {
          try #require(message.number == expected && message.padding.count == 10)
          expected += 1
        }
        #expect(expected == UInt64(count))
        #expect(stream.metadata["began"] == "yes" && stream.trailers["counted"] == "\(count)")
      }
    }
  }

  @Test("streaming error response", arguments: TransportKind.allCases)
  func anErrorComesAfterTheMessagesBeforeIt(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, _ in
      let stream = try await client.count(
        CountRequest(count: 3, endCode: StatusCode.dataLoss.rawValue))
      var seen: [UInt64] = []
      let error = await #expect(throws: RPCError.self) {
        for try await message in stream { seen.append(message.number) }
      }
      #expect(seen == [0, 1, 2] && error?.code == .dataLoss)
      #expect(error?.trailers["counted"] == "3")
    }
  }

  @Test("client streaming", arguments: TransportKind.allCases)
  func aClientStreamIsAnsweredOnce(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, _ in
      for count in [0, 1, 5_000] as [UInt64] {
        let call = try await client.sum()
        for number in 0..<count { try await call.requests.write(Numbered(number: number)) }
        let response = try await call.response().message
        #expect(response.count == count && response.sum == count * (max(count, 1) - 1) / 2)
        await #expect(throws: RPCError.self) { try await call.requests.write(Numbered()) }
      }
    }
  }

  @Test("ping pong streaming", arguments: TransportKind.allCases)
  func bothWaysAtOnce(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, _ in
      let call = try await client.echo()
      async let written: Void = {
        for number in 0..<3_000 { try await call.requests.write(Numbered(number: UInt64(number))) }
        call.requests.finish()
      }()
      var expected: UInt64 = 0
      for try await message in call.responses {
        try #require(message.number == expected)
        expected += 1
      }
      try await written
      #expect(expected == 3_000)
    }
  }

  @Test("large messages in a stream", arguments: TransportKind.allCases)
  func messagesLargerThanTheCreditTravelInParts(_ kind: TransportKind) async throws {
    guard kind != .inProcessInPieces else { return }
    try await withStreams(kind) { client, _ in
      let call = try await client.echo()
      let padding = (0..<3 << 20).map { UInt8(truncatingIfNeeded: $0 &* 7) }
      var responses = call.responses.makeAsyncIterator()
      for number in 0..<3 as Range<UInt64> {
        try await call.requests.write(Numbered(number: number, padding: padding))
        let next = try await responses.next()
        let answer = try #require(next)
        try #require(answer.number == number && answer.padding == padding)
      }
      call.requests.finish()
      let last = try await responses.next()
      #expect(last == nil)
    }
  }

  @Test("flow control, slow reader", arguments: TransportKind.allCases)
  func aReaderThatStopsHoldsTheWorkerBackAndNobodyElse(_ kind: TransportKind) async throws {
    let service = StreamsService()
    try await withStreams(kind, service) { client, _ in
      let stream = try await client.count(CountRequest(count: 100_000, paddingBytes: 1_000))
      var iterator = stream.makeAsyncIterator()
      _ = try await iterator.next()
      // Nobody reads `stream` now. Other calls on the same pipe are answered, as many as there are.
      for _ in 0..<20 {
        var count = 0
        for try await _ in try await client.count(CountRequest(count: 500)) { count += 1 }
        #expect(count == 500)
      }
      // What the worker has written is bounded by the credit, however long nobody reads.
      let written = service.longest.load(ordering: .relaxed)
      #expect(written < 2 * (256 << 10) / 1_000)
      stream.cancel()
      await service.cancelled.wait()
    }
  }

  @Test("cancel after client done", arguments: TransportKind.allCases)
  func releasingAStreamCancelsItsCall(_ kind: TransportKind) async throws {
    let service = StreamsService()
    try await withStreams(kind, service) { client, _ in
      for try await message in try await client.count(CountRequest(count: .max))
      where message.number == 10 {
        break
      }
      await service.cancelled.wait()
    }
  }

  @Test("cancel after round trip", arguments: TransportKind.allCases)
  func cancellingTheReadersTaskCancelsTheCall(_ kind: TransportKind) async throws {
    let service = StreamsService()
    try await withStreams(kind, service) { client, _ in
      let started = Signal()
      let reader = Task {
        for try await _ in try await client.count(CountRequest(count: .max)) { started.set() }
      }
      await started.wait()
      reader.cancel()
      let error = await #expect(throws: RPCError.self) { try await reader.value }
      #expect(error?.code == .cancelled)
      await service.cancelled.wait()
    }
  }

  @Test("deadline exceeded in a stream", arguments: TransportKind.allCases)
  func aDeadlineEndsAStream(_ kind: TransportKind) async throws {
    let service = StreamsService()
    try await withStreams(kind, service) { client, _ in
      // Connected before, so that the time is the stream's alone.
      for try await _ in try await client.count(CountRequest(count: 1)) {}
      let call = try await client.echo(options: CallOptions(timeout: .milliseconds(30)))
      let error = await #expect(throws: RPCError.self) {
        for try await _ in call.responses {}
      }
      #expect(error?.code == .deadlineExceeded)
      await #expect(throws: RPCError.self) { try await call.requests.write(Numbered()) }
      await service.cancelled.wait()
    }
  }

  @Test("disappearing server in a stream", arguments: TransportKind.allCases)
  func aStreamFailsWithItsConnection(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, server in
      let call = try await client.echo()
      var responses = call.responses.makeAsyncIterator()
      try await call.requests.write(Numbered(number: 1))
      _ = try await responses.next()
      server.close()
      let error = await #expect(throws: RPCError.self) { _ = try await responses.next() }
      #expect(error?.code == .unavailable && error?.execution == .mayHaveRun)
    }
  }

  @Test("many streams", arguments: TransportKind.allCases)
  func manyStreamsShareAPipe(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, _ in
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<64 {
          group.addTask {
            let call = try await client.echo()
            var responses = call.responses.makeAsyncIterator()
            for number in 0..<50 as Range<UInt64> {
              try await call.requests.write(Numbered(number: number))
              let next = try await responses.next()
              try #require(next?.number == number)
            }
            call.requests.finish()
            let last = try await responses.next()
            try #require(last == nil)
          }
        }
        try await group.waitForAll()
      }
    }
  }

  @Test("two readers", arguments: TransportKind.allCases)
  func twoReadersOfOneStreamAreToldSo(_ kind: TransportKind) async throws {
    try await withStreams(kind) { client, _ in
      let call = try await client.echo()
      let codes = await withTaskGroup(of: StatusCode?.self) { group in
        for _ in 0..<2 {
          group.addTask {
            var responses = call.responses.makeAsyncIterator()
            do throws(RPCError) {
              _ = try await responses.next()
              return nil
            } catch {
              return error.code
            }
          }
        }
        let first = await group.next() ?? nil
        call.requests.finish()
        let second = await group.next() ?? nil
        return [first, second]
      }
      #expect(codes == [.failedPrecondition, nil])
    }
  }

  @Test("server finishes request", arguments: TransportKind.allCases)
  func aHandlerNeedNotReadAllThatIsSent(_ kind: TransportKind) async throws {
    let method = MethodDescriptor(service: "test.Brief", method: "First", shape: .bidirectional)
    let brief = ServiceDefinition(
      name: "test.Brief",
      methods: [
        .bidirectional(method) {
          (requests: RequestStream<Numbered>, responses: ResponseWriter<Numbered>, _) in
          for try await request in requests {
            try await responses.write(request)
            return
          }
        }
      ])
    let place = kind.makePlace()
    let server = try await place.startServer([brief])
    let client = RPCClient(connector: place.connector)
    defer {
      client.close()
      server.close()
    }
    let call: BidirectionalCall<Numbered, Numbered> = try await client.bidirectional(method)
    try await call.requests.write(Numbered(number: 7))
    var numbers: [UInt64] = []
    for try await response in call.responses { numbers.append(response.number) }
    #expect(numbers == [7])
    // The call is over, which the writer is told.
    await #expect(throws: RPCError.self) { try await call.requests.write(Numbered(number: 8)) }
    #expect(server.callsInProgress == 0)
  }

  @Test("max concurrent streams", arguments: TransportKind.allCases)
  func streamsBeyondTheLimitAreRefusedAndCallsAreNot(_ kind: TransportKind) async throws {
    let limits = RPCLimits(maximumStreamsPerConnection: 2)
    try await withStreams(kind, limits: limits) { client, _ in
      var open: [BidirectionalCall<Numbered, Numbered>] = []
      for number in 0..<2 {
        let call = try await client.echo()
        try await call.requests.write(Numbered(number: UInt64(number)))
        var responses = call.responses.makeAsyncIterator()
        _ = try await responses.next()
        open.append(call)
      }
      let refused = try await client.echo()
      let error = await #expect(throws: RPCError.self) {
        for try await _ in refused.responses {}
      }
      #expect(error?.code == .resourceExhausted && error?.execution == .notStarted)
      // One that ends makes room.
      open.removeFirst().requests.finish()
      while true {
        do throws(RPCError) {
          for try await _ in try await client.count(CountRequest(count: 1)) {}
          break
        } catch {
          try #require(error.code == .resourceExhausted)
          try Task.checkCancellation()
        }
      }
      for call in open { call.requests.finish() }
    }
  }
}
