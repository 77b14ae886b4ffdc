/// How long calls took: a count for each bucket of ``LatencyScale``.
public struct Latencies: Sendable, Hashable {
  /// The counts of the buckets that are not empty, by the bucket's index.
  public private(set) var counts: [Int: UInt64] = [:]
  /// The sum of the times in microseconds.
  public private(set) var sumMicroseconds: UInt64 = 0

  /// Nothing yet.
  public init() {}

  /// Counts that were taken elsewhere.
  public init(counts: [Int: UInt64], sumMicroseconds: UInt64) {
    self.counts = counts.filter { $0.value > 0 }
    self.sumMicroseconds = sumMicroseconds
  }

  /// How many calls there are in it.
  public var count: UInt64 { counts.values.reduce(0, &+) }

  /// Adds a call.
  public mutating func add(microseconds: UInt64) {
    counts[LatencyScale.index(ofMicroseconds: microseconds), default: 0] += 1
    sumMicroseconds &+= microseconds
  }

  /// The time that a share of the calls did not exceed, in microseconds: 0.95 gives the p95. Nil
  /// without calls.
  ///
  /// It is the upper bound of a bucket, so at most an eighth above the true value.
  public func quantile(_ share: Double) -> UInt64? {
    let count = count
    guard count > 0 else { return nil }
    let rank = max(1, (share * Double(count)).rounded(.up))
    var seen: UInt64 = 0
    for index in counts.keys.sorted() {
      seen += counts[index] ?? 0
      if Double(seen) >= rank { return LatencyScale.upperMicroseconds(of: index) }
    }
    return nil
  }

  /// The calls of both.
  public static func + (left: Latencies, right: Latencies) -> Latencies {
    Latencies(
      counts: left.counts.merging(right.counts, uniquingKeysWith: &+),
      sumMicroseconds: left.sumMicroseconds &+ right.sumMicroseconds)
  }

  /// The calls that are in these counts and were not in earlier ones. What the earlier ones had
  /// more of counts as none.
  public func since(_ earlier: Latencies) -> Latencies {
    var rest = counts
    for (index, count) in earlier.counts {
      let now = rest[index] ?? 0
      rest[index] = now > count ? now - count : 0
    }
    return Latencies(
      counts: rest,
      sumMicroseconds: sumMicroseconds > earlier.sumMicroseconds
        ? sumMicroseconds - earlier.sumMicroseconds : 0)
  }
}
