import Glibc

/// Writes the trace of a device that is moved: its tilt, and the acceleration of its place.
struct Movement {
  static let rate = 200.0

  private(set) var vectors: [SIMD3<Double>] = []
  private var random: Random
  private let mounting: Rotation
  private var tilt = 0.0
  /// Deviation of the sensor's noise, in g.
  private let noise: Double
  /// Deviation of what a living body adds while it is still, in g.
  private var tremor: Double
  private var sway = SIMD3<Double>.zero

  /// A device in any mounting; `tremor` 0 is a device that nobody wears.
  init(seed: UInt64, tremor: Double = 0.02) {
    random = Random(seed: seed)
    mounting = random.rotation()
    noise = random.between(0.002, 0.006)
    self.tremor = tremor
  }

  /// The trace with its noise, as a sensor of 16 g shows it.
  var trace: Trace { Trace(rate: Self.rate, vectors: vectors).clipped(to: 16) }

  /// A number of the movement's own chance.
  mutating func between(_ low: Double, _ high: Double) -> Double { random.between(low, high) }

  /// Goes on for some time with the vertical and horizontal acceleration that a function of the
  /// elapsed part (0 to 1) and the elapsed seconds says, in g, while the tilt changes evenly.
  mutating func go(
    _ seconds: Double, tiltTo end: Double? = nil,
    _ acceleration: (_ part: Double, _ seconds: Double) -> (up: Double, along: Double) = { _, _ in
      (0, 0)
    }
  ) {
    let count = max(1, Int(seconds * Self.rate))
    let begin = tilt
    for step in 0..<count {
      let part = Double(step) / Double(count)
      // Turns begin and end gently.
      let eased = (1 - cos(.pi * part)) / 2
      let angle = (begin + ((end ?? begin) - begin) * eased) * .pi / 180
      let (up, along) = acceleration(part, Double(step) / Self.rate)
      add(up: 1 + up, along: along, angle: angle)
    }
    tilt = end ?? tilt
  }

  /// A blow: half a wave.
  mutating func blow(_ peak: Double, seconds: Double, along: Double = 0.3, tiltTo: Double? = nil) {
    go(seconds, tiltTo: tiltTo) { part, _ in
      let height = peak * sin(.pi * part)
      return (height, height * along)
    }
  }

  /// Steps.
  mutating func walk(_ seconds: Double, pace: Double = 1.8, height: Double = 0.35) {
    let phase = random.between(0, 1)
    go(seconds) { _, time in
      let angle = 2 * .pi * (pace * time + phase)
      return (height * (sin(angle) + 0.4 * sin(2 * angle + 1)), height * 0.4 * sin(angle / 2))
    }
  }

  /// A body gives way: the acceleration falls to `depth` below gravity over a quarter of the time.
  mutating func fall(_ seconds: Double, depth: Double, tiltTo: Double? = nil) {
    go(seconds, tiltTo: tiltTo) { part, _ in (-depth * min(1, 4 * part), 0) }
  }

  /// A device is let go.
  mutating func drop(_ seconds: Double, depth: Double, tiltTo: Double? = nil) {
    go(seconds, tiltTo: tiltTo) { _, time in (-depth * min(1, time / 0.03), 0) }
  }

  /// The device is let go or lies down: nobody wears it any longer.
  mutating func leaveBody() { tremor = 0 }

  private mutating func add(up: Double, along: Double, angle: Double) {
    let (c, s) = (cos(angle), sin(angle))
    let body = SIMD3(along * c + up * s, 0, up * c - along * s)
    // Breath and tremor move slowly.
    for axis in 0..<3 { sway[axis] += (random.normal() * tremor * 4 - sway[axis]) * 0.06 }
    let shown =
      mounting(body) + sway * 0.7
      + SIMD3(random.normal(), random.normal(), random.normal()) * noise
    vectors.append(shown)
  }
}
