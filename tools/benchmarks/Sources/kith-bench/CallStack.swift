import BenchmarkKit

/// A way of making a call that is measured beside the others, its server in a process of its own.
struct CallStack {
  /// What a table calls it.
  var title: String
  /// Whether it keeps more than one call in progress; otherwise it is measured only at one.
  var isConcurrent = true
  /// Keeps so many calls in progress for so long.
  var run: (_ inFlight: Int, _ duration: Duration) async throws -> LoadGenerator.Sample
}

/// The names of those that a floor speaks of.
enum CallStackTitle {
  static let kith = RPCStack.kith.title
  static let kithOnExecutor = RPCStack.kithOnExecutor.title
  static let grpcSwift = RPCStack.grpcSwift.title
  static let grpcCpp = "gRPC C++"
  static let nngEcho = "bare nng echo"
  static let cookedNng = "nng REQ/REP in C"
  static let socketpair = "raw socket pair"
}
