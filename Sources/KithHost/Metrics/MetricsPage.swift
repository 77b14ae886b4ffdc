import HostContract
import KithRPC
import MetricsContract

/// The metrics of a product as Prometheus text.
///
/// | name | kind | labels |
/// |---|---|---|
/// | `kith_rpc_server_calls_total` | counter | worker, method, code |
/// | `kith_rpc_server_errors_total` | counter | worker, method |
/// | `kith_rpc_server_duration_seconds` | histogram | worker, method |
/// | `kith_rpc_server_in_flight_calls` | gauge | worker, method |
/// | `kith_worker_up`, `kith_worker_ready` | gauge, 0 or 1 | worker |
/// | `kith_worker_generation` | gauge | worker |
/// | `kith_worker_restarts_total` | counter | worker |
/// | `kith_process_resident_memory_bytes` | gauge | process (a worker, or kithd) |
/// | `kith_process_cpu_seconds_total` | counter | process |
/// | `kith_process_uptime_seconds` | gauge | process |
/// | `kith_log_lines_waiting` | gauge | log |
/// | `kith_log_lines_lost_total` | counter | log |
/// | `kith_log_lines_dropped_total`, `kith_log_bytes_dropped_total` | counter | log |
/// | `kith_alert_firing` | gauge, 0 or 1 | alert, worker, severity |
/// | `kith_alert_value` | gauge: share of calls, or seconds | alert, worker |
///
/// All have the label `product` in front. Counts of calls begin at zero with each process of a
/// worker, as Prometheus expects of a process that was restarted.
struct MetricsPage {
  private let metrics: GetMetricsResponse
  private let product: String
  private var page = PrometheusText()

  /// The page.
  var text: String { page.text }

  /// The bounds of the histogram's buckets, in microseconds. A call may stand one bucket too high
  /// when it took up to an eighth less than a bound.
  static let bounds: [UInt64] = [
    100, 250, 500, 1000, 2500, 5000, 10_000, 25_000, 50_000, 100_000, 250_000, 500_000, 1_000_000,
    2_500_000, 5_000_000, 10_000_000, 30_000_000, 60_000_000,
  ]

  /// The page of these metrics.
  init(_ metrics: GetMetricsResponse, product: String) {
    self.metrics = metrics
    self.product = product
    addCalls()
    addWorkers()
    addProcesses()
    addConcerns()
  }

  private mutating func addCalls() {
    let methods = metrics.workers.flatMap { worker in worker.methods.map { (worker.name, $0) } }
    page.family("kith_rpc_server_calls_total", .counter, "Calls that ended, by status.")
    for (worker, method) in methods {
      for (code, count) in method.callsByStatus.sorted(by: { $0.key < $1.key }) {
        let code = StatusCode(rawValue: Int32(clamping: code)).name
        add("calls_total", worker, method, [("code", code)], count)
      }
    }
    page.family(
      "kith_rpc_server_errors_total", .counter, "Calls that failed by the worker's fault.")
    for (worker, method) in methods { add("errors_total", worker, method, [], method.errors) }
    page.family(
      "kith_rpc_server_duration_seconds", .histogram, "How long handlers took, to the last message."
    )
    for (worker, method) in methods {
      let latency = method.latency ?? LatencyHistogram()
      for bound in Self.bounds {
        let count = latency.buckets.filter { $0.upperUs <= bound }.reduce(0) { $0 + $1.count }
        add("duration_seconds_bucket", worker, method, [("le", Self.seconds(bound))], count)
      }
      add("duration_seconds_bucket", worker, method, [("le", "+Inf")], latency.count)
      page.sample(
        "kith_rpc_server_duration_seconds_sum", labels(worker, method), Double(latency.sumUs) / 1e6)
      add("duration_seconds_count", worker, method, [], latency.count)
    }
    page.family("kith_rpc_server_in_flight_calls", .gauge, "Calls in progress.")
    for (worker, method) in methods {
      add("in_flight_calls", worker, method, [], method.inFlight)
    }
  }

  private mutating func addWorkers() {
    add("kith_worker_up", .gauge, "Whether the worker has a process.") { $0.process == nil ? 0 : 1 }
    add("kith_worker_ready", .gauge, "Whether the worker takes calls.") {
      $0.state == .ready ? 1 : 0
    }
    add("kith_worker_generation", .gauge, "Counts the worker's processes.") { $0.generation }
    add("kith_worker_restarts_total", .counter, "Restarts after deaths nobody asked for.") {
      UInt64($0.restarts)
    }
  }

  private mutating func addProcesses() {
    let all =
      [("kithd", metrics.host)] + metrics.workers.map { ($0.name, $0.process) }
    let processes = all.compactMap { name, process in process.map { (name, $0) } }
    page.family("kith_process_resident_memory_bytes", .gauge, "Resident memory.")
    for (name, process) in processes {
      page.sample(
        "kith_process_resident_memory_bytes", [("product", product), ("process", name)],
        process.residentBytes)
    }
    page.family("kith_process_cpu_seconds_total", .counter, "Processor time of all threads.")
    for (name, process) in processes {
      page.sample(
        "kith_process_cpu_seconds_total", [("product", product), ("process", name)],
        Double(process.cpuUs) / 1e6)
    }
    page.family("kith_process_uptime_seconds", .gauge, "How long ago the process was started.")
    for (name, process) in processes {
      page.sample(
        "kith_process_uptime_seconds", [("product", product), ("process", name)],
        Double(process.uptimeUs) / 1e6)
    }
  }

  private mutating func addConcerns() {
    page.family("kith_log_lines_waiting", .gauge, "Lines of a log that cannot be written now.")
    for trouble in metrics.logTroubles {
      page.sample(
        "kith_log_lines_waiting", [("product", product), ("log", trouble.name)],
        trouble.linesWaiting)
    }
    page.family("kith_log_lines_lost_total", .counter, "Lines of a log that were given up.")
    for trouble in metrics.logTroubles {
      page.sample(
        "kith_log_lines_lost_total", [("product", product), ("log", trouble.name)],
        trouble.linesLost)
    }
    page.family(
      "kith_log_lines_dropped_total", .counter,
      "Lines of a worker's output beyond what its budget lets into its log.")
    for trouble in metrics.logTroubles {
      page.sample(
        "kith_log_lines_dropped_total", [("product", product), ("log", trouble.name)],
        trouble.linesDropped)
    }
    page.family("kith_log_bytes_dropped_total", .counter, "Bytes of those lines.")
    for trouble in metrics.logTroubles {
      page.sample(
        "kith_log_bytes_dropped_total", [("product", product), ("log", trouble.name)],
        trouble.bytesDropped)
    }
    page.family("kith_alert_firing", .gauge, "Whether an alert of the product's manifest fires.")
    for alert in metrics.alerts {
      let severity = alert.severity == .page ? "page" : "warning"
      page.sample(
        "kith_alert_firing",
        [
          ("product", product), ("alert", alert.name), ("worker", alert.worker),
          ("severity", severity),
        ], alert.state == .firing ? 1.0 : 0)
    }
    page.family(
      "kith_alert_value", .gauge, "The figure an alert looks at: a share of calls, or seconds.")
    for alert in metrics.alerts {
      guard let figure = alert.figure else { continue }
      page.sample(
        "kith_alert_value",
        [("product", product), ("alert", alert.name), ("worker", alert.worker)], figure)
    }
  }

  // MARK: Samples

  private mutating func add(
    _ name: String, _ kind: PrometheusText.Kind, _ help: String, _ value: (WorkerMetrics) -> UInt64
  ) {
    page.family(name, kind, help)
    for worker in metrics.workers {
      page.sample(name, [("product", product), ("worker", worker.name)], value(worker))
    }
  }

  private mutating func add(
    _ name: String, _ worker: String, _ method: MethodMetrics, _ more: [(String, String)],
    _ value: UInt64
  ) {
    page.sample("kith_rpc_server_\(name)", labels(worker, method) + more, value)
  }

  private func labels(_ worker: String, _ method: MethodMetrics) -> [(String, String)] {
    [("product", product), ("worker", worker), ("method", method.method)]
  }

  /// `0.0025`: a bound as Prometheus shows it.
  private static func seconds(_ microseconds: UInt64) -> String {
    let seconds = Double(microseconds) / 1e6
    return Int64(exactly: seconds).map { "\($0)" } ?? (seconds == 0.0001 ? "0.0001" : "\(seconds)")
  }
}
