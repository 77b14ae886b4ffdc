/// Notices a possible long lie in bursts of samples: 10 Hz for 3 s of every 10 s are enough.
///
/// A burst can miss an impact, so its only verdict is `possibleLongLie`: the wearer is asked, and
/// no one is told.
public struct BurstDetection: Sendable {
  /// Fewer samples are no burst.
  private static let fewestSamples = 5

  private var watch: LongLieWatch

  /// A detection that has seen nothing.
  public init(settings: DetectorSettings = .standard) {
    watch = LongLieWatch(settings: settings)
  }

  /// Takes the next burst. Samples that are not plausible or whose time runs back are skipped, and
  /// so is a burst with fewer than five samples, or that begins before the end of the last.
  ///
  /// - Returns: A finding when the wearer is to be asked; nil for almost every burst.
  public mutating func add(burst: [AccelerationSample]) -> Finding? {
    var sum = SIMD4<Double>.zero
    var squares = 0.0
    var count = 0
    var start: Int64 = 0
    var last: Int64?
    for sample in burst where sample.isPlausible {
      guard last.map({ $0 < sample.nanoseconds }) ?? true else { continue }
      if last == nil { start = sample.nanoseconds }
      last = sample.nanoseconds
      let vector = SIMD4(sample.x, sample.y, sample.z, 0)
      sum += vector
      squares += (vector * vector).sum()
      count += 1
    }
    guard let last, count >= Self.fewestSamples else { return nil }
    let mean = sum / Double(count)
    let variance = squares / Double(count) - (mean * mean).sum()
    return watch.add(
      LongLieWatch.Stretch(
        start: start, end: last, gravity: SIMD4<Float>(mean),
        deviation: Float(max(0, variance).squareRoot())))
  }
}
