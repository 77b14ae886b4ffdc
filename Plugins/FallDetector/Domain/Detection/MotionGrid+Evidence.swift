/// How an impact is measured.
extension MotionGrid {
  /// The lengths that gravity may have, in g: others are another unit or a broken sensor.
  private static let gravity: ClosedRange<Float> = 0.4...1.8

  /// What was measured around an impact; nil where what is before or after it cannot be gravity.
  ///
  /// - Parameters:
  ///   - index: The mean with the highest acceleration.
  ///   - delay: How many means after it count at most.
  ///   - weightless: The mean below which the device is in free fall, in g.
  func evidence(at index: Int, until delay: Int, weightless: Float) -> ImpactEvidence? {
    // Before: 3.5 s to 1.2 s, and nearer where a trace begins late.
    var before = range(index - 88, index - 30)
    if before.count < 12 { before = range(index - 88, index - 15) }
    // After: 1.5 s to 5.5 s, and the last second of a trace that ends early.
    var after = range(index + 38, index + delay)
    if after.count < 12 { after = range(max(index + 12, count - 25), count) }
    let atRest = statistics(before)
    let afterwards = statistics(after)
    guard before.count < 5 || Self.isGravity(atRest.mean), Self.isGravity(afterwards.mean) else {
      return nil
    }
    let impact = impact(in: range(index - 8, index + 15))
    let fall = fall(in: range(index - 30, index), weightless: weightless)
    return ImpactEvidence(
      nanoseconds: begin(of: index),
      peakG: Double(impact.peak),
      meanPeakG: Double(magnitude(index)),
      isClipped: impact.isClipped,
      impulse: Double(impact.impulse),
      shake: Double(statistics(range(index - 12, index + 13)).deviation),
      fallSpeed: Double(fall.speed),
      lowestG: Double(lowest(in: range(index - 25, index + 1))),
      fallStart: begin(of: fall.range.lowerBound),
      fallEnd: begin(of: fall.range.upperBound),
      weightlessSeconds: Double(fall.weightless) * 0.04,
      postureDegrees: before.count < 5 ? nil : ImpactStream.angle(atRest.mean, afterwards.mean),
      deviationBefore: Double(atRest.deviation),
      deviationAfter: Double(afterwards.deviation),
      periodicity: periodicity(of: after),
      afterStart: begin(of: after.lowerBound),
      afterEnd: begin(of: after.upperBound),
      beforeEnd: begin(of: before.upperBound))
  }

  private static func isGravity(_ mean: SIMD4<Float>) -> Bool {
    gravity.contains((mean * mean).sum().squareRoot())
  }

  /// Some means, as far as they are kept.
  private func range(_ from: Int, _ to: Int) -> Range<Int> {
    let low = min(max(first, from), count)
    return low..<max(low, min(count, to))
  }

  private func impact(
    in range: Range<Int>
  ) -> (peak: Float, impulse: Float, isClipped: Bool) {
    var (highest, impulse, isClipped) = (Float(0), Float(0), false)
    for index in range {
      highest = max(highest, peak(index))
      impulse += max(0, magnitude(index) - 1.2) * MotionGrid.stepSeconds
      isClipped = isClipped || self.isClipped(index)
    }
    return (highest, impulse, isClipped)
  }

  private func lowest(in range: Range<Int>) -> Float {
    var lowest = Float.infinity
    for index in range { lowest = min(lowest, magnitude(index)) }
    return lowest
  }

  /// The part of some means that lacks most of gravity in sum, and the longest time without weight.
  private func fall(
    in range: Range<Int>, weightless: Float
  ) -> (speed: Float, range: Range<Int>, weightless: Int) {
    var best: Float = 0
    var bestRange = range.upperBound..<range.upperBound
    var current: Float = 0
    var start = range.lowerBound
    var longest = 0
    var run = 0
    for index in range {
      let magnitude = magnitude(index)
      current += (1 - magnitude) * MotionGrid.stepSeconds
      if current <= 0 {
        current = 0
        start = index + 1
      } else if current > best {
        best = current
        bestRange = start..<(index + 1)
      }
      run = magnitude < weightless ? run + 1 : 0
      longest = max(longest, run)
    }
    return (best, bestRange, longest)
  }

  /// The highest correlation of the acceleration with itself 0.32 s to 1.2 s later, once it has
  /// been lower: the pace of steps. 0 for a movement too small to be steps.
  private func periodicity(of range: Range<Int>) -> Double {
    guard range.count >= 60 else { return 0 }
    var mean: Float = 0
    for index in range { mean += magnitude(index) / Float(range.count) }
    let variance = covariance(of: range, lag: 0, mean: mean)
    guard variance > 0.0036 else { return 0 }
    var lowest: Float = 1
    var best: Float = 0
    for lag in 4...30 {
      let correlation = covariance(of: range, lag: lag, mean: mean) / variance
      lowest = min(lowest, correlation)
      if lag >= 8, lowest < 0.2 { best = max(best, correlation) }
    }
    return Double(min(1, best))
  }

  private func covariance(of range: Range<Int>, lag: Int, mean: Float) -> Float {
    var sum: Float = 0
    for index in range.lowerBound..<(range.upperBound - lag) {
      sum += (magnitude(index) - mean) * (magnitude(index + lag) - mean)
    }
    return sum / Float(range.count - lag)
  }
}
