/// How often a unary call allocates, on each side, counted by a library that is preloaded into both processes.
struct AllocationBenchmark {
  private static let calls = 10_000

  func run() async throws {
    print("Allocations per unary call, \(Double(Self.calls).formatted()) calls after warm-up\n")
    var table = Table("stack", "in flight", "client", "server")
    for stack in RPCStack.allCases {
      for inFlight in [1, 64] {
        let folder = try temporaryFolder()
        defer { removeFolder(folder) }
        let serverCount = "\(folder)/server.count"
        let clientCount = "\(folder)/client.count"
        let socket = "\(folder)/socket"
        let server = try await stack.serve(
          socketPath: socket, environment: AllocationCount.environment(countingIn: serverCount))
        defer { server.end() }
        let figures = try ChildProcess.figures(
          count: 2, of: ChildProcess.ownPath,
          [
            "count-allocations", stack.rawValue, socket, "\(Self.calls)", "\(inFlight)",
            clientCount, serverCount,
          ],
          environment: AllocationCount.environment(countingIn: clientCount))
        table.add(
          stack.title, "\(inFlight)", figures[0].formatted(decimals: 2),
          figures[1].formatted(decimals: 2))
      }
    }
    print(table.text + "\n")
  }

  /// Makes the calls in this process and prints how often each side allocated per call.
  static func printInThisProcess(
    _ stack: RPCStack, socketPath: String, calls: Int, inFlight: Int, client: AllocationCount,
    server: AllocationCount
  ) async throws {
    try await stack.withCall(socketPath: socketPath) { call in
      try await make(calls, inFlight: inFlight, call)
      let before = (client: try client.value(), server: try server.value())
      try await make(calls, inFlight: inFlight, call)
      let after = (client: try client.value(), server: try server.value())
      print(
        Double(after.client - before.client) / Double(calls),
        Double(after.server - before.server) / Double(calls))
    }
  }

  private static func make(
    _ calls: Int, inFlight: Int, _ call: @escaping @Sendable () async throws -> Void
  ) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for index in 0..<inFlight {
        // The remainder goes to the first callers, so that the calls are as many as they are divided by.
        let share = calls / inFlight + (index < calls % inFlight ? 1 : 0)
        group.addTask { for _ in 0..<share { try await call() } }
      }
      try await group.waitForAll()
    }
  }
}
