import GRPCPeer
import Glibc

/// Unary calls with the same message and the same handler over each stack, server and client in two processes.
struct CallBenchmark {
  var options: Options

  func run() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    let address = "ipc://\(folder)/kith.sock"
    let grpcPath = "\(folder)/grpc.sock"
    let kithServer = try ChildProcess(ChildProcess.ownPath, ["serve-kith", address])
    defer { kithServer.end() }
    let grpcServer = try ChildProcess(ChildProcess.ownPath, ["serve-grpc", grpcPath])
    defer { grpcServer.end() }
    try await waitForFile("\(folder)/kith.sock")
    try await waitForFile(grpcPath)

    print("Unary calls, one pipe, \(options.rounds) rounds of \(options.seconds) s, medians")
    var table = Table(
      "in flight", "kith calls/s", "p50 us", "p99 us", "grpc-swift-2 calls/s", "p50 us", "p99 us",
      "socketpair/s", "p50 us", "calls/s vs grpc", "p50 vs grpc", "p50 vs socketpair")
    for inFlight in [1, 8, 64, 256] {
      var kith: [LoadGenerator.Sample] = []
      var grpc: [LoadGenerator.Sample] = []
      var raw: [LoadGenerator.Sample] = []
      // Round by round, so that a slow minute of the machine meets all three.
      for _ in 0..<options.rounds {
        raw.append(try SocketpairPeer.run(inFlight: inFlight, for: options.duration))
        try await KithPeer.withClient(address: address) { call in
          kith.append(
            try await LoadGenerator.run(inFlight: inFlight, for: options.duration, call))
        }
        try await GRPCPeer.withClient(socketPath: grpcPath, text: SharedHandler.text) { call in
          grpc.append(
            try await LoadGenerator.run(inFlight: inFlight, for: options.duration, call))
        }
      }
      let (k, g, r) = (kith.median, grpc.median, raw.median)
      table.add(
        "\(inFlight)",
        k.callsPerSecond.formatted(), k.p50.formatted(decimals: 1), k.p99.formatted(decimals: 1),
        g.callsPerSecond.formatted(), g.p50.formatted(decimals: 1), g.p99.formatted(decimals: 1),
        r.callsPerSecond.formatted(), r.p50.formatted(decimals: 1),
        (k.callsPerSecond / g.callsPerSecond).formatted(decimals: 1) + "x",
        (k.p50 / g.p50).formatted(decimals: 2) + "x", (k.p50 / r.p50).formatted(decimals: 2) + "x")
    }
    print(table.text + "\n")
  }
}

extension [LoadGenerator.Sample] {
  /// The middle of each figure.
  var median: LoadGenerator.Sample {
    .init(
      callsPerSecond: map(\.callsPerSecond).median, p50: map(\.p50).median, p99: map(\.p99).median)
  }
}
