import BenchmarkKit

/// How often a unary call allocates, on each side, counted by a library that is preloaded into both
/// processes.
///
/// What Kith's figures are made of, as a debugger that stops at every allocation shows it:
///
/// | client, one in flight                                        | times |
/// |--------------------------------------------------------------|-------|
/// | request: buffer, and its bytes                               | 2 |
/// | request: memory that libprotobuf-c's structs are laid out in | 1 |
/// | answer: its bytes, out of nng's buffer                       | 1 |
/// | answer: list of what a read brought                          | 1 |
/// | answer: memory that libprotobuf-c unpacks into               | 1 |
/// | answer: list of three reasons                                | 1 |
/// | answer: two texts of each reason                             | 6 |
/// | Dispatch's note that a task goes on: one to each of two queues | 2 |
///
/// On `CallExecutor` the last two are not needed. With many in flight one read brings several
/// answers.
///
/// | server, one in flight                                        | times |
/// |--------------------------------------------------------------|-------|
/// | request: its bytes, out of nng's buffer                      | 1 |
/// | request: list of what a read brought                         | 1 |
/// | request: memory that libprotobuf-c unpacks into              | 1 |
/// | request: its text                                            | 1 |
/// | call: what is known of it                                    | 1 |
/// | task: itself, its closure, and what the closure takes along  | 3 |
/// | task: first slab, for its executor                           | 1 |
/// | task: slab for the call that it belongs to                   | 1 |
/// | task: slab for its asynchronous frames                       | 1 |
/// | answer: list of three reasons, made by the handler           | 1 |
/// | answer: memory that libprotobuf-c's structs are laid out in  | 1 |
/// | answer: buffer, and its bytes                                | 2 |
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
        // The remainder goes to the first callers, so that the calls are as many as they are
        // divided by.
        let share = calls / inFlight + (index < calls % inFlight ? 1 : 0)
        group.addTask { for _ in 0..<share { try await call() } }
      }
      try await group.waitForAll()
    }
  }
}
