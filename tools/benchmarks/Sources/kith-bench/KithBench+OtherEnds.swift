import ArgumentParser
import BenchmarkKit
import GRPCPeer

/// The other ends of the measurements: each runs in a process of its own, which the benchmark
/// starts.
extension KithBench {
  static let otherEnds: [any ParsableCommand.Type] = [
    ServeKith.self, LoadKith.self, ServeGRPC.self, ServeEcho.self, ServeNngEcho.self,
    ServeCookedNng.self,
    ReadStream.self, CountAllocations.self,
  ]

  struct ServeKith: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var socketPath: String

    func run() async throws { try await KithPeer.serve(socketPath: socketPath) }
  }

  /// Only for a profiler: `kith-bench serve-kith PATH`, and then
  /// `perf record kith-bench load-kith PATH 64 5`.
  struct LoadKith: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var socketPath: String
    @Argument var inFlight: Int
    @Argument var seconds: Int

    func run() async throws {
      try await KithPeer.withClient(socketPath: socketPath) { call in
        let sample = try await LoadGenerator.run(
          inFlight: inFlight, for: .seconds(seconds), call)
        print("\(Int(sample.callsPerSecond)) calls/s, p50 \(sample.p50) us, p99 \(sample.p99) us")
      }
    }
  }

  struct ServeGRPC: AsyncParsableCommand {
    static let configuration = CommandConfiguration(commandName: "serve-grpc", shouldDisplay: false)
    @Argument var socketPath: String

    func run() async throws {
      try await GRPCPeer.serve(socketPath: socketPath) { SharedHandler.reasonCount(for: $0) }
    }
  }

  struct ServeEcho: ParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)

    func run() { SocketpairPeer.echo() }
  }

  struct ServeNngEcho: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var socketPath: String

    func run() async throws { try await NngEchoPeer.serve(socketPath: socketPath) }
  }

  struct ServeCookedNng: ParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var socketPath: String

    func run() throws { try CookedNngPeer.serve(socketPath: socketPath) }
  }

  struct ReadStream: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var stack: RPCStack
    @Argument var socketPath: String
    @Argument var count: Int
    @Argument var bytes: Int

    func run() async throws {
      try await StreamReading.printInThisProcess(
        stack, socketPath: socketPath, count: count, bytes: bytes)
    }
  }

  struct CountAllocations: AsyncParsableCommand {
    static let configuration = CommandConfiguration(shouldDisplay: false)
    @Argument var stack: RPCStack
    @Argument var socketPath: String
    @Argument var calls: Int
    @Argument var inFlight: Int
    @Argument var client: AllocationCount
    @Argument var server: AllocationCount

    func run() async throws {
      try await AllocationBenchmark.printInThisProcess(
        stack, socketPath: socketPath, calls: calls, inFlight: inFlight, client: client,
        server: server)
    }
  }
}
