import FallDetectorDomain

/// SplitMix64: equal seeds give equal traces.
struct TestRandom: RandomNumberGenerator {
  private var state: UInt64

  init(seed: UInt64) {
    state = seed
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}

/// Writes traces of a device whose tilt and place change, at 200 samples a second.
struct TestTrace {
  private(set) var vectors: [SIMD3<Double>] = []
  private var random: TestRandom
  private let noise: Double
  private var tilt = 0.0

  /// A trace with some noise on each axis, in g. What breathes has 0.02 and more.
  init(seed: UInt64 = 1, noise: Double = 0.02) {
    random = TestRandom(seed: seed)
    self.noise = noise
  }

  /// Goes on for some time: the tilt changes evenly, and the length of the acceleration beside
  /// gravity is a function of the elapsed seconds, in g.
  mutating func go(
    _ seconds: Double, tiltTo end: Double? = nil, _ up: (_ seconds: Double) -> Double = { _ in 0 }
  ) {
    let count = Int(seconds * 200)
    for step in 0..<count {
      let part = Double(step + 1) / Double(count)
      let angle = (tilt + ((end ?? tilt) - tilt) * part) * .pi / 180
      let g = 1 + up(Double(step) / 200)
      func shaken() -> Double { Double.random(in: -1...1, using: &random) * noise * 1.7 }
      vectors.append(
        SIMD3(sine(angle) * g + shaken(), shaken(), sine(.pi / 2 - angle) * g + shaken()))
    }
    tilt = end ?? tilt
  }

  /// A blow: half a wave.
  mutating func blow(_ g: Double, _ seconds: Double, tiltTo: Double? = nil) {
    go(seconds, tiltTo: tiltTo) { g * sine(.pi * $0 / seconds) }
  }

  /// Steps.
  mutating func walk(_ seconds: Double) {
    go(seconds) { 0.35 * sine(2 * .pi * 1.8 * $0) + 0.15 * sine(4 * .pi * 1.8 * $0) }
  }

  /// The samples at a rate that divides 200, each the mean of those it stands for.
  func samples(rate: Int = 50) -> [AccelerationSample] {
    let factor = 200 / rate
    return stride(from: 0, to: vectors.count - factor + 1, by: factor).map { start in
      let mean = vectors[start..<(start + factor)].reduce(.zero, +) / Double(factor)
      return AccelerationSample(
        nanoseconds: Int64(start) * 5_000_000, x: mean.x, y: mean.y, z: mean.z)
    }
  }

  /// A fall forward from standing, as edge case 1 has it: a peak of `peak` g, a right angle, then
  /// still.
  static func fall(peak: Double = 3.2, stillSeconds: Double = 75, seed: UInt64 = 1) -> TestTrace {
    var trace = TestTrace(seed: seed)
    trace.walk(6)
    trace.go(0.4, tiltTo: 70) { _ in -0.5 }
    trace.blow(peak - 1, 0.12, tiltTo: 90)
    trace.go(stillSeconds)
    return trace
  }
}

/// The sine without a C library: by its series, for tests that need only two digits.
private func sine(_ angle: Double) -> Double {
  var angle = angle.truncatingRemainder(dividingBy: 2 * .pi)
  if angle > .pi { angle -= 2 * .pi }
  if angle < -.pi { angle += 2 * .pi }
  let square = angle * angle
  var term = angle
  var sum = angle
  for step in 1...9 {
    term *= -square / Double(2 * step * (2 * step + 1))
    sum += term
  }
  return sum
}

/// What a detection finds in samples, `finish()` included.
func findings(
  in samples: [AccelerationSample], profile: SensorProfile = SensorProfile(placement: .waist),
  settings: DetectorSettings = .standard
) -> [Finding] {
  var detection = FallDetection(profile: profile, settings: settings)
  var findings = samples.compactMap { detection.add($0) }
  if let last = detection.finish() { findings.append(last) }
  return findings
}
