public import KithTime

/// When guarded apps were in the foreground, as a set of times: what comes twice, late, in another
/// order or from two devices at once counts once.
public struct UseLedger: Sendable, Hashable {
  /// A time in which an app was used.
  public struct Interval: Sendable, Hashable {
    /// Its first moment.
    public var start: Instant
    /// The first moment behind it.
    public var end: Instant

    /// A time.
    public init(start: Instant, end: Instant) {
      self.start = start
      self.end = end
    }
  }

  /// More separate times are not told apart: the two that are nearest become one, which counts the
  /// gap too.
  public static let mostIntervals = 2_000

  /// The times, ascending, no two of which touch.
  public private(set) var intervals: [Interval]
  /// Away for no longer than this is not away: switching quickly loses nothing.
  public let debounce: Duration

  /// A ledger.
  /// - Parameter intervals: as they were stored.
  public init(debounce: Duration, intervals: [Interval] = []) {
    self.debounce = debounce
    self.intervals = []
    for interval in intervals { add(interval) }
  }

  /// Adds a time. An empty one changes nothing.
  public mutating func add(_ new: Interval) {
    guard new.end > new.start else { return }
    // The first that is not before it, by more than the debounce.
    var low = 0
    var high = intervals.count
    while low < high {
      let middle = (low + high) / 2
      if intervals[middle].end + debounce < new.start { low = middle + 1 } else { high = middle }
    }
    var last = low
    var merged = new
    while last < intervals.count, intervals[last].start <= new.end + debounce {
      merged.start = min(merged.start, intervals[last].start)
      merged.end = max(merged.end, intervals[last].end)
      last += 1
    }
    intervals.replaceSubrange(low..<last, with: CollectionOfOne(merged))
    if intervals.count > Self.mostIntervals { mergeNearest() }
  }

  /// How much of a time they are.
  public func used(from start: Instant, to end: Instant) -> Duration {
    intervals.reduce(.zero) { sum, interval in
      let (from, to) = (max(interval.start, start), min(interval.end, end))
      return to > from ? sum + (to - from) : sum
    }
  }

  /// The moment at which so much of the time from `start` on was used; nil while less was.
  public func moment(ofUsing amount: Duration, from start: Instant) -> Instant? {
    var left = amount
    for interval in intervals where interval.end > start {
      let from = max(interval.start, start)
      if interval.end - from >= left { return from + left }
      left = left - (interval.end - from)
    }
    return nil
  }

  /// Forgets what was before a moment.
  public mutating func forget(before instant: Instant) {
    intervals.removeAll { $0.end <= instant }
  }

  private mutating func mergeNearest() {
    var nearest = 1
    for index in 1..<intervals.count
    where intervals[index].start - intervals[index - 1].end
      < intervals[nearest].start - intervals[nearest - 1].end
    { nearest = index }
    intervals[nearest - 1].end = intervals[nearest].end
    intervals.remove(at: nearest)
  }
}
