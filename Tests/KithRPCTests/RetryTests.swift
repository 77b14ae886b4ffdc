import Synchronization
import Testing

@testable import KithRPC

/// Calls that are made again, and those that are not.
@Suite(.timeLimit(.minutes(2)))
struct RetryTests {
  @Test func pausesGrowWithinTheirBounds() {
    let policy = RetryPolicy(
      maximumAttempts: 9, firstPause: .milliseconds(2), longestPause: .milliseconds(20))
    let longest = (1...8).map { policy.pause(afterAttempts: $0, jitter: 1) }
    #expect(longest == [2, 4, 8, 16, 20, 20, 20, 20].map { .milliseconds($0) })
    #expect(policy.pause(afterAttempts: 5, jitter: 0) == .zero)
    #expect(policy.pause(afterAttempts: .max, jitter: 1) == .milliseconds(20))
  }

  @Test func aBudgetEndsAndComesBackWithSuccess() {
    var budget = RetryBudget()
    // Asked so often and not for as long as there are some: a budget without an end ends no test.
    let taken = (0..<100).count { _ in budget.take() }
    #expect(taken == 5)
    budget.succeed()
    let first = budget.take()
    for _ in 0..<8 { budget.succeed() }
    let tooEarly = budget.take()
    for _ in 0..<3 { budget.succeed() }
    let second = budget.take()
    #expect(first && !tooEarly && second)
    for _ in 0..<1_000 { budget.succeed() }
    let later = (0..<100).count { _ in budget.take() }
    #expect(later == 5)
  }

  /// A service whose first call takes its server down, as a worker that crashes does.
  private final class Crashing: Sendable {
    let calls = Atomic(0)
    let crashed = Signal()
    let server = Mutex<RPCServer?>(nil)

    func definition(_ method: MethodDescriptor) -> ServiceDefinition {
      ServiceDefinition(
        name: method.service,
        methods: [
          .encodedUnary(method) { request, _ in
            if self.calls.add(1, ordering: .relaxed).newValue == 1 {
              // It holds this service, which holds it.
              self.server.withLock { $0.take() }?.close()
              self.crashed.set()
            }
            return request
          }
        ])
    }
  }

  /// Calls a method whose first attempt takes the server down; another server comes up in its
  /// place.
  private func callThroughACrash(
    _ kind: TransportKind, _ idempotency: IdempotencyLevel, retry: RetryPolicy = .standard
  ) async throws -> (result: Result<[UInt8], RPCError>, attempts: Int) {
    let method = MethodDescriptor(service: "test.Crash", method: "Do", idempotency: idempotency)
    let place = kind.makePlace()
    let service = Crashing()
    let first = try await place.startServer([service.definition(method)])
    service.server.withLock { $0 = first }
    let client = RPCClient(connector: place.connector)
    defer { client.close() }
    async let result = Result { () async throws(RPCError) -> [UInt8] in
      try await client.unary(
        method, encodedRequest: [7],
        options: CallOptions(timeout: .seconds(60), waitForReady: true, retry: retry)
      ).message
    }
    await service.crashed.wait()
    let second = try await place.startServer([service.definition(method)])
    defer { second.close() }
    return (await result, service.calls.load(ordering: .relaxed))
  }

  /// A service whose every call takes its server down.
  private final class Poisoned: Sendable {
    let calls = Atomic(0)
    let server = Mutex<RPCServer?>(nil)
    let crashes: AsyncStream<Void>
    private let crashed: AsyncStream<Void>.Continuation

    init() { (crashes, crashed) = AsyncStream.makeStream() }

    func definition(_ method: MethodDescriptor) -> ServiceDefinition {
      ServiceDefinition(
        name: method.service,
        methods: [
          .encodedUnary(method) { request, _ in
            self.calls.add(1, ordering: .relaxed)
            self.server.withLock { $0 }?.close()
            self.crashed.yield()
            return request
          }
        ])
    }
  }

  @Test("retry of a request that ends whoever reads it", arguments: TransportKind.allCases)
  func aPoisonousRequestEndsTwoWorkersAtMost(_ kind: TransportKind) async throws {
    let method = MethodDescriptor(
      service: "test.Poison", method: "Drink", idempotency: .noSideEffects)
    let place = kind.makePlace()
    let service = Poisoned()
    let definition = service.definition(method)
    let first = try await place.startServer([definition])
    service.server.withLock { $0 = first }
    let supervisor = Task {
      for await _ in service.crashes {
        let next = try await place.startServer([definition])
        service.server.withLock { $0 = next }
      }
    }
    let client = RPCClient(connector: place.connector)
    let error = await client.failure(
      of: method, options: CallOptions(timeout: .seconds(60), waitForReady: true))
    #expect(error.code == .unavailable && error.execution == .mayHaveRun)
    #expect(service.calls.load(ordering: .relaxed) == 2)
    client.close()
    supervisor.cancel()
    _ = try? await supervisor.value
    // It holds the service, which holds it.
    service.server.withLock { $0.take() }?.close()
  }

  @Test("retry", arguments: TransportKind.allCases, [IdempotencyLevel.noSideEffects, .idempotent])
  func aLostCallThatMayBeRepeatedIs(
    _ kind: TransportKind, _ idempotency: IdempotencyLevel
  ) async throws {
    let (result, attempts) = try await callThroughACrash(kind, idempotency)
    #expect(try result.get() == [7])
    #expect(attempts == 2)
  }

  @Test("retry disabled", arguments: TransportKind.allCases)
  func aLostCallThatMayNotBeRepeatedIsNot(_ kind: TransportKind) async throws {
    for (idempotency, retry) in [
      (IdempotencyLevel.unknown, RetryPolicy.standard), (.noSideEffects, .never),
    ] {
      let (result, attempts) = try await callThroughACrash(kind, idempotency, retry: retry)
      guard case .failure(let error) = result else {
        Issue.record("the call was made again")
        continue
      }
      #expect(error.code == .unavailable && error.execution == .mayHaveRun)
      #expect(attempts == 1)
    }
  }

  @Test("UNAVAILABLE of a handler", arguments: TransportKind.allCases, [false, true])
  func aHandlersOwnUnavailableRunsTheHandlerOnce(
    _ kind: TransportKind, _ waitsForReady: Bool
  ) async throws {
    // The last one is a handler that passes on what it was told of a call of its own.
    let failures = [
      RPCError(.unavailable, "my own word"),
      RPCError(.unavailable, "a call of mine", details: CallExecution.notStarted.details),
      RPCError(.unavailable, "a call of mine", details: CallExecution.mayHaveRun.details),
      RPCError(.unavailable, "a call of mine", details: CallExecution.detailsOfStartingWorker),
    ]
    for idempotency in [IdempotencyLevel.unknown, .idempotent, .noSideEffects] {
      for failure in failures {
        let runs = Atomic(0)
        let method = MethodDescriptor(
          service: "test.Once", method: "Do", idempotency: idempotency)
        let service = ServiceDefinition(
          name: "test.Once",
          methods: [
            .encodedUnary(method) { _, _ in
              // Repeated without end it would be only at the deadline.
              guard runs.add(1, ordering: .relaxed).newValue < 5 else {
                throw RPCError(.internal, "it runs again and again")
              }
              throw failure
            }
          ])
        let place = kind.makePlace()
        let server = try await place.startServer([service])
        let client = RPCClient(connector: place.connector)
        let error = await client.failure(
          of: method, options: CallOptions(timeout: .seconds(60), waitForReady: waitsForReady))
        #expect(error.code == .unavailable && error.message == failure.message)
        #expect(error.execution == .unspecified)
        #expect(runs.load(ordering: .relaxed) == 1, "\(idempotency) \(failure.details)")
        client.close()
        server.close()
      }
    }
  }

  @Test("retry cancelled during the delay", arguments: TransportKind.allCases)
  func aCallThatIsCancelledBetweenTwoAttemptsEndsAtOnce(_ kind: TransportKind) async throws {
    let method = MethodDescriptor(
      service: "test.Crash", method: "Do", idempotency: .noSideEffects)
    let place = kind.makePlace()
    let service = Crashing()
    let server = try await place.startServer([service.definition(method)])
    service.server.withLock { $0 = server }
    let client = RPCClient(connector: place.connector)
    defer { client.close() }
    // A pause that nobody sits out: if the cancellation did not end it, the suite's time limit
    // would.
    let days = RetryPolicy(
      maximumAttempts: 2, firstPause: .seconds(864_000), longestPause: .seconds(864_000))
    let call = Task {
      await client.failure(of: method, options: CallOptions(waitForReady: true, retry: days))
    }
    await service.crashed.wait()
    call.cancel()
    #expect(await call.value.code == .cancelled)
    #expect(service.calls.load(ordering: .relaxed) == 1)
  }

  @Test("wait for ready, own bound", arguments: TransportKind.allCases)
  func readinessHasABoundOfItsOwn(_ kind: TransportKind) async throws {
    let client = RPCClient(connector: kind.makePlace().connector)
    let error = await client.failure(
      of: EchoService.say,
      options: CallOptions(
        timeout: .seconds(100), waitForReady: true, readyTimeout: .milliseconds(20)))
    #expect(error.code == .unavailable && error.execution == .notStarted)
  }
}

extension Result where Failure == RPCError {
  /// The outcome of work that suspends.
  fileprivate init(_ body: () async throws(RPCError) -> Success) async {
    do throws(RPCError) {
      self = .success(try await body())
    } catch {
      self = .failure(error)
    }
  }
}
