import Synchronization
import Testing

@testable import KithRPC
@testable import KithTransportNng

/// Whom a client of a worker connects to after a loss, and what it shows there.
@Suite(.timeLimit(.minutes(1)))
struct ResolvingConnectorTests {
  private let folder = SocketFolder()

  /// Answers what a test says, and remembers what it was asked.
  private final class Script: Resolver {
    let target: Mutex<ResolvedTarget>
    let asked = Mutex<[UInt64?]>([])
    /// Holds the answers from the second on, where it is there.
    let held: AsyncStream<Void>?

    init(_ target: ResolvedTarget, held: AsyncStream<Void>? = nil) {
      self.target = Mutex(target)
      self.held = held
    }

    func resolve(
      newerThan generation: UInt64?, options: CallOptions
    ) async throws(RPCError) -> ResolvedTarget {
      let count = asked.withLock { asked in
        asked.append(generation)
        return asked.count
      }
      if count > 1, let held { for await _ in held { break } }
      return target.withLock { $0 }
    }
  }

  private func listener(_ name: String) throws -> NngListener {
    let listener = NngListener(address: folder.address(name))
    try listener.start { $0.close() }
    return listener
  }

  private func target(_ name: String, _ generation: UInt64) -> ResolvedTarget {
    ResolvedTarget(address: folder.address(name), generation: generation)
  }

  private func connect(
    _ connector: NngResolvingConnector, after lost: ConnectRequest.Predecessor? = nil
  ) async throws -> EstablishedConnection {
    let connection = try await connector.connect(ConnectRequest(predecessor: lost))
    connection.stream.close()
    return connection
  }

  @Test func aWorkerThatSaidThatItLeavesIsNotConnectedToAgain() async throws {
    let listeners = [try listener("old"), try listener("new")]
    defer { for listener in listeners { listener.close() } }
    let script = Script(target("old", 1))
    let connector = NngResolvingConnector(resolver: script)
    #expect(try await connect(connector).generation == 1)
    // A pipe alone has ended: the worker is where it was, and nobody is asked.
    let same = try await connect(connector, after: .init(generation: 1, isLeaving: false))
    #expect(same.generation == 1 && script.asked.withLock { $0 } == [nil])
    script.target.withLock { $0 = target("new", 2) }
    let next = try await connect(connector, after: .init(generation: 1, isLeaving: true))
    #expect(next.generation == 2)
    #expect(script.asked.withLock { $0 } == [nil, 1])
  }

  @Test func anIncarnationThatListensNowhereIsNotAskedForAgain() async throws {
    let script = Script(target("gone", 4))
    let connector = NngResolvingConnector(resolver: script)
    for _ in 0..<2 {
      let error = await #expect(throws: RPCError.self) { _ = try await connect(connector) }
      #expect(error?.code == .unavailable)
    }
    #expect(script.asked.withLock { $0 } == [nil, 4])
  }

  // MARK: What each call shows

  private func shown(_ number: UInt8) -> [Metadata.Entry] {
    [Metadata.Entry(key: "kith-ticket", value: .binary([number]))]
  }

  @Test func aTicketOfAnotherIncarnationIsNotShownToThisOne() async throws {
    let listener = try listener("worker")
    defer { listener.close() }
    var first = target("worker", 1)
    (first.credentials, first.renewal) = (shown(1), .now)
    let (answers, answer) = AsyncStream<Void>.makeStream()
    let script = Script(first, held: answers)
    let credentials = try #require(
      try await connect(NngResolvingConnector(resolver: script)).credentials)
    var second = target("worker", 2)
    second.credentials = shown(2)
    script.target.withLock { $0 = second }
    #expect(credentials() == shown(1))
    while script.asked.withLock({ $0.count }) < 2 { await Task.yield() }
    answer.yield()
    for _ in 0..<2_000 {
      await Task.yield()
      #expect(credentials() == shown(1))
    }
  }

  @Test func oneRenewalIsUnderWayHoweverManyCallsAreMade() async throws {
    let listener = try listener("worker")
    defer { listener.close() }
    var first = target("worker", 1)
    (first.credentials, first.renewal) = (shown(1), .now)
    let (answers, answer) = AsyncStream<Void>.makeStream()
    let script = Script(first, held: answers)
    let credentials = try #require(
      try await connect(NngResolvingConnector(resolver: script)).credentials)
    for _ in 0..<100 { #expect(credentials() == shown(1)) }
    for _ in 0..<2_000 { await Task.yield() }
    while script.asked.withLock({ $0.count }) < 2 { await Task.yield() }
    #expect(script.asked.withLock { $0.count } == 2)
    script.target.withLock { $0.credentials = shown(2) }
    answer.finish()
    while credentials() != shown(2) { await Task.yield() }
  }
}
