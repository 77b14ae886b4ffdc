import KithMetrics
import KithRPC
import MetricsContract
import Synchronization

/// Counts the calls of one method.
final class MethodCounter: CallObserver {
  private struct Ended {
    /// By the status's number; the last place is for numbers that this build does not know.
    var byStatus = [UInt64](repeating: 0, count: StatusCode.allCases.count + 1)
    /// By the index in ``LatencyScale``.
    var buckets = [UInt64](repeating: 0, count: LatencyScale.count)
    var sumMicroseconds: UInt64 = 0
  }

  private let method: String
  private let started = Atomic<UInt64>(0)
  private let finished = Atomic<UInt64>(0)
  private let ended = Mutex(Ended())

  init(_ method: MethodDescriptor) { self.method = method.fullName }

  func callBegan() {
    started.wrappingAdd(1, ordering: .relaxed)
  }

  func callEnded(_ code: StatusCode, afterMicroseconds time: UInt64) {
    let bucket = LatencyScale.index(ofMicroseconds: time)
    ended.withLock { ended in
      ended.byStatus[min(max(0, Int(code.rawValue)), ended.byStatus.count - 1)] += 1
      ended.buckets[bucket] += 1
      ended.sumMicroseconds &+= time
    }
    finished.wrappingAdd(1, ordering: .releasing)
  }

  /// How many calls have ended.
  var callsEnded: UInt64 { finished.load(ordering: .acquiring) }

  /// How many calls are in progress.
  var inProgress: UInt64 {
    // The ended ones first: a call that begins and ends in between is then counted as in progress,
    // never as less than nothing.
    let finished = finished.load(ordering: .acquiring)
    return started.load(ordering: .acquiring) - finished
  }

  /// The counts, in the words of the contract.
  var metrics: MethodMetrics {
    let inProgress = inProgress
    let ended = ended.withLock { $0 }
    var byStatus: [UInt32: UInt64] = [:]
    for (code, count) in ended.byStatus.enumerated() where count > 0 {
      byStatus[UInt32(code)] = count
    }
    let isFault = Set(Self.faults.map { UInt32($0.rawValue) })
    let latencies = Latencies(
      counts: Dictionary(uniqueKeysWithValues: zip(0..., ended.buckets)),
      sumMicroseconds: ended.sumMicroseconds)
    return MethodMetrics(
      method: method, calls: byStatus.values.reduce(0, +),
      errors: byStatus.filter { isFault.contains($0.key) }.values.reduce(0, +),
      callsByStatus: byStatus, inFlight: inProgress,
      latency: latencies.count > 0 ? LatencyHistogram(latencies) : nil)
  }

  /// The statuses that are the worker's doing and not the caller's.
  private static let faults: [StatusCode] = [
    .unknown, .deadlineExceeded, .resourceExhausted, .unimplemented, .internal, .unavailable,
    .dataLoss,
  ]
}

extension LatencyHistogram {
  fileprivate init(_ latencies: Latencies) {
    self.init(
      count: latencies.count, sumUs: latencies.sumMicroseconds,
      p50Us: latencies.quantile(0.5) ?? 0, p95Us: latencies.quantile(0.95) ?? 0,
      p99Us: latencies.quantile(0.99) ?? 0,
      buckets: latencies.counts.sorted { $0.key < $1.key }.map {
        LatencyBucket(
          upperUs: LatencyScale.upperMicroseconds(of: $0.key), count: $0.value)
      })
  }
}
