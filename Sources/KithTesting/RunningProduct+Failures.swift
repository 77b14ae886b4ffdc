import Glibc
import HostContract
import KithManifest
import KithRPC

/// What the kit says of a step of a test that failed.
extension RunningProduct {
  /// How many lines of each log an error carries.
  private static let logLines: UInt32 = 10

  /// Runs a step of a test; its errors carry the line of the test that asked for it and the last
  /// log lines.
  func step<Value>(
    _ fileID: String, _ line: Int, _ body: () async throws -> Value
  ) async throws -> Value {
    do {
      return try await body()
    } catch let error as TestingError {
      var error = error.at(fileID, line)
      if error.lastLogLines.isEmpty { error.lastLogLines = await lastLogLines() }
      throw error
    }
  }

  /// The last lines of the logs of all workers, then of the host, as they can be had now.
  func lastLogLines() async -> [String] {
    let options = CallOptions(timeout: .seconds(5))
    let status = try? await host.getStatus(GetStatusRequest(), options: options)
    var all: [String] = []
    for name in (status?.workers.map(\.name) ?? []) + ["kithd"] {
      let request = ReadLogRequest(names: [name], lastLines: Self.logLines)
      let lines = (try? await host.readLog(request, options: options).lines) ?? []
      all += lines.map { "\(name) | \($0.level): \($0.text)" }
    }
    if status == nil {
      let words = TemporaryFolder.text(of: "\(folder.path)/kithd.err") ?? ""
      all += words.split(separator: "\n").suffix(Int(Self.logLines)).map { "kithd | \($0)" }
    }
    return all
  }

  /// Writes the last log lines to standard error, above the error that the test's framework shows.
  func tellLastLogLines() async {
    let lines = await lastLogLines().map { "  \($0)" }
    Self.tell((["the last log lines of \(places.product):"] + lines).joined(separator: "\n"))
  }

  /// Writes to standard error.
  static func tell(_ text: String) {
    _ = "\(text)\n".withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// Why a worker is as it is, as `kith why` explains it where that program is built with the
  /// tests.
  func explanation(of worker: WorkerStatus) async -> String {
    let words = ["why", worker.name, "--root", "\(folder.path)/r"]
    if let outcome = try? await Program.built("kith", words).run(), !outcome.output.isEmpty {
      return outcome.output
    }
    return "\(worker.name) is \(worker.state): \(worker.reason)"
  }
}
