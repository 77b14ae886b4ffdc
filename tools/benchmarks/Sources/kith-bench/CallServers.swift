import BenchmarkKit

/// The servers of all stacks that make calls, each a process of its own.
final class CallServers {
  private let folder: String
  private var processes: [ChildProcess] = []
  private(set) var stacks: [CallStack] = []

  /// Starts them. `grpcCpp` is the path of the peer's program; without it that peer is left out.
  init(grpcCpp: String?) async throws {
    folder = try temporaryFolder()
    let kith = "\(folder)/kith.sock"
    processes.append(try await RPCStack.kith.serve(socketPath: kith))
    for stack in [RPCStack.kith, .kithOnExecutor] { add(stack, at: kith) }
    let grpc = "\(folder)/grpc.sock"
    processes.append(try await RPCStack.grpcSwift.serve(socketPath: grpc))
    add(.grpcSwift, at: grpc)
    if let grpcCpp {
      let peer = GRPCCppPeer(path: grpcCpp)
      let path = "\(folder)/cpp.sock"
      processes.append(try peer.serve(socketPath: path))
      try await waitForFile(path)
      stacks.append(
        CallStack(title: CallStackTitle.grpcCpp) { inFlight, duration in
          try peer.run(socketPath: path, inFlight: inFlight, for: duration)
        })
    }
    let cooked = try await start("serve-cooked-nng", "cooked.sock")
    stacks.append(
      CallStack(title: CallStackTitle.cookedNng, isConcurrent: false) { _, duration in
        try CookedNngPeer.run(socketPath: cooked, for: duration)
      })
    let echo = try await start("serve-nng-echo", "echo.sock")
    stacks.append(
      CallStack(title: CallStackTitle.nngEcho, isConcurrent: false) { _, duration in
        try await NngEchoPeer.run(socketPath: echo, for: duration)
      })
    stacks.append(
      CallStack(title: CallStackTitle.socketpair) { inFlight, duration in
        try SocketpairPeer.run(inFlight: inFlight, for: duration)
      })
  }

  private func add(_ stack: RPCStack, at path: String) {
    stacks.append(
      CallStack(title: stack.title) { inFlight, duration in
        var sample: LoadGenerator.Sample?
        try await stack.withCall(socketPath: path) { call in
          sample = try await LoadGenerator.run(inFlight: inFlight, for: duration, call)
        }
        guard let sample else { throw BenchmarkError("\(stack.title) made no call") }
        return sample
      })
  }

  private func start(_ command: String, _ socket: String) async throws -> String {
    let path = "\(folder)/\(socket)"
    processes.append(try ChildProcess(ChildProcess.ownPath, [command, path]))
    try await waitForFile(path)
    return path
  }

  // Also when one of them could not be started.
  deinit { end() }

  /// Ends all of them.
  func end() {
    guard !processes.isEmpty else { return }
    for process in processes { process.end() }
    processes = []
    removeFolder(folder)
  }
}
