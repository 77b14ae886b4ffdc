import FallDetectorDomain

/// Samples of an accelerometer at an even rate, in g.
struct Trace {
  var rate: Double
  var vectors: [SIMD3<Double>]

  /// As the detector takes them.
  var samples: [AccelerationSample] {
    vectors.enumerated().map { index, vector in
      AccelerationSample(
        nanoseconds: Int64((Double(index) * 1e9 / rate).rounded()), x: vector.x, y: vector.y,
        z: vector.z)
    }
  }

  /// The lengths of the vectors.
  var magnitudes: [Double] { vectors.map { ($0 * $0).sum().squareRoot() } }

  /// Every `factor` samples as their mean.
  func averaged(by factor: Int) -> Trace {
    Trace(
      rate: rate / Double(factor),
      vectors: stride(from: 0, to: vectors.count - factor + 1, by: factor).map { start in
        vectors[start..<(start + factor)].reduce(.zero, +) / Double(factor)
      })
  }

  /// Every `factor`th sample.
  func picked(every factor: Int) -> Trace {
    Trace(
      rate: rate / Double(factor),
      vectors: stride(from: 0, to: vectors.count, by: factor).map { vectors[$0] })
  }

  /// Another rate, by cubic interpolation (Catmull-Rom).
  func resampled(to other: Double) -> Trace {
    let length = Double(vectors.count - 1) / rate
    return Trace(
      rate: other,
      vectors: (0...max(0, Int(length * other))).map { step in
        let place = Double(step) / other * rate
        let index = min(Int(place), vectors.count - 1)
        let part = place - Double(index)
        func at(_ offset: Int) -> SIMD3<Double> {
          vectors[min(max(0, index + offset), vectors.count - 1)]
        }
        let (p0, p1, p2, p3) = (at(-1), at(0), at(1), at(2))
        let linear = p2 - p0
        let square = 2 * p0 - 5 * p1 + 4 * p2 - p3
        let cube = 3 * p1 - p0 - 3 * p2 + p3
        return p1 + 0.5 * part * (linear + part * (square + part * cube))
      })
  }

  /// Each vector changed.
  func changed(_ change: (SIMD3<Double>) -> SIMD3<Double>) -> Trace {
    Trace(rate: rate, vectors: vectors.map(change))
  }

  /// As a sensor with a smaller range shows it.
  func clipped(to range: Double) -> Trace {
    changed {
      $0.clamped(lowerBound: SIMD3(repeating: -range), upperBound: SIMD3(repeating: range))
    }
  }

  /// What is around the highest sample.
  func cropped(around seconds: Double) -> Trace {
    let magnitudes = magnitudes
    guard let peak = magnitudes.indices.max(by: { magnitudes[$0] < magnitudes[$1] }) else {
      return self
    }
    let reach = Int(seconds * rate)
    return Trace(
      rate: rate,
      vectors: Array(vectors[max(0, peak - reach)..<min(vectors.count, peak + reach)]))
  }
}
