import FallsContract

/// What a phone in a pocket measures, at 50 Hz, of a person who stands, falls and lies still.
enum RecordedFall {
  private static let rate = 50

  /// Batches of a second, as a phone sends them.
  static func batches(of user: String, session: String = "walk") -> [SampleBatch] {
    let samples = trace()
    return stride(from: 0, to: samples.count, by: rate).enumerated().map { number, first in
      let part = samples[first..<min(first + rate, samples.count)]
      return SampleBatch(
        userId: user, sequence: UInt64(number + 1), sessionId: session,
        startNs: Int64(first) * 20_000_000, intervalNs: 20_000_000, x: part.map(\.0),
        y: part.map(\.1), z: part.map(\.2), rangeG: 16, placement: .waist)
    }
  }

  /// Upright for 8 s, 0.36 s of fall, an impact of 5 g that fades, then flat for 20 s, in g.
  private static func trace() -> [(Float, Float, Float)] {
    var noise: UInt64 = 1
    func tremor(_ size: Float) -> Float {
      noise = noise &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (Float(noise >> 40) / Float(1 << 24) - 0.5) * 2 * size
    }
    var samples: [(Float, Float, Float)] = []
    for _ in 0..<8 * rate { samples.append((tremor(0.04), tremor(0.04), 1 + tremor(0.06))) }
    for _ in 0..<18 { samples.append((tremor(0.1), 0.2 + tremor(0.1), 0.3 + tremor(0.1))) }
    for height: Float in [2.2, 5, 3.1, 1.6, 0.5, 1.5, 0.8, 1.2] {
      samples.append((tremor(0.3), height * 0.8, height * 0.6))
    }
    for _ in 0..<20 * rate { samples.append((tremor(0.02), 1 + tremor(0.02), tremor(0.02))) }
    return samples
  }
}
