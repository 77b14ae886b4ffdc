import HostContract
import KithClient
import KithJSON
import KithRPC
import KithTerminal
import KithVerbs

/// What `restart` and `upgrade` have in common: ask the host, and show what came of it and of the
/// calls.
struct ReplacementReport {
  let product: ProductOptions
  let time: TimeoutOptions
  let output: OutputOptions

  func run(
    _ names: [String], doing: String,
    replace: (HostClient, CallOptions) async throws -> [Replacement]
  ) async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings, workers: names)
    let host = running.connection.host
    let replacements: [Replacement]
    do {
      replacements = try await replace(host, time.callOptions)
    } catch let error as RPCError where error.code == .notFound {
      let status = try await host.getStatus(
        GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
      let known = Set(status.workers.map(\.name))
      throw WorkerChange.unknown(names.first { !known.contains($0) } ?? "", status)
    } catch let error as RPCError where error.code == .deadlineExceeded {
      throw CommandFailure(
        .deadline,
        "the host is still \(doing) \(names.isEmpty ? "the workers" : names.joined(separator: ", ")) after \(time.timeout), and goes on with it; "
          + "see `kith status`, or wait longer with --timeout", code: error.code.name)
    } catch let error as RPCError where error.code == .unavailable && error.execution != .notStarted
    {
      let whom = names.isEmpty ? "the workers" : names.joined(separator: ", ")
      throw CommandFailure(
        .unavailable,
        "the host went away while it was \(doing) \(whom): what it had begun is led on by the next host, "
          + "what it had not is not done; `kith status` shows since when each runs",
        code: error.code.name)
    }
    if output.json {
      try Output.line(
        JSONValue.array(try replacements.map { try HostJSON.json($0) }).text(pretty: true))
    } else {
      let workers = replacements.compactMap(\.worker)
      try Output.lines(
        StatusReport.table(workers, now: Surroundings.now).lines(surroundings.terminal)
          + [""] + replacements.map(Self.line))
    }
  }

  /// `risk-engine: generation 3 in place of 2; calls served 4210, callers held 0, calls failed 0`
  static func line(_ replacement: Replacement) -> String {
    let worker = replacement.worker ?? WorkerStatus()
    let old = replacement.fromGeneration
    return "\(SafeText.line(worker.name)): generation \(worker.generation)"
      + (old == 0 ? "" : " in place of \(old)")
      + "; calls served \(replacement.callsServed), callers held \(replacement.callersHeld), "
      + "calls failed \(replacement.callsFailed)"
  }
}
