import Glibc

/// A detector from the literature: one value a trace, which is compared with a threshold.
struct Baseline: Sendable {
  var name: String
  /// What is compared; higher means a fall.
  var value: @Sendable (Trace) -> Double
  /// The published threshold; nil where it is fitted on the training subjects, as its authors did.
  var threshold: Double?

  static let all = [
    Baseline(name: "peak above 2.5 g", value: { $0.magnitudes.max() ?? 0 }, threshold: 2.5),
    Baseline(
      name: "Bourke 2007, upper threshold 3.52 g", value: { $0.magnitudes.max() ?? 0 },
      threshold: 3.52),
    Baseline(
      name: "Bourke 2007, lower threshold 0.41 g", value: { -($0.magnitudes.min() ?? 1) },
      threshold: -0.41),
    Baseline(
      name: "Sucerquia 2017, C8 (deviation in the horizontal plane)",
      value: { deviation(of: $0, axes: SIMD3(1, 0, 1)) }, threshold: nil),
    Baseline(
      name: "Sucerquia 2017, C9 (deviation of all axes)",
      value: { deviation(of: $0, axes: SIMD3(1, 1, 1)) }, threshold: nil),
  ]

  /// The largest deviation within a second behind a low-pass of 5 Hz (Butterworth, 4th order).
  private static func deviation(of trace: Trace, axes: SIMD3<Double>) -> Double {
    let vectors = lowPassed(trace.vectors, rate: trace.rate)
    let length = Int(trace.rate)
    guard vectors.count > length else { return 0 }
    var sum = SIMD3<Double>.zero
    var squares = SIMD3<Double>.zero
    var best = 0.0
    for (index, vector) in vectors.enumerated() {
      sum += vector
      squares += vector * vector
      if index >= length {
        sum -= vectors[index - length]
        squares -= vectors[index - length] * vectors[index - length]
      }
      guard index >= length - 1 else { continue }
      let mean = sum / Double(length)
      let variance = (squares / Double(length) - mean * mean) * axes
      best = max(best, variance.sum())
    }
    return best.squareRoot()
  }

  private static func lowPassed(_ input: [SIMD3<Double>], rate: Double) -> [SIMD3<Double>] {
    [0.541196, 1.306563].reduce(input) { vectors, quality in
      let angle = 2 * Double.pi * 5 / rate
      let alpha = sin(angle) / (2 * quality)
      let (cosine, scale) = (cos(angle), 1 + alpha)
      let (b, a1, a2) = ((1 - cosine) / 2 / scale, -2 * cosine / scale, (1 - alpha) / scale)
      var (x1, y1) = (vectors.first ?? .zero, vectors.first ?? .zero)
      var (x2, y2) = (x1, y1)
      return vectors.map { x in
        let y = b * (x + 2 * x1 + x2) - a1 * y1 - a2 * y2
        (x2, x1, y2, y1) = (x1, x, y1, y)
        return y
      }
    }
  }
}
