import BenchmarkKit

/// gRPC C++, the peer outside Swift: a program of its own, built by tools/bench where Debian's
/// packages for it are installed.
struct GRPCCppPeer {
  /// The program.
  let path: String

  /// Starts the server.
  func serve(socketPath: String) throws -> ChildProcess {
    try ChildProcess(path, ["serve", socketPath])
  }

  /// Makes calls as ``LoadGenerator`` does, in C++.
  func run(socketPath: String, inFlight: Int, for duration: Duration) throws
    -> LoadGenerator.Sample
  {
    let figures = try ChildProcess.figures(
      count: 3, of: path, ["load", socketPath, "\(inFlight)", "\(duration / .seconds(1))"])
    return LoadGenerator.Sample(callsPerSecond: figures[0], p50: figures[1], p99: figures[2])
  }
}
