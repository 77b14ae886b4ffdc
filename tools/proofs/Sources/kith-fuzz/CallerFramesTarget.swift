import Dispatch
import KithRPC
import KithWire
import TestingContract

/// What a caller reads: hello, headers and the frames of a worker. Whatever comes, each call must
/// end.
struct CallerFramesTarget: FuzzTarget {
  private static let hello: [UInt8] = [0x00, 0x53, 0x50, 0x00, 0x00, 0x31, 0x00, 0x00]

  func run(_ input: [UInt8]) {
    let (connected, ready) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    let done = DispatchSemaphore(value: 0)
    let stream = FedStream { connected.signal() }
    let client = RPCClient(connector: FedConnector(stream: stream))
    Task {
      let streams = StreamsClient(client)
      let counting = try? await streams.count(CountRequest(count: 3))
      let echoing = try? await streams.echo()
      async let appended = try? OnceClient(client).append(
        AppendRequest(entry: "x"), options: CallOptions(retry: .never))
      ready.signal()
      if let counting { await Self.drain(counting) }
      if let echoing { await Self.drain(echoing.responses) }
      _ = await appended
      done.signal()
    }
    connected.wait()
    stream.feed(Self.hello, pieces: 8)
    ready.wait()
    let (bytes, pieces) = FedFrames.bytes(of: input)
    stream.feed(bytes, pieces: pieces)
    stream.end()
    client.close()
    // One that never comes here is found by libFuzzer's timeout.
    done.wait()
  }

  private static func drain(_ responses: ResponseStream<Numbered>) async {
    do {
      for try await _ in responses {}
    } catch {
      // Every error is an end.
    }
  }
}

/// A connector to the fuzzer.
private struct FedConnector: Connector {
  let stream: FedStream

  func connect(_ request: ConnectRequest) async throws(RPCError) -> EstablishedConnection {
    guard request.predecessor == nil else { throw RPCError(.unavailable, "there is one stream") }
    return EstablishedConnection(stream: stream)
  }
}
