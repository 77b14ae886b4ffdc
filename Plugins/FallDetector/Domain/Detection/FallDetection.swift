/// Finds falls in a stream of samples of an accelerometer that a person wears.
///
/// A value without clock or memory outside itself: equal samples give equal findings, whatever
/// their batches. It holds ten seconds of movement in about 6 KiB, and decides 5.5 s after an
/// impact, or at `finish()`. It is meant for 25 samples a second and more.
///
/// ```swift
/// var detection = FallDetection(profile: SensorProfile(placement: .waist, rangeG: 8))
/// for sample in samples {
///   if let finding = detection.add(sample) { report(finding) }
/// }
/// if let finding = detection.finish() { report(finding) }
/// ```
public struct FallDetection: Sendable {
  /// A candidate so soon after another is the same fall, in nanoseconds.
  private static let sameFall: Int64 = 5_000_000_000
  /// Activities are reported this far apart, in nanoseconds.
  private static let activityPause: Int64 = 10_000_000_000

  private let judge: Judge
  private var stream: ImpactStream
  private var slump: SlumpWatch
  private var lastCandidate: Int64?
  private var lastActivity: Int64?

  /// A detection that has seen nothing.
  public init(profile: SensorProfile, settings: DetectorSettings = .standard) {
    judge = Judge(settings: settings, placement: profile.placement)
    stream = ImpactStream(
      threshold: settings.settings(of: profile.placement).impactG,
      weightless: settings.weightlessG, rangeG: profile.rangeG)
    slump = SlumpWatch(settings: settings)
  }

  /// Takes the next sample. Skips one that is not plausible (`AccelerationSample.isPlausible`) or
  /// whose time is not later than the one before.
  ///
  /// - Returns: What was decided when this sample came; nil for almost every sample.
  public mutating func add(_ sample: AccelerationSample) -> Finding? {
    var best: Finding?
    let count = stream.meanCount
    let judge = judge
    stream.add(sample) { evidence in
      best = Self.better(judge.finding(of: evidence), best)
    }
    guard stream.meanCount != count else { return best.flatMap { noted($0) } }
    let lying = slump.follow(stream)
    if best == nil, let lying { return isNear(lying.nanoseconds) ? nil : lying }
    return best.flatMap { noted($0) }
  }

  /// Ends a recorded trace: decides what is pending by what the trace shows after it.
  ///
  /// - Returns: The most fall-like of the decisions; nil when nothing is pending.
  public mutating func finish() -> Finding? {
    var best: Finding?
    let judge = judge
    stream.finish { evidence in
      best = Self.better(judge.finding(of: evidence), best)
    }
    return best.flatMap { noted($0) }
  }

  private static func better(_ new: Finding?, _ old: Finding?) -> Finding? {
    guard let old else { return new }
    guard let new else { return old }
    let (isFall, wasFall) = (new.verdict == .candidate, old.verdict == .candidate)
    if isFall != wasFall { return isFall ? new : old }
    return new.score > old.score ? new : old
  }

  /// Whether a candidate was found at about that time.
  private func isNear(_ nanoseconds: Int64) -> Bool {
    lastCandidate.map { (nanoseconds &- $0).magnitude < 90_000_000_000 } ?? false
  }

  /// Holds back what was said a moment ago.
  private mutating func noted(_ finding: Finding) -> Finding? {
    switch finding.verdict {
    case .candidate:
      if let lastCandidate, Self.isWithin(Self.sameFall, lastCandidate, finding) { return nil }
      lastCandidate = finding.nanoseconds
    case .activity:
      if let lastCandidate, Self.isWithin(Self.sameFall, lastCandidate, finding) { return nil }
      if let lastActivity, Self.isWithin(Self.activityPause, lastActivity, finding) { return nil }
      lastActivity = finding.nanoseconds
    case .deviceDrop, .possibleLongLie: break
    }
    return finding
  }

  /// Whether a finding lies within some time after an instant. A clock that began anew is later.
  private static func isWithin(_ time: Int64, _ instant: Int64, _ finding: Finding) -> Bool {
    let passed = finding.nanoseconds.subtractingReportingOverflow(instant)
    return !passed.overflow && (0..<time).contains(passed.partialValue)
  }
}
