/// The last ten seconds of a trace as means over 40 ms, at whatever rate it was sampled.
///
/// A sample stands for the time since the one before it, for at most 60 ms: a longer gap is filled
/// with the direction of gravity, so that a single sample cannot become a long impact. A trace and
/// its decimation by averaging give the same means.
struct MotionGrid: Sendable {
  /// Length of a mean, in nanoseconds.
  static let stepNanoseconds: Int64 = 40_000_000
  /// Length of a mean, in seconds.
  static let stepSeconds: Float = 0.04
  /// How many means are kept: 10.24 s.
  static let capacity = 256
  /// The longest time that a sample stands for, in nanoseconds.
  private static let longestHold: Int64 = 60_000_000
  /// A longer gap begins a new trace, in nanoseconds.
  static let longestGap: Int64 = 1_000_000_000

  /// Mean vectors in g; the fourth number is the length of the vector.
  private var means = [SIMD4<Float>](repeating: .zero, count: capacity)
  /// The highest sample of each mean, in g; negative when it was clipped.
  private var peaks = [Float](repeating: 0, count: capacity)
  /// How many bytes it keeps beside itself: the two rings.
  var bufferBytes: Int {
    means.capacity * MemoryLayout<SIMD4<Float>>.stride
      + peaks.capacity * MemoryLayout<Float>.stride
  }

  /// How many means were finished since the trace began.
  private(set) var count = 0
  /// When the trace began.
  private(set) var start: Int64 = 0
  /// The last sample.
  private var last: Int64 = 0
  private var isEmpty = true

  /// The mean that is being made: the sum of samples by nanoseconds, and the nanoseconds left.
  private var sum = SIMD4<Float>.zero
  private var peak: Float = 0
  private var isClipped = false
  private var left = stepNanoseconds
  /// Gravity, followed with a time constant of half a second.
  private var gravity = SIMD4<Float>.zero

  /// What became of a sample.
  enum Outcome { case taken, skipped, newTrace }

  /// Whether a sample at this instant continues the trace.
  func outcome(at nanoseconds: Int64) -> Outcome {
    if isEmpty { return .newTrace }
    let (passed, isOverflow) = nanoseconds.subtractingReportingOverflow(last)
    if nanoseconds <= last { return .skipped }
    return isOverflow || passed > Self.longestGap ? .newTrace : .taken
  }

  /// Forgets the trace and begins another.
  mutating func begin(at nanoseconds: Int64, with vector: SIMD4<Float>) {
    count = 0
    start = nanoseconds
    last = nanoseconds
    isEmpty = false
    sum = .zero
    peak = 0
    isClipped = false
    left = Self.stepNanoseconds
    gravity = vector
  }

  /// Forgets the trace; the next sample begins another.
  mutating func forget() {
    count = 0
    isEmpty = true
  }

  /// Takes a sample that `outcome` lets in, and calls `finished` after each mean.
  @inline(__always)
  mutating func add(
    at nanoseconds: Int64, _ vector: SIMD4<Float>, clipped: Bool,
    finished: (inout MotionGrid) -> Void
  ) {
    var passed = nanoseconds - last
    last = nanoseconds
    if passed > Self.longestHold {
      fill(passed - Self.longestHold, with: gravity, finished: finished)
      passed = Self.longestHold
    }
    let magnitude = (vector * vector).sum().squareRoot()
    while passed > 0 {
      let part = min(passed, left)
      sum += vector * Float(part)
      if magnitude > peak { peak = magnitude }
      if clipped { isClipped = true }
      passed -= part
      left -= part
      if left == 0 {
        finish()
        finished(&self)
      }
    }
  }

  private mutating func fill(
    _ nanoseconds: Int64, with vector: SIMD4<Float>, finished: (inout MotionGrid) -> Void
  ) {
    var passed = nanoseconds
    while passed > 0 {
      let part = min(passed, left)
      sum += vector * Float(part)
      passed -= part
      left -= part
      if left == 0 {
        finish()
        finished(&self)
      }
    }
  }

  private mutating func finish() {
    var mean = sum / Float(Self.stepNanoseconds)
    gravity += (mean - gravity) * 0.08
    mean.w = (mean * mean).sum().squareRoot()
    means[count & (Self.capacity - 1)] = mean
    peaks[count & (Self.capacity - 1)] = isClipped ? -peak : peak
    count += 1
    sum = .zero
    peak = 0
    isClipped = false
    left = Self.stepNanoseconds
  }

  /// The first mean that is still kept.
  var first: Int { max(0, count - Self.capacity) }

  /// A mean vector, with 0 as its fourth number.
  @inline(__always)
  func vector(_ index: Int) -> SIMD4<Float> {
    var mean = means[index & (Self.capacity - 1)]
    mean.w = 0
    return mean
  }

  /// The length of a mean vector, in g.
  @inline(__always)
  func magnitude(_ index: Int) -> Float { means[index & (Self.capacity - 1)].w }

  /// The highest sample of a mean, in g.
  func peak(_ index: Int) -> Float { abs(peaks[index & (Self.capacity - 1)]) }

  /// Whether a sample of a mean was clipped.
  func isClipped(_ index: Int) -> Bool { peaks[index & (Self.capacity - 1)] < 0 }

  /// When a mean begins, in nanoseconds of the device's clock.
  func begin(of index: Int) -> Int64 { start &+ Int64(index) &* Self.stepNanoseconds }

  /// The mean of some vectors, and their deviation from it: the root of the summed variances.
  func statistics(_ range: Range<Int>) -> (mean: SIMD4<Float>, deviation: Float) {
    guard !range.isEmpty else { return (.zero, 0) }
    var total = SIMD4<Float>.zero
    for index in range { total += vector(index) }
    let mean = total / Float(range.count)
    var squares: Float = 0
    for index in range {
      let difference = vector(index) - mean
      squares += (difference * difference).sum()
    }
    return (mean, (squares / Float(range.count)).squareRoot())
  }
}
