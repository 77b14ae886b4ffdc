import KithSupervision

/// What the service manager is told.
extension Host {
  /// How the workers are, for the service manager: `2 of 3 workers ready`.
  var statusInWords: String {
    let wanted = supervisor.snapshots.filter(\.isWanted)
    let ready = wanted.count { $0.state == .ready }
    let troubled = wanted.filter { $0.state == .quarantined }.map(\.name)
    return "\(ready) of \(wanted.count) workers ready"
      + (troubled.isEmpty ? "" : "; in quarantine: \(troubled.joined(separator: ", "))")
  }

  /// Tells the service manager again and again that the host's own thread does its work.
  func pingWatchdog() {
    guard let serviceManager, let interval = serviceManager.watchdogInterval else { return }
    serviceManager.send(.watchdog)
    reactor.setAlarm(for: serviceManager, at: .now + interval) { [weak self] in
      self?.assumeIsolated { $0.pingWatchdog() }
    }
  }
}
