import func Glibc.acos

/// Finds the impacts in a stream of samples and measures what was around them.
///
/// An impact is the highest mean of the second before it and the 2.5 s after it. It is measured
/// 5.5 s later, or when the trace ends.
public struct ImpactStream: Sendable {
  /// How long after an impact it is measured, in means: 5.5 s.
  private static let delay = 138
  /// For how long before and after an impact nothing is higher, in means: 1 s and 2.5 s.
  private static let reach = (before: 25, after: 63)
  /// How much of a trace must follow an impact that can be measured, in means: 0.72 s.
  private static let shortestRest = 18
  /// After so many samples in a row whose time ran back, the device's clock has begun anew; two
  /// batches that come twice have fewer.
  private static let longestReversal = 8192

  private let threshold: Float
  private let weightless: Float
  /// The magnitude from which a value of an axis counts as clipped.
  private let limit: Double
  private var grid = MotionGrid()
  private var reversedCount = 0

  /// A stream.
  ///
  /// - Parameters:
  ///   - threshold: The mean over 40 ms from which a peak is an impact, in g.
  ///   - weightless: The mean below which the device is in free fall, in g.
  ///   - rangeG: The largest magnitude that an axis can show, in g; nil when unknown.
  public init(threshold: Double, weightless: Double, rangeG: Double?) {
    self.threshold = Float(threshold)
    self.weightless = Float(weightless)
    limit = rangeG.map { $0 * 0.985 } ?? .infinity
  }

  /// Takes a sample. One that is not plausible, or whose time does not follow, is skipped.
  ///
  /// - Parameters:
  ///   - sample: The next sample.
  ///   - found: Called with each impact that can be measured now, the earlier first.
  @inline(__always)
  public mutating func add(_ sample: AccelerationSample, found: (ImpactEvidence) -> Void) {
    guard sample.isPlausible else { return }
    switch grid.outcome(at: sample.nanoseconds) {
    case .skipped:
      reversedCount += 1
      guard reversedCount > Self.longestReversal else { return }
      begin(with: sample, found: found)
    case .newTrace:
      begin(with: sample, found: found)
    case .taken:
      reversedCount = 0
      let isClipped = abs(sample.x) >= limit || abs(sample.y) >= limit || abs(sample.z) >= limit
      let (threshold, weightless) = (threshold, weightless)
      grid.add(at: sample.nanoseconds, Self.vector(sample), clipped: isClipped) { grid in
        let index = grid.count - Self.delay
        if index >= 0, grid.magnitude(index) > threshold, Self.isHighest(index, in: grid),
          let evidence = grid.evidence(at: index, until: Self.delay, weightless: weightless)
        {
          found(evidence)
        }
      }
    }
  }

  /// Ends the trace: measures the impacts whose time after is not over. The next sample begins a
  /// new trace.
  public mutating func finish(found: (ImpactEvidence) -> Void) {
    defer { grid.forget() }
    let end = grid.count - Self.shortestRest
    var index = max(grid.first, grid.count - Self.delay + 1)
    while index < end {
      if grid.magnitude(index) > threshold, Self.isHighest(index, in: grid),
        let evidence = grid.evidence(at: index, until: Self.delay, weightless: weightless)
      {
        found(evidence)
      }
      index += 1
    }
  }

  /// How many bytes it keeps beside itself.
  var bufferBytes: Int { grid.bufferBytes }

  /// How many means of 40 ms the trace has.
  var meanCount: Int { grid.count }

  /// When the last mean ended, in nanoseconds of the device's clock.
  var end: Int64 { grid.begin(of: grid.count) }

  /// When the first mean was that may prove to be an impact, by the device's clock; nil when
  /// nothing is pending.
  var pendingSince: Int64? {
    for index in max(grid.first, grid.count - Self.delay + 1)..<max(grid.first, grid.count)
    where grid.magnitude(index) > threshold {
      return grid.begin(of: index)
    }
    return nil
  }

  /// Whether something higher than an impact that is measured now follows it.
  func isHigherAhead(than evidence: ImpactEvidence) -> Bool {
    let height = Float(evidence.meanPeakG)
    for index in max(grid.first, grid.count - Self.delay + Self.reach.after)..<grid.count {
      if grid.magnitude(index) > height { return true }
    }
    return false
  }

  /// Some of the last means in numbers.
  func stretch(_ range: Range<Int>) -> LongLieWatch.Stretch {
    let statistics = grid.statistics(range)
    return LongLieWatch.Stretch(
      start: grid.begin(of: range.lowerBound), end: grid.begin(of: range.upperBound),
      gravity: statistics.mean, deviation: statistics.deviation)
  }

  private static func vector(_ sample: AccelerationSample) -> SIMD4<Float> {
    SIMD4(Float(sample.x), Float(sample.y), Float(sample.z), 0)
  }

  private mutating func begin(
    with sample: AccelerationSample, found: (ImpactEvidence) -> Void
  ) {
    if grid.count > 0 { finish(found: found) }
    reversedCount = 0
    grid.begin(at: sample.nanoseconds, with: Self.vector(sample))
  }

  /// The angle between two vectors in degrees; nil when one is too short to be gravity.
  static func angle(_ first: SIMD4<Float>, _ second: SIMD4<Float>) -> Double? {
    let lengths = ((first * first).sum() * (second * second).sum()).squareRoot()
    guard lengths > 0.04 else { return nil }
    let cosine = Double((first * second).sum() / lengths)
    return acos(min(1, max(-1, cosine))) * 180 / .pi
  }

  /// Whether nothing within `reach` is higher; of two that are equal, the first is.
  private static func isHighest(_ index: Int, in grid: borrowing MotionGrid) -> Bool {
    let magnitude = grid.magnitude(index)
    for other in max(grid.first, index - reach.before)..<min(grid.count, index + reach.after + 1) {
      let there = grid.magnitude(other)
      if there > magnitude || (there == magnitude && other < index) { return false }
    }
    return true
  }
}
