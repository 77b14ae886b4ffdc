import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithTerminal
import KithVerbs

/// What `start`, `stop` and `restart` have in common: ask the host for each worker in turn, and
/// show what came of it.
struct WorkerChange {
  let product: ProductOptions
  let time: TimeoutOptions
  let output: OutputOptions

  func run(
    _ names: [String], doing: String,
    change: (HostClient, String, CallOptions) async throws -> WorkerStatus?
  ) async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings, workers: names)
    let host = running.connection.host
    var changed: [WorkerStatus] = []
    for name in names {
      do {
        if let worker = try await change(host, name, time.callOptions) { changed.append(worker) }
      } catch let error as RPCError where error.code == .notFound {
        throw try await Self.unknown(name, host: host)
      } catch let error as RPCError where error.code == .deadlineExceeded {
        throw CommandFailure(
          .deadline,
          "the host is still \(doing) \(name) after \(time.timeout), and goes on with it; "
            + "see `kith status`, or wait longer with --timeout", code: error.code.name)
      }
    }
    if output.json {
      try Output.line(
        JSONValue.array(try changed.map { try HostJSON.json($0) }).text(pretty: true))
    } else {
      try Output.lines(
        StatusReport.table(changed, now: Surroundings.now).lines(surroundings.terminal))
    }
  }

  /// A worker that the product does not have, with the name that was probably meant.
  static func unknown(
    _ name: String, host: HostClient
  ) async throws -> CommandFailure {
    let status = try await host.getStatus(
      GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
    return unknown(name, status)
  }

  static func unknown(_ name: String, _ status: GetStatusResponse) -> CommandFailure {
    let names = status.workers.map(\.name)
    let shown = SafeText.line(String(name.prefix(60)))
    let hint =
      nearestName(to: name, among: names).map { "did you mean '\($0)'?" }
      ?? "it has \(names.isEmpty ? "none" : names.joined(separator: ", "))"
    return CommandFailure(
      .usage, "\(status.product) has no worker '\(shown)'; \(hint)")
  }
}
