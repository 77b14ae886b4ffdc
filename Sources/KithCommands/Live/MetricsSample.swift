import HostContract
import KithMetrics
import MetricsContract

/// What happened between two readings of a product's metrics.
struct MetricsSample {
  /// What one worker, or one of its methods, did.
  struct Row: Equatable {
    /// The worker's name, or the method's without its service.
    var name: String
    var calls = CallCounts()
    /// Over how long, in seconds; zero when nothing was measured.
    var seconds = 0.0

    var callsPerSecond: Double { seconds > 0 ? Double(calls.calls) / seconds : 0 }
  }

  /// A worker.
  struct Worker: Equatable {
    var row: Row
    var methods: [Row]
    var metrics: WorkerMetrics
    /// The share of one processor that its process used; nil without a process.
    var processorShare: Double?
  }

  /// The later reading.
  let metrics: GetMetricsResponse
  /// Whether it tells of the whole life of each process, since there was no earlier reading.
  let isSinceStart: Bool
  /// One a worker, in start order.
  let workers: [Worker]
  /// The share of one processor that the host used.
  let hostShare: Double?

  /// What happened between two readings; without an earlier one, in the whole life of each process.
  init(_ later: GetMetricsResponse, since earlier: GetMetricsResponse?) {
    metrics = later
    isSinceStart = earlier == nil
    hostShare = Self.share(later.host, since: earlier?.host)
    workers = later.workers.map { worker in
      // A process that took over from another has counts of its own.
      let before = earlier?.workers.first {
        $0.name == worker.name && $0.generation == worker.generation && $0.process != nil
      }
      let lifetime = Double(worker.process?.uptimeUs ?? 0) / 1e6
      let seconds =
        before == nil ? lifetime : Double(later.atUs - (earlier?.atUs ?? later.atUs)) / 1e6
      let methods = worker.methods.map { method in
        let old = before?.methods.first { $0.method == method.method }.map(CallCounts.init)
        let name = method.method.split(separator: "/").last.map(String.init) ?? method.method
        return Row(
          name: name, calls: CallCounts(method).since(old ?? CallCounts()), seconds: seconds)
      }
      return Worker(
        row: Row(
          name: worker.name, calls: methods.map(\.calls).reduce(CallCounts(), +), seconds: seconds),
        methods: methods, metrics: worker,
        processorShare: Self.share(worker.process, since: before?.process))
    }
  }

  private static func share(_ later: ProcessMetrics?, since earlier: ProcessMetrics?) -> Double? {
    guard let later else { return nil }
    let used = later.cpuUs - (earlier?.cpuUs ?? 0)
    let time = later.uptimeUs - (earlier?.uptimeUs ?? 0)
    return time > 0 ? max(0, Double(used) / Double(time)) : 0
  }
}

extension CallCounts {
  /// The counts of a method as its worker tells them.
  init(_ method: MethodMetrics) {
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
