import Glibc
import HostContract
import KithManifest
import KithPlanning
import KithRPC
import KithSupervision

/// Counts of the host and its workers, and where they are served.
extension Host {
  private static let metricsRetryInterval = Duration.seconds(5)

  /// Serves the metrics where the manifest in force says, and nowhere else.
  func serveMetrics() {
    let server = settings.plan.metrics.map { endpoint in
      MetricsServer(endpoint, socket: settings.places.metricsSocket) {
        await MetricsPage(self.metrics(), product: self.settings.plan.product).text
      }
    }
    metricsServing.replace(with: server)
    guard let server else { return }
    open(server)
    tasks.add { await server.run() }
  }

  /// Opens the addresses that are not open yet, and tries again until all are: another program may
  /// give up the port.
  private func open(_ server: MetricsServer) {
    guard !phase.isEnding, let opening = metricsServing.open(server) else { return }
    for (level, text) in opening.news { log(text, level: level) }
    guard !opening.isComplete else { return }
    reactor.setAlarm(for: server, at: .now + Self.metricsRetryInterval) { [weak self] in
      self?.assumeIsolated { $0.open(server) }
    }
  }

  /// Asks all workers that are ready, at the same time, and adds what the kernel and the host
  /// count.
  func metrics() async -> GetMetricsResponse {
    let links = workers.all.compactMap { worker in
      worker.publishedProcess?.link.map { (worker.name, $0) }
    }
    let told = await withTaskGroup { group in
      for (name, link) in links {
        group.addTask { (name, await link.metrics()) }
      }
      return await group.reduce(into: [String: WorkerLink.Metrics]()) { $0[$1.0] = $1.1 }
    }
    let elapsed = clock.now.sinceStart.components
    return GetMetricsResponse(
      atUs: elapsed.seconds * 1_000_000 + elapsed.attoseconds / 1_000_000_000_000,
      host: ProcessMetrics(ofPid: getpid()),
      workers: settings.plan.workers.compactMap { worker in
        supervisor.snapshot(of: worker.name).map { metrics(of: $0, told: told[worker.name]) }
      },
      alerts: alertStandings, logTroubles: logTroubles)
  }

  private func metrics(
    of snapshot: WorkerSnapshot, told: WorkerLink.Metrics?
  ) -> WorkerMetrics {
    // What was asked of one process is not told of the next.
    let incarnation = workers[snapshot.name].publishedIncarnation
    let told = told.flatMap { $0.incarnation == incarnation ? $0 : nil }
    let running =
      incarnation ?? Incarnation(worker: snapshot.name, generation: snapshot.generation)
    var metrics = WorkerMetrics(
      name: snapshot.name, state: snapshot.state.contract, generation: running.generation,
      restarts: UInt32(clamping: snapshot.restarts),
      process: workers[running].flatMap { ProcessMetrics(ofPid: $0.pid) })
    switch told?.answer {
    case .success(let methods): metrics.methods = methods
    case .failure(let error): metrics.problem = "\(error)"
    case nil: break
    }
    return metrics
  }
}

extension ProcessMetrics {
  /// The counts of a process that runs.
  fileprivate init?(ofPid pid: Int32) {
    guard let usage = ProcessUsage(ofPid: pid) else { return nil }
    self.init(
      pid: pid, residentBytes: usage.residentBytes, cpuUs: usage.processorMicroseconds,
      uptimeUs: usage.uptimeMicroseconds)
  }
}
