/// What an accelerometer measured at one instant.
public struct AccelerationSample: Sendable, Hashable {
  /// The instant, in nanoseconds of the device's monotonic clock.
  public var nanoseconds: Int64
  /// Acceleration along the device's first axis, in g.
  public var x: Double
  /// Acceleration along the device's second axis, in g.
  public var y: Double
  /// Acceleration along the device's third axis, in g.
  public var z: Double

  /// A sample; the detector skips one whose values are not finite or above 40 g.
  public init(nanoseconds: Int64, x: Double, y: Double, z: Double) {
    self.nanoseconds = nanoseconds
    self.x = x
    self.y = y
    self.z = z
  }

  /// The largest magnitude in g that a sample may have. Higher values are in another unit, or
  /// wrong: 9.8 m/s2 for gravity alone reaches it in any daily movement.
  public static let largestG = 40.0

  /// Length of the vector, in g.
  public var magnitude: Double { (x * x + y * y + z * z).squareRoot() }

  /// Whether the three values are numbers that a body's accelerometer can show.
  public var isPlausible: Bool { magnitude <= Self.largestG }
}
