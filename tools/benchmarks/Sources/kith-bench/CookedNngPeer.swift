import BenchmarkKit
import CookedNng

/// nng's own request protocol from C, one request at a time: what Kith's users would have without
/// Kith.
enum CookedNngPeer {
  /// Answers requests until the process is ended.
  static func serve(socketPath: String) throws {
    try check(CookedNngServe("ipc://\(socketPath)"))
  }

  /// Sends messages of the raw socket pair's size.
  static func run(socketPath: String, for duration: Duration) throws -> LoadGenerator.Sample {
    let seconds = duration / .seconds(1)
    // More than a request each microsecond is not to be had.
    var latencies = [Double](repeating: 0, count: Int(seconds * 1_000_000) + 1)
    var count = 0
    try check(
      CookedNngPing(
        "ipc://\(socketPath)", SocketpairPeer.frameBytes, seconds / 5, seconds, &latencies,
        latencies.count, &count))
    return LoadGenerator.summary(of: Array(latencies.prefix(count)), over: duration)
  }

  private static func check(_ code: Int32) throws {
    guard code == 0 else {
      throw BenchmarkError("nng REQ/REP: \(String(cString: CookedNngErrorText(code)))")
    }
  }
}
