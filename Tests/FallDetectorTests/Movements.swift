import FallDetectorDomain
import FallsContract
import Glibc

/// A movement of a wearer that a test makes up, sample by sample, at 50 Hz; always the same one.
struct Movement {
  static let rate: Int64 = 50
  private(set) var samples: [AccelerationSample] = []
  private var generator = SeededGenerator(seed: 19)
  private var time: Int64

  /// A movement that begins at an instant of the device's clock, in seconds.
  init(from seconds: Int64 = 0) { time = seconds * 1_000_000_000 }

  /// A fall: walking, giving way, an impact of 3.2 g, then lying on the back.
  /// - Parameter still: for how long the wearer lies still, in seconds.
  static func fall(still: Double = 75, from seconds: Int64 = 0) -> Movement {
    var movement = Movement(from: seconds)
    movement.walk(8)
    movement.giveWay(0.3)
    movement.hit(3.2)
    movement.lie(still)
    return movement
  }

  /// Steps, upright.
  mutating func walk(_ seconds: Double) {
    add(seconds) { phase in (0.1 * sin(phase * 3), 0.1, 1 + 0.35 * sin(phase * 12)) }
  }

  /// Standing.
  mutating func stand(_ seconds: Double) { add(seconds) { _ in (0, 0.05, 0.99) } }

  /// Almost no acceleration.
  mutating func giveWay(_ seconds: Double) { add(seconds) { _ in (0.1, 0.1, 0.35) } }

  /// An impact while the body turns over.
  mutating func hit(_ peak: Double) {
    add(0.1) { phase in
      let size = peak * max(0.4, sin(phase / 0.1 * .pi))
      return (size * 0.8, size * 0.2, size * 0.56)
    }
    add(0.6) { phase in (0.9 + 0.3 * sin(phase * 40), 0.1, 0.3 - phase * 0.4) }
  }

  /// Lying still, with breath.
  mutating func lie(_ seconds: Double) {
    add(seconds) { phase in (0.99 + 0.01 * sin(phase * 1.5), 0.05, 0.08) }
  }

  private mutating func add(
    _ seconds: Double, _ shape: (Double) -> (x: Double, y: Double, z: Double)
  ) {
    for index in 0..<Int(seconds * Double(Self.rate)) {
      let (x, y, z) = shape(Double(index) / Double(Self.rate))
      func noise() -> Double { .random(in: -0.01...0.01, using: &generator) }
      samples.append(
        AccelerationSample(nanoseconds: time, x: x + noise(), y: y + noise(), z: z + noise()))
      time += 1_000_000_000 / Self.rate
    }
  }

  /// The samples in batches of a second.
  func batches(
    session: String = "s", user: String = "", from sequence: UInt64 = 1,
    size: Int = Int(Movement.rate), unit: AccelerationUnit = .unspecified,
    battery: Double? = nil
  ) -> [SampleBatch] {
    let scale: Float = unit == .metresPerSecondSquared ? 9.80665 : 1
    return stride(from: 0, to: samples.count, by: size).enumerated().map { number, start in
      let part = samples[start..<min(start + size, samples.count)]
      return SampleBatch(
        userId: user, sequence: sequence + UInt64(number), sessionId: session,
        startNs: part.first?.nanoseconds ?? 0, intervalNs: UInt64(1_000_000_000 / Self.rate),
        x: part.map { Float($0.x) * scale }, y: part.map { Float($0.y) * scale },
        z: part.map { Float($0.z) * scale }, unit: unit, rangeG: 8, placement: .waist,
        battery: battery)
    }
  }
}
