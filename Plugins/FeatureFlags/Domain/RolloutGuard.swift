/// The bounds that the calls of some methods must keep while a flag is rolled out.
public struct RolloutGuard: Sendable, Hashable {
  /// How the calls of a method went.
  public struct Measure: Sendable, Hashable {
    /// The method: `kith.risk.v1.RiskEngine/Analyze`.
    public var method: String
    /// How many calls there were.
    public var calls: UInt64
    /// How many of them failed.
    public var errors: UInt64
    /// What 95 of 100 calls stayed under, in milliseconds.
    public var p95: Int64

    /// A measure.
    public init(method: String, calls: UInt64, errors: UInt64, p95: Int64) {
      (self.method, self.calls, self.errors, self.p95) = (method, calls, errors, p95)
    }
  }

  /// The methods that it watches.
  public let methods: Set<String>
  /// The largest share of failed calls; nil for any.
  public let mostErrors: Double?
  /// The largest p95 in milliseconds; nil for any.
  public let mostP95: Int64?
  /// With fewer calls nothing is concluded.
  public let leastCalls: UInt64

  /// Which bound a measure crosses, in words; nil if it crosses none.
  public func crossing(_ measure: Measure) -> String? {
    guard methods.contains(measure.method), measure.calls >= max(leastCalls, 1) else { return nil }
    let rate = Double(measure.errors) / Double(measure.calls)
    if let mostErrors, rate > mostErrors {
      return "error rate \(percent(rate)) is above \(percent(mostErrors))"
    }
    if let mostP95, measure.p95 > mostP95 {
      return "p95 of \(measure.p95) ms is above \(mostP95) ms"
    }
    return nil
  }

  private func percent(_ fraction: Double) -> String {
    "\((fraction * 1000).rounded() / 10) %"
  }
}
