import KithRPC
import Synchronization
import Testing
import TestingContract

/// What stands before and around calls, over every transport.
@Suite(.timeLimit(.minutes(2)))
struct InterceptorTests {
  /// What happened, in order.
  private final class Journal: Sendable {
    private let entries = Mutex<[String]>([])

    func note(_ entry: String) { entries.withLock { $0.append(entry) } }
    var all: [String] { entries.withLock { $0 } }
  }

  /// Notes the beginning and the end of each call; refuses those with the metadata `refuse`.
  private struct Watcher: ClientInterceptor, ServerInterceptor {
    let name: String
    let journal: Journal

    func begin(
      _ method: MethodDescriptor, _ options: inout CallOptions
    ) async throws(RPCError) -> ClientCallEnd? {
      journal.note("\(name) begins \(method.method)")
      options.metadata.append(name, forKey: "passed")
      if options.metadata["refuse"] == name { throw RPCError(.permissionDenied, "no") }
      return { [name, journal] error in
        journal.note("\(name) ends \(error?.code.name ?? "OK")")
      }
    }

    func intercept<Answer: Sendable>(
      _ context: CallContext, _ next: () async throws -> Answer
    ) async throws -> Answer {
      journal.note("\(name) around \(context.method.method)")
      if context.metadata["turn-away"] == name { throw RPCError(.unauthenticated, "who?") }
      defer { journal.note("\(name) done") }
      return try await next()
    }
  }

  private func withWatchers(
    _ kind: TransportKind, _ body: (RPCClient, Journal) async throws -> Void
  ) async throws {
    let journal = Journal()
    let place = kind.makePlace()
    let server = RPCServer(
      services: [EchoService().definition, .streams(StreamsService())],
      interceptors: [
        Watcher(name: "outer", journal: journal), Watcher(name: "inner", journal: journal),
      ])
    try server.start(on: place.makeListener())
    let client = RPCClient(
      connector: place.connector,
      interceptors: [
        Watcher(name: "first", journal: journal), Watcher(name: "second", journal: journal),
      ])
    defer {
      client.close()
      server.close()
    }
    try await body(client, journal)
  }

  @Test("filter order", arguments: TransportKind.allCases)
  func theyStandInOrderOnBothSides(_ kind: TransportKind) async throws {
    try await withWatchers(kind) { client, journal in
      _ = try await client.say()
      #expect(
        journal.all == [
          "first begins Say", "second begins Say", "outer around Say", "inner around Say",
          "inner done", "outer done", "second ends OK", "first ends OK",
        ])
    }
  }

  @Test("filter causes close", arguments: TransportKind.allCases)
  func whatTheyRefuseIsNotSentOrNotHandled(_ kind: TransportKind) async throws {
    try await withWatchers(kind) { client, journal in
      let refused = await client.failure(
        of: EchoService.say, options: CallOptions(metadata: ["refuse": "second"]))
      #expect(refused.code == .permissionDenied)
      #expect(
        journal.all == ["first begins Say", "second begins Say", "first ends PERMISSION_DENIED"])
      let turnedAway = await client.failure(
        of: EchoService.say, options: CallOptions(metadata: ["turn-away": "outer"]))
      #expect(turnedAway.code == .unauthenticated)
      #expect(!journal.all.contains("inner around Say"))
    }
  }

  @Test("filter status of a stream", arguments: TransportKind.allCases)
  func theEndOfAStreamIsToldOnce(_ kind: TransportKind) async throws {
    try await withWatchers(kind) { client, journal in
      let streams = StreamsClient(client)
      for try await _ in try await streams.count(CountRequest(count: 3)) {}
      #expect(journal.all.suffix(2) == ["second ends OK", "first ends OK"])

      let notFound = StatusCode.notFound.rawValue
      _ = try? await {
        for try await _ in try await streams.count(CountRequest(count: 1, endCode: notFound)) {}
      }()
      #expect(journal.all.suffix(2) == ["second ends NOT_FOUND", "first ends NOT_FOUND"])

      do { _ = try await streams.echo() }
      #expect(journal.all.filter { $0.hasPrefix("first ends") }.count == 3)
      #expect(journal.all.contains("first ends CANCELLED"))
    }
  }
}
