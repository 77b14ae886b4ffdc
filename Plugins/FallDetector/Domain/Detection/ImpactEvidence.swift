import func Glibc.log

/// What was measured around one impact. No value depends on how the device is turned, nor much on
/// the sampling rate.
public struct ImpactEvidence: Sendable, Hashable {
  /// When the mean of 40 ms with the highest acceleration begins, in nanoseconds of the device's
  /// clock.
  public var nanoseconds: Int64
  /// The highest sample of the impact, in g.
  public var peakG: Double
  /// The highest mean over 40 ms, in g.
  public var meanPeakG: Double
  /// Whether a sample of the impact reached the sensor's range.
  public var isClipped: Bool
  /// How hard the body was stopped: the integral of the acceleration above 1.2 g from 0.3 s before
  /// the peak to 0.6 s after it, in g s. A quick blow against the device has a high peak and almost
  /// no impulse.
  public var impulse: Double
  /// How violently the device moved: the deviation in the second around the peak, in g.
  public var shake: Double
  /// How fast the body came down: the largest integral of what gravity lacked in the 1.2 s before
  /// the peak, in g s.
  public var fallSpeed: Double
  /// The lowest mean in the second before the peak, in g.
  public var lowestG: Double
  /// When what gravity lacked began and ended, in nanoseconds of the device's clock.
  public var fallStart: Int64
  /// As `fallStart`.
  public var fallEnd: Int64
  /// The longest time without weight in the 1.2 s before the peak, in seconds.
  public var weightlessSeconds: Double
  /// The angle between gravity before and after, in degrees; nil when there was no time to measure
  /// it.
  public var postureDegrees: Double?
  /// Deviation of the acceleration before, in g.
  public var deviationBefore: Double
  /// Deviation of the acceleration after, in g.
  public var deviationAfter: Double
  /// How much the movement after repeats itself at the pace of steps, 0 to 1.
  public var periodicity: Double
  /// When the time after the impact that was measured begins and ends, in nanoseconds of the
  /// device's clock.
  public var afterStart: Int64
  /// As `afterStart`.
  public var afterEnd: Int64
  /// When the time before the impact that was measured ends, in nanoseconds of the device's clock.
  public var beforeEnd: Int64

  /// A measurement as its weight takes it. Each is held within the limits between which falls and
  /// daily life differ, so that an extreme value decides nothing alone. A posture that was not
  /// measured counts as a turn by 10 degrees.
  public func value(of feature: Feature) -> Double {
    func held(_ value: Double, _ low: Double, _ high: Double) -> Double {
      min(max(value, low), high)
    }
    return switch feature {
    case .impulse: held(log(impulse + 0.02), -3.5, -0.8)
    case .shake: held(log(shake + 0.02), -1.4, 0.6)
    case .fallSpeed: held(fallSpeed, 0, 0.2)
    case .posture: held(postureDegrees ?? 10, 0, 60) / 90
    case .samePosture: held(1 - (postureDegrees ?? 10) / 20, 0, 1)
    case .stillness: held(log(deviationAfter + 0.01), -3.9, -0.9)
    }
  }

  /// A measurement that has a weight.
  public enum Feature: Int, Sendable, Hashable, CaseIterable {
    /// The logarithm of the impulse.
    case impulse
    /// The logarithm of the shake.
    case shake
    /// The speed of the fall.
    case fallSpeed
    /// The change of posture in right angles, up to two thirds.
    case posture
    /// How near the posture is to the one before: 1 for the same, 0 from 20 degrees on.
    case samePosture
    /// The logarithm of the deviation after the impact.
    case stillness
  }
}
