/// Notices somebody who was active, changed posture and then lies still for a minute, by the mean
/// and the deviation of stretches of about three seconds, one every ten.
///
/// It needs no impact, so it also asks somebody who lies down for a nap.
struct LongLieWatch: Sendable {
  /// A stretch of movement in numbers.
  struct Stretch: Sendable {
    /// When it begins, in nanoseconds of the device's clock.
    var start: Int64
    /// When it ends.
    var end: Int64
    /// The direction of gravity.
    var gravity: SIMD4<Float>
    /// The deviation of the acceleration, in g.
    var deviation: Float
  }

  /// Somebody who may lie.
  private struct Lie: Sendable {
    var start: Int64
    var gravity: SIMD4<Float>
    var degrees: Double
    var stillCount: Int
    var stillStart: Int64
    var deviation: Float
  }

  /// A pause after which the past says nothing, in nanoseconds.
  private static let longestPause: Int64 = 60_000_000_000
  /// How far gravity may turn while somebody lies, in degrees.
  private static let restlessDegrees = 25.0

  private let settings: DetectorSettings
  /// The last three stretches, the latest first.
  private var past: (Stretch?, Stretch?, Stretch?)
  private var lie: Lie?

  init(settings: DetectorSettings) {
    self.settings = settings
  }

  /// Takes the next stretch; one that begins before the end of the last is skipped.
  mutating func add(_ stretch: Stretch) -> Finding? {
    if let last = past.0 {
      let (pause, isOverflow) = stretch.start.subtractingReportingOverflow(last.end)
      if stretch.start < last.end { return nil }
      if isOverflow || pause > Self.longestPause {
        past = (nil, nil, nil)
        lie = nil
      }
    }
    defer { past = (stretch, past.0, past.1) }
    if let current = lie {
      if let found = continued(current, by: stretch) { return found }
      if lie != nil { return nil }
    }
    begin(with: stretch)
    return nil
  }

  private mutating func continued(_ current: Lie, by stretch: Stretch) -> Finding? {
    var current = current
    let isStill = Double(stretch.deviation) < settings.stillnessG
    let turned = ImpactStream.angle(current.gravity, stretch.gravity) ?? 180
    guard isStill, current.stillCount == 0 || turned < Self.restlessDegrees else {
      lie = nil
      return nil
    }
    if current.stillCount == 0 {
      current.gravity = stretch.gravity
      current.stillStart = stretch.start
    }
    current.stillCount += 1
    current.deviation = max(current.deviation, stretch.deviation)
    lie = current
    guard current.stillCount >= settings.stillBurstCount else { return nil }
    lie = nil
    return finding(of: current, end: stretch.end)
  }

  /// Whether somebody who was active has another posture now.
  private mutating func begin(with stretch: Stretch) {
    let before = [past.0, past.1, past.2].compactMap(\.self)
    guard before.contains(where: { Double($0.deviation) > settings.activeG }) else { return }
    let turned = before.compactMap { ImpactStream.angle($0.gravity, stretch.gravity) }.max()
    guard let turned, turned > settings.longLieDegrees else { return }
    let isStill = Double(stretch.deviation) < settings.stillnessG
    lie = Lie(
      start: stretch.start, gravity: stretch.gravity, degrees: turned, stillCount: isStill ? 1 : 0,
      stillStart: stretch.start, deviation: isStill ? stretch.deviation : 0)
  }

  private func finding(of lie: Lie, end: Int64) -> Finding {
    let still = Double(lie.deviation)
    return Finding(
      verdict: .possibleLongLie, score: 0.3,
      reason: "the posture changed by \(Int(lie.degrees.rounded())) degrees without an impact that "
        + "was seen, and since then nothing has moved by more than \(Explanation.text(still)) g",
      phases: [
        Phase(
          kind: .postureChange, startNanoseconds: lie.start, endNanoseconds: lie.stillStart,
          value: lie.degrees, weight: 0),
        Phase(
          kind: .inactivity, startNanoseconds: lie.stillStart, endNanoseconds: end, value: still,
          weight: 0),
      ],
      nanoseconds: lie.start)
  }
}
