/// The thresholds of the detector.
///
/// Accelerations are compared as means over 40 ms, whatever the sampling rate: the peak of a single
/// sample grows with the rate, the mean does not. Of an impact whose highest sample at 200 Hz is
/// 2.5 g the mean is about 1.6 g.
public struct DetectorSettings: Sendable, Hashable {
  /// The thresholds that depend on where a device is worn.
  public struct PlacementSettings: Sendable, Hashable {
    /// Mean acceleration over 40 ms from which a peak is examined as an impact, in g.
    public var impactG: Double
    /// Score from which a finding is a candidate, 0 to 1.
    public var scoreBar: Double

    /// Thresholds of a placement.
    public init(impactG: Double, scoreBar: Double) {
      self.impactG = impactG
      self.scoreBar = scoreBar
    }
  }

  /// Thresholds at the waist.
  public var waist = PlacementSettings(impactG: 1.4, scoreBar: 0.6)
  /// Thresholds at the wrist: a higher impact and a higher bar.
  public var wrist = PlacementSettings(impactG: 1.6, scoreBar: 0.75)
  /// Thresholds in a trouser pocket.
  public var pocket = PlacementSettings(impactG: 1.4, scoreBar: 0.6)
  /// The weights of the evidence.
  public var weights = EvidenceWeights.standard
  /// Mean acceleration over 40 ms from which an impact that is no candidate is reported as an
  /// activity, in g.
  public var activityG = 1.8
  /// Acceleration below which the device is in free fall, in g.
  public var weightlessG = 0.3
  /// How long a dropped device is in free fall at least, in seconds and in whole means of 40 ms. A
  /// body brakes its fall.
  public var dropSeconds = 0.2
  /// Deviation up to which a device lies on a thing and not on a breathing body, in g.
  public var perfectStillnessG = 0.008
  /// Impulse below which a blow cannot have stopped a body, in g s: 0.8 m/s.
  public var bodyImpulse = 0.08
  /// Speed below which nothing fell before such a blow, in g s: 0.6 m/s.
  public var bodyFallSpeed = 0.06
  /// What such a blow takes from the score, in log-odds.
  public var shortBlowWeight = 3.0
  /// Change of posture from which a wearer may have lain down without an impact, in degrees.
  public var longLieDegrees = 60.0
  /// Deviation up to which a wearer lies still, in g.
  public var stillnessG = 0.05
  /// Deviation from which a wearer was active before, in g.
  public var activeG = 0.08
  /// How many still bursts follow before the wearer is asked.
  public var stillBurstCount = 6

  /// What ships.
  public static let standard = DetectorSettings()

  /// The settings that ship, to be changed one by one.
  public init() {}

  /// The thresholds of a placement.
  public func settings(of placement: Placement) -> PlacementSettings {
    switch placement {
    case .waist: waist
    case .wrist: wrist
    case .pocket: pocket
    }
  }
}
