/// What the engine makes of a text.
public struct Assessment: Sendable, Hashable {
  /// The band of a score.
  public enum Level: Sendable, Hashable {
    /// Green, amber, red.
    case low, medium, high
  }

  /// A reason for or against a scam. Its sentence stands in the string catalogue.
  public struct Reason: Sendable, Hashable {
    /// The signal's name, or `model`.
    public var signal: String
    /// The share of the evidence on its side, 0 to 1.
    public var share: Double
    /// The bytes of the original that it rests on.
    public var span: ByteSpan?
    /// The sender that it is about, by its id; nil when none is named.
    public var sender: String?
  }

  /// The calibrated probability of a scam.
  public var score: Double
  /// The band of the score.
  public var level: Level
  /// The kind of scam; nil when the level is low.
  public var category: ScamCategory?
  /// How sure the engine is, 0 to 1.
  public var confidence: Double
  /// Up to three reasons, strongest first.
  public var reasons: [Reason]
  /// Up to three reasons against.
  public var counterEvidence: [Reason]

  /// Whether a low level may be taken for "all is well": not of a text in another language, of a
  /// few words, or of none.
  public var isSure: Bool { confidence >= 0.5 }

  /// round(100 x score).
  public var score100: Int { Int((100 * score).rounded()) }
}

/// The bands of the score.
public struct Bands: Sendable, Hashable {
  /// Scores from here on are medium.
  public var medium: Double
  /// Scores from here on are high.
  public var high: Double

  /// What ships.
  public static let standard = Bands(medium: 0.35, high: 0.70)

  /// Bands; the service checks `medium < high`.
  public init(medium: Double, high: Double) {
    self.medium = medium
    self.high = high
  }

  /// The band that a score falls into.
  public func level(of score: Double) -> Assessment.Level {
    score >= high ? .high : (score >= medium ? .medium : .low)
  }
}
