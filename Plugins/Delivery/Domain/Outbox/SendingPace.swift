public import KithTime

/// How often a provider may be called: a token bucket that holds one second of its rate. Time that
/// runs back adds nothing.
public struct SendingPace: Sendable, Hashable {
  /// The most attempts a second.
  public let perSecond: Int
  private var tokens: Double
  private var filledAt: Instant?

  /// A pace that was not used yet.
  /// - Parameter perSecond: 1 or more.
  public init(perSecond: Int) {
    self.perSecond = perSecond
    tokens = Double(perSecond)
  }

  /// Takes the right to one attempt.
  /// - Returns: nil when the attempt may begin; else when to ask again.
  public mutating func take(at now: Instant) -> Instant? {
    tokens = filled(at: now)
    filledAt = now
    guard tokens < 1 else {
      tokens -= 1
      return nil
    }
    return now + .milliseconds(Int64(((1 - tokens) / Double(perSecond) * 1000).rounded(.up)))
  }

  /// How many attempts may begin now.
  public func room(at now: Instant) -> Int { Int(filled(at: now)) }

  private func filled(at now: Instant) -> Double {
    let rate = Double(perSecond)
    let passed = filledAt.map { max((now - $0) / .seconds(1), 0) } ?? 0
    return min(tokens + passed * rate, rate)
  }
}
