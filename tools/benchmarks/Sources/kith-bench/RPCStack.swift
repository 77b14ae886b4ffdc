import ArgumentParser
import BenchmarkKit
import GRPCPeer
import KithRPC

/// An RPC stack in Swift, whose client and server are both in this program.
enum RPCStack: String, CaseIterable, ExpressibleByArgument {
  case kith
  /// Kith, its callers' tasks on the executor that it offers to those who wait for microseconds.
  case kithOnExecutor = "kith-on-executor"
  case grpcSwift = "grpc-swift"

  /// What a table calls it.
  var title: String {
    switch self {
    case .kith: "kith"
    case .kithOnExecutor: "kith, on CallExecutor"
    case .grpcSwift: "grpc-swift-2"
    }
  }

  /// The subcommand that serves it.
  private var serverCommand: String { self == .grpcSwift ? "serve-grpc" : "serve-kith" }

  /// Starts a server in a process of its own and waits until it listens.
  func serve(socketPath: String, environment: [String: String] = [:]) async throws -> ChildProcess {
    let process = try ChildProcess(
      ChildProcess.ownPath, [serverCommand, socketPath], environment: environment)
    try await waitForFile(socketPath)
    return process
  }

  /// Connects and hands over a closure that makes one call.
  func withCall(
    socketPath: String,
    _ body: (_ call: @escaping @Sendable () async throws -> Void) async throws -> Void
  ) async throws {
    switch self {
    case .kith: try await KithPeer.withClient(socketPath: socketPath, body)
    case .kithOnExecutor:
      try await withTaskExecutorPreference(CallExecutor.shared) {
        try await KithPeer.withClient(socketPath: socketPath, body)
      }
    case .grpcSwift:
      try await GRPCPeer.withClient(socketPath: socketPath, text: SharedHandler.text, body)
    }
  }

  /// Connects and hands over a closure that reads one stream of so many messages of so many bytes
  /// each.
  func withStreams(
    socketPath: String,
    _ body: (_ read: (_ count: Int, _ bytes: Int) async throws -> Void) async throws -> Void
  ) async throws {
    switch self {
    case .kith: try await KithStreamPeer.withClient(socketPath: socketPath, body)
    case .kithOnExecutor:
      try await withTaskExecutorPreference(CallExecutor.shared) {
        try await KithStreamPeer.withClient(socketPath: socketPath, body)
      }
    case .grpcSwift: try await GRPCPeer.withStreams(socketPath: socketPath, body)
    }
  }
}
