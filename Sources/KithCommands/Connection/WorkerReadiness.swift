import HostContract

/// Whether it makes sense to wait for a worker.
enum WorkerReadiness {
  /// Refuses a worker that stays down until somebody does something. One that starts, waits for another or is about to be
  /// started again is worth waiting for.
  static func check(_ worker: WorkerStatus) throws(CommandFailure) {
    switch worker.state {
    case .stopped, .finished, .quarantined: break
    default: return
    }
    let name = SafeText.line(worker.name)
    let reason = worker.reason.isEmpty ? "" : " (\(SafeText.line(worker.reason)))"
    throw CommandFailure(
      .unavailable,
      "\(name) is \(StatusReport.words(worker.state))\(reason); "
        + "start it with `kith start \(name)`", code: "UNAVAILABLE")
  }
}
