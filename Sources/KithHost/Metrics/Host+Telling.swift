import Glibc
import HostContract
import KithManifest
import KithMetrics
import KithPlanning
import KithRPC
import KithSupervision
import MetricsContract

/// What the host tells of its own accord: to the service manager, to whoever scrapes its metrics, and of alerts to its log.
extension Host {
  /// Begins all of it; it ends with the chores.
  func beginTelling() {
    serviceManager?.send(.ready)
    pingWatchdog()
    serveMetrics()
    watchForAlerts()
  }

  /// Serves the metrics where the manifest says so now, and nowhere else.
  func serveMetrics() {
    metricsServer?.close()
    metricsServer = settings.plan.metrics.map { endpoint in
      MetricsServer(endpoint, socket: settings.places.metricsSocket) {
        await MetricsPage(self.metrics(), product: self.settings.plan.product).text
      }
    }
    metricsTroubles = []
    guard let server = metricsServer else { return }
    open(server)
    chores.yield { await server.run() }
  }

  /// Opens what is not open yet, again and again until all is: whoever has the port may leave it.
  private func open(_ server: MetricsServer) {
    guard server === metricsServer, !isShuttingDown else { return }
    let troubles = server.open().map { "metrics are not served: \($0)" }
    for trouble in troubles where !metricsTroubles.contains(trouble) { log(trouble, level: .error) }
    if troubles.isEmpty, !metricsTroubles.isEmpty { log("metrics are served") }
    metricsTroubles = troubles
    guard !troubles.isEmpty else { return }
    reactor.setAlarm(for: server, at: .now + Self.metricsRetryInterval) { [weak self] in
      self?.assumeIsolated { $0.open(server) }
    }
  }

  private static let metricsRetryInterval = Duration.seconds(5)

  /// Looks at the workers' counts as often as the alert rules of now want it, for as long as they stand.
  func watchForAlerts() {
    alertRound += 1
    let round = alertRound
    if let interval = alerts.interval {
      chores.yield {
        while !Task.isCancelled, await self.alertRound == round {
          await self.readForAlerts()
          try? await Task.sleep(for: interval)
        }
      }
    }
    guard alerts.watchesStates else { return }
    chores.yield {
      while !Task.isCancelled, await self.alertRound == round {
        await self.lookForAlerts()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  /// How the workers are, for the service manager: `2 of 3 workers ready`.
  var statusInWords: String {
    let wanted = supervisor.snapshots.filter(\.isWanted)
    let ready = wanted.count { $0.state == .ready }
    let troubled = wanted.filter { $0.state == .quarantined }.map(\.name)
    return "\(ready) of \(wanted.count) workers ready"
      + (troubled.isEmpty ? "" : "; in quarantine: \(troubled.joined(separator: ", "))")
  }

  /// Tells the service manager again and again that the host's own thread does its work.
  private func pingWatchdog() {
    guard let serviceManager, let interval = serviceManager.watchdogInterval else { return }
    serviceManager.send(.watchdog)
    reactor.setAlarm(for: serviceManager, at: .now + interval) { [weak self] in
      self?.assumeIsolated { $0.pingWatchdog() }
    }
  }

  // MARK: Alerts

  private func readForAlerts() async {
    let metrics = await metrics()
    let readings = metrics.workers.filter { $0.state == .ready && $0.problem.isEmpty }.map {
      AlertEvaluator.Reading(
        Incarnation(worker: $0.name, generation: $0.generation),
        methods: Dictionary(
          $0.methods.map { ($0.method, CallCounts($0)) }, uniquingKeysWith: { first, _ in first }),
        isOlder: ($0.process?.uptimeUs ?? .max) > metrics.atUs)
    }
    tell(alerts.take(readings, at: now))
  }

  /// Takes in how the workers are. A product that is being ended has none that is down.
  private func lookForAlerts() {
    guard !isShuttingDown else { return }
    let conditions = supervisor.snapshots.map { worker in
      AlertEvaluator.Condition(
        worker: worker.name,
        isDown: worker.isWanted && !worker.health.isReady && worker.state != .finished,
        isQuarantined: worker.state == .quarantined,
        isDegraded: worker.health.isReady && !worker.health.degradation.isEmpty,
        restarts: UInt64(worker.restarts))
    }
    tell(alerts.take(conditions: conditions, at: now))
  }

  private func tell(_ changes: [AlertEvaluator.Change]) {
    for change in changes {
      let standing = change.standing
      let rule = standing.rule
      let alert = "alert \(rule.name): \(standing.worker), \(rule)"
      let figure = standing.figure.map(rule.words) ?? "too few calls"
      switch standing.state {
      case .firing:
        log("\(alert); now \(figure)", level: rule.severity == .page ? .error : .warning)
      // That a worker has more or fewer calls than it takes to judge is no news.
      case .quiet, .tooFewCalls:
        if change.previous == .firing { log("\(alert): fires no more; now \(figure)") }
      }
      page(change)
    }
  }

  /// The alerts in the words of the contract.
  var alertStandings: [Alert] {
    let (now, milliseconds) = (now, WallClock.milliseconds)
    return alerts.standings.map { standing in
      Alert(
        name: standing.rule.name, worker: standing.worker, condition: standing.rule.description,
        severity: standing.rule.severity == .page ? .page : .warning,
        state: standing.state.contract,
        sinceMs: milliseconds - (now - standing.since).inMilliseconds,
        value: standing.figure.map(standing.rule.words) ?? "", figure: standing.figure,
        calls: standing.calls)
    }
  }
}

extension AlertEvaluator.State {
  fileprivate var contract: AlertState {
    switch self {
    case .quiet: .quiet
    case .tooFewCalls: .tooFewCalls
    case .firing: .firing
    }
  }
}

extension CallCounts {
  /// The counts of a method as its worker tells them.
  fileprivate init(_ method: MethodMetrics) {
    let buckets = (method.latency?.buckets ?? []).map {
      (LatencyScale.index(ofMicroseconds: $0.upperUs), $0.count)
    }
    self.init(
      calls: method.calls, errors: method.errors, inFlight: method.inFlight,
      latencies: Latencies(
        counts: Dictionary(buckets, uniquingKeysWith: +),
        sumMicroseconds: method.latency?.sumUs ?? 0))
  }
}
