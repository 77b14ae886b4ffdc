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

  /// How many bytes of memory it takes, its buffers included; the same for any trace.
  public var byteCount: Int { MemoryLayout<Self>.size + stream.bufferBytes }

  /// Takes the next sample. Skips one that is not plausible (`AccelerationSample.isPlausible`) or
  /// whose time is not later than the one before.
  ///
  /// - Returns: What was decided when this sample came; nil for almost every sample.
  public mutating func add(_ sample: AccelerationSample) -> Finding? {
    let count = stream.meanCount
    var impacts: [ImpactEvidence] = []
    stream.add(sample) { impacts.append($0) }
    guard stream.meanCount != count else { return nil }
    if !impacts.isEmpty, let finding = finding(of: impacts) { return finding }
    guard let lying = slump.follow(stream), !isNear(lying.nanoseconds) else { return nil }
    return lying
  }

  /// Ends a recorded trace: decides what is pending by what the trace shows after it.
  ///
  /// - Returns: The most fall-like of the decisions; nil when nothing is pending.
  public mutating func finish() -> Finding? {
    var impacts: [ImpactEvidence] = []
    stream.finish { impacts.append($0) }
    return finding(of: impacts)
  }

  /// The most fall-like of the decisions about some impacts, unless it was said a moment ago.
  private mutating func finding(of impacts: [ImpactEvidence]) -> Finding? {
    var best: Judge.Decision?
    for case let decision? in impacts.map({ judge.decision(about: $0) }) {
      if let best, !Self.isMoreLikeAFall(decision, best) { continue }
      best = decision
    }
    guard let best, isNew(best) else { return nil }
    return judge.finding(of: best)
  }

  private static func isMoreLikeAFall(_ new: Judge.Decision, _ old: Judge.Decision) -> Bool {
    let (isFall, wasFall) = (new.verdict == .candidate, old.verdict == .candidate)
    return isFall == wasFall ? new.score > old.score : isFall
  }

  /// Whether a candidate was found at about that time.
  private func isNear(_ nanoseconds: Int64) -> Bool {
    lastCandidate.map { (nanoseconds &- $0).magnitude < 90_000_000_000 } ?? false
  }

  /// Whether a decision was not made a moment ago; then it is noted.
  private mutating func isNew(_ decision: Judge.Decision) -> Bool {
    let instant = decision.evidence.nanoseconds
    switch decision.verdict {
    case .candidate:
      if let lastCandidate, Self.isWithin(Self.sameFall, lastCandidate, instant) { return false }
      lastCandidate = instant
    case .activity:
      if let lastCandidate, Self.isWithin(Self.sameFall, lastCandidate, instant) { return false }
      if let lastActivity, Self.isWithin(Self.activityPause, lastActivity, instant) { return false }
      lastActivity = instant
    case .deviceDrop, .possibleLongLie: break
    }
    return true
  }

  /// Whether an instant lies within some time after another. A clock that began anew is later.
  private static func isWithin(_ time: Int64, _ earlier: Int64, _ instant: Int64) -> Bool {
    let passed = instant.subtractingReportingOverflow(earlier)
    return !passed.overflow && (0..<time).contains(passed.partialValue)
  }
}
