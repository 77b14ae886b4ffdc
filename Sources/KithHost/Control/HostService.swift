import HostContract
import KithRPC

/// The host's control service: hands each call to the host or its logs.
struct HostService: HostHandler {
  /// How many lines one answer holds at most, as the contract says.
  private static let maximumLines = 1000
  /// How many lines before the end a reader may begin, as the contract says.
  private static let maximumLastLines: UInt32 = 10_000

  let host: Host

  func getStatus(
    _ request: GetStatusRequest, context: CallContext
  ) async throws -> GetStatusResponse {
    try await host.status(whenSettled: request.waitUntilSettled)
  }

  func resolve(_ request: ResolveRequest, context: CallContext) async throws -> ResolveResponse {
    try await host.resolve(request)
  }

  func startWorker(
    _ request: StartWorkerRequest, context: CallContext
  ) async throws -> StartWorkerResponse {
    StartWorkerResponse(worker: try await host.start(request.name))
  }

  func stopWorker(
    _ request: StopWorkerRequest, context: CallContext
  ) async throws -> StopWorkerResponse {
    StopWorkerResponse(worker: try await host.stop(request.name))
  }

  func restartWorkers(
    _ request: RestartWorkersRequest, context: CallContext
  ) async throws -> RestartWorkersResponse {
    RestartWorkersResponse(replacements: try await host.restart(request))
  }

  func upgradeWorker(
    _ request: UpgradeWorkerRequest, context: CallContext
  ) async throws -> UpgradeWorkerResponse {
    UpgradeWorkerResponse(replacement: try await host.upgrade(request))
  }

  func readLog(_ request: ReadLogRequest, context: CallContext) async throws -> ReadLogResponse {
    try await host.checkLogName(request.name)
    guard request.lastLines <= Self.maximumLastLines else {
      throw RPCError.invalidArgument(
        field: "last_lines", "\(request.lastLines) is more than \(Self.maximumLastLines)")
    }
    var position: UInt64?
    if !request.cursor.isEmpty {
      position = UInt64(request.cursor)
      guard position != nil else {
        throw RPCError.invalidArgument(
          field: "cursor", "this is no cursor of an earlier answer; leave it out to begin anew")
      }
    }
    while true {
      let found: (records: [LogRecord], next: UInt64)?
      do {
        found = try await host.logs.read(
          log: request.name, from: position, lastLines: Int(request.lastLines),
          limit: Self.maximumLines)
      } catch {
        throw RPCError(.internal, "the log cannot be read: \(error)")
      }
      guard let found else { throw RPCError(.notFound, "there is no such log") }
      if !found.records.isEmpty || !request.waitForLines {
        return ReadLogResponse(
          lines: found.records.map(\.contract), cursor: String(found.next))
      }
      position = found.next
      guard try await host.logs.waitForLines(log: request.name, after: found.next) else {
        return ReadLogResponse(cursor: String(found.next))
      }
    }
  }

  func shutdown(_ request: ShutdownRequest, context: CallContext) async throws -> ShutdownResponse {
    try await host.shutDown()
  }
}

extension LogRecord {
  /// The record in the words of the contract.
  fileprivate var contract: LogLine {
    let stream: LogStream =
      switch self.stream {
      case .stdout: .stdout
      case .stderr: .stderr
      case .host: .host
      }
    return LogLine(atMs: atMilliseconds, generation: generation, stream: stream, text: text)
  }
}
