import HostContract
import KithManifest
import KithTerminal

/// Whether it makes sense to wait for a worker.
enum WorkerReadiness {
  /// Refuses a worker that stays down until somebody does something. One that starts, waits for
  /// another or is about to be started again is worth waiting for.
  ///
  /// `places` are those of its product; `now` is in milliseconds since 1970.
  static func check(
    _ worker: WorkerStatus, in places: ProductPlaces, now: Int64 = Surroundings.now
  ) throws(CommandFailure) {
    switch worker.state {
    case .stopped, .finished, .quarantined: break
    default: return
    }
    let name = SafeText.line(worker.name)
    let reason = worker.reason.isEmpty ? "" : " (\(SafeText.line(worker.reason)))"
    let next = worker.nextStartAtMs.map { max(0, $0 - now) }
    let retry = next.map { "it is tried again in \(Quantities.elapsed(milliseconds: $0)); " } ?? ""
    let options = places.root.map { " --root \($0)" } ?? ""
    throw CommandFailure(
      .unavailable,
      "\(name) is \(StatusReport.words(worker.state))\(reason); "
        + retry + "start it with `kith start \(name)\(options)`", code: "UNAVAILABLE")
  }
}
