import Synchronization
import Testing

@testable import KithRPC

/// A server all of whose places for connections are taken.
@Suite(.timeLimit(.minutes(2)))
struct ConnectionCrowdTests {
  private func withServer(
    _ kind: TransportKind, _ echo: EchoService = EchoService(), connections: Int,
    _ body: (TransportPlace) async throws -> Void
  ) async throws {
    let place = kind.makePlace()
    let server = RPCServer(
      services: [echo.definition], limits: RPCLimits(maximumConnections: connections),
      identify: Self.identify)
    try server.start(on: place.makeListener())
    defer { server.close() }
    try await body(place)
  }

  /// Takes a caller whose call has the right metadata for an operator.
  private static let identify: RPCServer.Identify = { _, metadata, _ throws(RPCError) in
    metadata["proof"] == "good" ? .operator : .stranger
  }

  private func say(_ place: TransportPlace) async throws -> [UInt8] {
    let client = RPCClient(connector: place.connector)
    defer { client.close() }
    return try await client.say(options: CallOptions(timeout: .seconds(60)))
  }

  @Test(arguments: TransportKind.allCases)
  func idleConnectionsMakeWayTheOldestFirst(_ kind: TransportKind) async throws {
    try await withServer(kind, connections: 4) { place in
      var idle: [RawCaller] = []
      defer { for caller in idle { caller.close() } }
      for number in 0..<4 {
        let caller = try await RawCaller.connect(place)
        // Answered: the server has seen its hello, and hears of them in this order.
        caller.send(caller.call(1, EchoService.say, [UInt8(number)]))
        #expect(await caller.status(1)?.code == .ok)
        idle.append(caller)
      }
      // Whoever has answers on the way is not idle yet.
      try #require(try await say(place) == [1, 2, 3])
      await idle[0].ended.wait()
      #expect(!idle[2].ended.isSet && !idle[3].ended.isSet)
    }
  }

  @Test(arguments: [TransportKind.inProcess, .nng])
  func aCrowdOfSilentConnectionsDoesNotLockAnybodyOut(_ kind: TransportKind) async throws {
    try await withServer(kind, connections: 16) { place in
      let friend = RPCClient(connector: place.connector)
      defer { friend.close() }
      _ = try await friend.say()
      var silent: [RawCaller] = []
      defer { for caller in silent { caller.close() } }
      for _ in 0..<64 { silent.append(try await RawCaller.connect(place, greets: false)) }
      try #require(try await say(place) == [1, 2, 3])
      // Who has said hello is not turned out by who has not.
      try #require(try await friend.say() == [1, 2, 3])
      #expect(silent.filter { $0.ended.isSet }.count >= 64 - 16)
    }
  }

  @Test(arguments: [TransportKind.inProcess, .nng])
  func busyStrangersLeaveANewcomerTheTimeToProveItself(_ kind: TransportKind) async throws {
    let echo = EchoService()
    try await withServer(kind, echo, connections: 8) { place in
      var busy: [RawCaller] = []
      defer { for caller in busy { caller.close() } }
      for _ in 0..<8 {
        let caller = try await RawCaller.connect(place)
        caller.send(caller.call(1, EchoService.hold, []))
        busy.append(caller)
      }
      await echo.started.wait()
      while echo.calls.load(ordering: .relaxed) < 8 { await Task.yield() }
      let proven = try await RawCaller.connect(place)
      proven.send(proven.call(1, EchoService.say, [], metadata: ["proof": "good"]))
      #expect(await proven.status(1)?.code == .ok)
      await busy[7].ended.wait()
      #expect(busy.prefix(7).allSatisfy { !$0.ended.isSet })
      // From now on it keeps its place: the strangers have the seven that are theirs.
      let another = try await RawCaller.connect(place)
      await another.ended.wait()
      #expect(!proven.ended.isSet)
      proven.send(proven.call(2, EchoService.hold, [], metadata: ["proof": "good"]))
      echo.release.set()
      #expect(await proven.status(2)?.code == .ok)
      proven.close()
    }
  }
}
