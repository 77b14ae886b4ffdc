/// Keeps a number of calls in progress for a while and says how long they took.
package enum LoadGenerator {
  /// What one run of one stack gave.
  package struct Sample {
    package var callsPerSecond: Double
    /// Latencies in microseconds.
    package var p50: Double
    package var p99: Double

    package init(callsPerSecond: Double, p50: Double, p99: Double) {
      self.callsPerSecond = callsPerSecond
      self.p50 = p50
      self.p99 = p99
    }
  }

  /// Runs `inFlight` callers, each with its next call as soon as the last one is answered, and
  /// counts what ends in `duration` after a short warm-up.
  package static func run(
    inFlight: Int, for duration: Duration, _ call: @escaping @Sendable () async throws -> Void
  ) async throws -> Sample {
    let clock = ContinuousClock()
    let begin = clock.now.advanced(by: duration / 5)
    let end = begin.advanced(by: duration)
    let latencies = try await withThrowingTaskGroup(of: [Double].self) { group in
      for _ in 0..<inFlight {
        group.addTask {
          var mine: [Double] = []
          mine.reserveCapacity(1 << 14)
          var before = clock.now
          while before < end {
            try await call()
            let after = clock.now
            if before >= begin { mine.append((after - before) / .microseconds(1)) }
            before = after
          }
          return mine
        }
      }
      return try await group.reduce(into: []) { $0 += $1 }
    }
    return summary(of: latencies, over: duration)
  }

  /// Begins so many calls a second on time; latencies count from when each was due.
  package static func paced(
    _ rate: Int, for duration: Duration, _ call: @escaping @Sendable () async throws -> Void
  ) async throws -> Sample {
    let clock = ContinuousClock()
    let begin = clock.now
    let count = Int(Double(rate) * (duration / .seconds(1)))
    let latencies = try await withThrowingTaskGroup(of: Double.self) { group in
      for number in 0..<count {
        let due = begin + .microseconds(number * 1_000_000 / rate)
        if clock.now < due { try await clock.sleep(until: due, tolerance: .zero) }
        group.addTask {
          try await call()
          return (clock.now - due) / .microseconds(1)
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    return summary(of: latencies, over: clock.now - begin)
  }

  /// The same figures from latencies that were measured elsewhere.
  package static func summary(of latencies: [Double], over duration: Duration) -> Sample {
    let sorted = latencies.sorted()
    return Sample(
      callsPerSecond: Double(sorted.count) / (duration / .seconds(1)),
      p50: sorted.percentile(50), p99: sorted.percentile(99))
  }
}

extension [Double] {
  /// The value at a percentile of an already sorted array; NaN for an empty one.
  package func percentile(_ percent: Double) -> Double {
    guard !isEmpty else { return .nan }
    return self[Swift.min(count - 1, Int(Double(count) * percent / 100))]
  }

  /// The middle value.
  package var median: Double { sorted().percentile(50) }
}
