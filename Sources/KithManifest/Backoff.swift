/// How long a worker that died waits for its next start.
///
/// Each wait is drawn between half of what stands here and all of it, so that workers that died together do not come back
/// together.
public struct Backoff: Hashable, Sendable {
  /// The wait before the second restart in a row; the first happens at once. It doubles from restart to restart. 100 ms
  /// unless told.
  public var shortest: Duration
  /// The wait that is not exceeded. 30 s unless told.
  public var longest: Duration
  /// How long a worker must have been ready for its next restart to count as the first in a row again. 10 s unless told.
  public var healthyAfter: Duration
  /// How long the first quarantine lasts; each one that follows a failed retry lasts twice as long. 1 min unless told.
  public var shortestQuarantine: Duration
  /// The quarantine that is not exceeded. 15 min unless told.
  public var longestQuarantine: Duration

  /// Waits; what is not named has the value that suits most workers.
  public init(
    shortest: Duration = .milliseconds(100),
    longest: Duration = .seconds(30),
    healthyAfter: Duration = .seconds(10),
    shortestQuarantine: Duration = .seconds(60),
    longestQuarantine: Duration = .seconds(15 * 60)
  ) {
    self.shortest = shortest
    self.longest = longest
    self.healthyAfter = healthyAfter
    self.shortestQuarantine = shortestQuarantine
    self.longestQuarantine = longestQuarantine
  }

  private static let waits: ClosedRange<Duration> = .milliseconds(1)...(.seconds(86_400))

  /// Reads `{ shortest: 100ms, longest: 30s, healthy_after: 10s }` over what stands.
  mutating func readWaits(_ value: ManifestValue, findings: Findings) {
    guard
      var fields = FieldDecoder(
        value, "a mapping: { shortest: 100ms, longest: 30s, healthy_after: 10s }",
        findings: findings)
    else { return }
    (shortest, longest) = Self.bounds(&fields, value, over: (shortest, longest))
    healthyAfter = fields.value("healthy_after", default: healthyAfter) {
      $0.duration($1, Self.waits)
    }
    fields.finish()
  }

  /// Reads `{ shortest: 1m, longest: 15m }` over what stands.
  mutating func readQuarantine(_ value: ManifestValue, findings: Findings) {
    guard
      var fields = FieldDecoder(
        value, "a mapping: { shortest: 1m, longest: 15m }", findings: findings)
    else { return }
    (shortestQuarantine, longestQuarantine) = Self.bounds(
      &fields, value, over: (shortestQuarantine, longestQuarantine))
    fields.finish()
  }

  private static func bounds(
    _ fields: inout FieldDecoder, _ value: ManifestValue, over standard: (Duration, Duration)
  ) -> (Duration, Duration) {
    let shortest = fields.value("shortest", default: standard.0) { $0.duration($1, waits) }
    let longest = fields.value("longest", default: standard.1) { $0.duration($1, waits) }
    if shortest > longest {
      fields.findings.add(
        ManifestError(
          .outOfRange, "'shortest' (\(shortest)) is above 'longest' (\(longest))",
          at: value.location, expected: "'shortest' to be 'longest' or less"))
    }
    return (shortest, longest)
  }
}
