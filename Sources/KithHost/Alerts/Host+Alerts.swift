import Glibc
import HostContract
import KithManifest
import KithMetrics
import KithPlanning
import KithRPC
import KithSupervision
import MetricsContract

/// Alerts: what the rules of the manifest are told of the workers, and what is told of what they
/// come to.
extension Host {
  /// Looks at the workers as often as the rules in force want it, until others are.
  func watchForAlerts() {
    let round = alerts.round
    if let interval = alerts.interval {
      tasks.add {
        while !Task.isCancelled, await self.alerts.round == round {
          await self.readForAlerts()
          try? await Task.sleep(for: interval)
        }
      }
    }
    guard alerts.watchesStates else { return }
    tasks.add {
      while !Task.isCancelled, await self.alerts.round == round {
        await self.lookForAlerts()
        try? await Task.sleep(for: .seconds(1))
      }
    }
  }

  private func readForAlerts() async {
    let metrics = await metrics()
    let readings = metrics.workers.filter { $0.state == .ready && $0.problem.isEmpty }.map {
      AlertEvaluator.Reading(
        Incarnation(worker: $0.name, generation: $0.generation),
        methods: Dictionary(
          $0.methods.map { ($0.method, CallCounts($0)) }, uniquingKeysWith: { first, _ in first }),
        isOlder: ($0.process?.uptimeUs ?? .max) > metrics.atUs)
    }
    tell(alerts.take(readings, at: clock.now))
  }

  /// Looks at the states of the workers. A product that is being ended has none that is down.
  private func lookForAlerts() {
    guard !phase.isEnding else { return }
    let conditions = supervisor.snapshots.map { worker in
      AlertEvaluator.Condition(
        worker: worker.name,
        isDown: worker.isWanted && !worker.health.isReady && worker.state != .finished,
        isQuarantined: worker.state == .quarantined,
        isDegraded: worker.health.isReady && !worker.health.degradation.isEmpty,
        restarts: UInt64(worker.restarts))
    }
    tell(alerts.take(conditions: conditions, at: clock.now))
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
    let (now, milliseconds) = (clock.now, WallClock.milliseconds)
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
