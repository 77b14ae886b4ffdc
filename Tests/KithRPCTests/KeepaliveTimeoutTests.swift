import KithWire
import Synchronization
import Testing

@testable import KithRPC

/// A worker that is stopped or stuck as a whole, as its callers see it.
@Suite(.timeLimit(.minutes(2)))
struct KeepaliveTimeoutTests {
  /// What is left of a worker that was stopped: it was connected to, and says nothing more.
  private final class Stopped: ByteStreamReceiver {
    func received(_ bytes: UnsafeRawBufferPointer) -> ReadingDecision { .proceed }
    func deliver() {}
    func wrote() {}
    func ended(_ error: RPCError?) {}
  }

  @Test("keepalive timeout", arguments: TransportKind.allCases)
  func aCallToAWorkerThatIsStoppedFails(_ kind: TransportKind) async throws {
    let place = kind.makePlace()
    let listener = place.makeListener()
    // Held on to, as the kernel holds on to the sockets of a process that is stopped.
    let streams = Mutex<[any ByteStream]>([])
    try listener.start { stream in
      stream.start(receiver: Stopped())
      var hello = WireBuffer()
      hello.append(MessageHeader.workerHello)
      _ = stream.write(hello)
      streams.withLock { $0.append(stream) }
    }
    defer {
      listener.close()
      for stream in streams.withLock({ $0 }) { stream.close() }
    }
    let client = RPCClient(
      connector: place.connector,
      limits: RPCLimits(
        keepaliveInterval: .milliseconds(20), keepaliveTimeout: .milliseconds(20)))
    defer { client.close() }
    let error = await client.failure(of: EchoService.wait)
    #expect(error.code == .unavailable && error.execution == .mayHaveRun, "\(error)")
  }

  @Test("keepalive, busy worker", arguments: TransportKind.allCases)
  func aCallToAWorkerThatIsBusyGoesOn(_ kind: TransportKind) async throws {
    let echo = EchoService()
    // Asked for a sign of life all the time; the generous bound is for a machine that is busy
    // itself.
    let limits = RPCLimits(keepaliveInterval: .milliseconds(1), keepaliveTimeout: .seconds(60))
    try await withEcho(kind, echo, limits: limits) { client, _, _ in
      let call = Task {
        try await client.unary(EchoService.hold, encodedRequest: [9]).message
      }
      await echo.started.wait()
      for _ in 0..<20 { _ = try await client.say() }
      echo.release.set()
      let answer = try await call.value
      #expect(answer == [9])
    }
  }
}
