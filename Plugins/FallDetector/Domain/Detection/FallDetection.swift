/// Finds falls in a stream of samples of an accelerometer that a person wears.
///
/// A value without clock or memory outside itself: equal samples give equal findings, whatever
/// their batches. It holds ten seconds of movement in about 6 KiB, and decides 5.5 s after an
/// impact (11 s where a harder one follows), or at `finish()`. It is meant for 25 samples a second
/// and more.
///
/// ```swift
/// var detection = FallDetection(profile: SensorProfile(placement: .waist, rangeG: 8))
/// for sample in samples {
///   if let finding = detection.add(sample) { report(finding) }
/// }
/// if let finding = detection.finish() { report(finding) }
/// ```
public struct FallDetection: Sendable {
  /// What follows a candidate by 5.5 s is measured 5.5 s later, in nanoseconds.
  private static let longestWait: Int64 = 11_100_000_000
  /// A candidate so soon after another is the same fall, in nanoseconds.
  private static let sameFall: Int64 = 5_000_000_000
  /// Activities are reported this far apart, in nanoseconds.
  private static let activityPause: Int64 = 10_000_000_000

  /// How much of what precedes an impact is measured with it, in nanoseconds: the posture before,
  /// from 3.52 s on.
  private static let lead: Int64 = 4_000_000_000

  private let judge: Judge
  private var stream: ImpactStream
  private var slump: SlumpWatch
  /// A candidate with something higher behind it that is not measured yet.
  private var waiting: Judge.Decision?
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

  /// From when on samples can still count in a decision about an impact, in nanoseconds of the
  /// device's clock. A detection that begins with those samples decides about the impacts that this
  /// one has not decided about.
  public var undecidedSince: Int64 {
    let pending = stream.pendingSince ?? stream.end
    let earliest = min(pending, waiting?.evidence.nanoseconds ?? pending)
    return earliest.subtractingReportingOverflow(Self.lead).partialValue
  }

  /// Takes the next sample. Skips one that is not plausible (`AccelerationSample.isPlausible`) or
  /// whose time is not later than the one before.
  ///
  /// - Returns: What was decided when this sample came; nil for almost every sample.
  public mutating func add(_ sample: AccelerationSample) -> Finding? {
    let count = stream.meanCount
    var impacts: [ImpactEvidence] = []
    stream.add(sample) { impacts.append($0) }
    guard stream.meanCount != count else { return nil }
    // The means begin again when a gap ended the trace.
    let isEnd = stream.meanCount < count
    if let finding = finding(of: impacts, isEnd: isEnd) { return finding }
    guard let lying = slump.follow(stream), !isNear(lying.nanoseconds) else { return nil }
    return lying
  }

  /// Ends a recorded trace: decides what is pending by what the trace shows after it.
  ///
  /// - Returns: The most fall-like of the decisions; nil when nothing is pending.
  public mutating func finish() -> Finding? {
    var impacts: [ImpactEvidence] = []
    stream.finish { impacts.append($0) }
    return finding(of: impacts, isEnd: true)
  }

  /// The most fall-like of the decisions about some impacts and of one that waits, unless it was
  /// said a moment ago.
  private mutating func finding(of impacts: [ImpactEvidence], isEnd: Bool) -> Finding? {
    if impacts.isEmpty, !isEnd {
      guard let waiting, hasWaited(waiting) else { return nil }
    }
    var best = waiting
    waiting = nil
    for case let decision? in impacts.map({ judge.decision(about: $0) }) {
      if let best, !Self.isMoreLikeAFall(decision, best) { continue }
      best = decision
    }
    guard let best else { return nil }
    // A step or a stumble before a fall also ends in another posture; the fall says more.
    if !isEnd, best.verdict == .candidate, !hasWaited(best),
      stream.isHigherAhead(than: best.evidence)
    {
      waiting = best
      return nil
    }
    return isNew(best) ? judge.finding(of: best) : nil
  }

  /// Whether everything that could outdo a candidate has been measured.
  private func hasWaited(_ decision: Judge.Decision) -> Bool {
    stream.end.subtractingReportingOverflow(decision.evidence.nanoseconds).partialValue
      > Self.longestWait
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
