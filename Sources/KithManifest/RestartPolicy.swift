/// When the host starts a worker again, in the words of Erlang/OTP.
public struct RestartPolicy: Sendable, Hashable {
  /// After which ends a worker is started again.
  public enum Kind: String, Sendable, Hashable, CaseIterable {
    /// After every end that nobody asked for. The default.
    case permanent
    /// After an end with a signal or an exit code other than 0.
    case transient
    /// Never.
    case temporary
  }

  /// Who is restarted with it.
  public enum Strategy: String, Sendable, Hashable, CaseIterable {
    /// Nobody. The default.
    case oneForOne = "one_for_one"
    /// The workers that require it, themselves or through others.
    case restForOne = "rest_for_one"
  }

  /// After which ends. `permanent` unless told.
  public var kind: Kind
  /// Who with it. `one_for_one` unless told.
  public var strategy: Strategy
  /// How many restarts within the period are borne; one more and the worker goes into quarantine. 5 unless told,
  /// 0 to 1000.
  public var intensity: Int
  /// The period. 30 s unless told, 1 s to 1 day.
  public var period: Duration

  /// A policy with these values.
  public init(
    kind: Kind = .permanent, strategy: Strategy = .oneForOne, intensity: Int = 5,
    period: Duration = .seconds(30)
  ) {
    self.kind = kind
    self.strategy = strategy
    self.intensity = intensity
    self.period = period
  }

  /// The policy of a worker that says nothing: permanent, one for one, 5 in 30 s.
  public static let standard = RestartPolicy()

  /// Reads `{ type: permanent, strategy: one_for_one, intensity: 5, period: 30s }` over a policy that stands where a
  /// key is not given.
  init?(_ value: ManifestValue, over standard: RestartPolicy, findings: Findings) {
    guard
      var fields = FieldDecoder(
        value, "a mapping: { type: permanent, intensity: 5, period: 30s }", findings: findings)
    else { return nil }
    kind = fields.value("type", default: standard.kind) { $0.word($1) }
    strategy = fields.value("strategy", default: standard.strategy) { $0.word($1) }
    intensity = fields.value("intensity", default: standard.intensity) { $0.integer($1, 0...1000) }
    period = fields.value("period", default: standard.period) {
      $0.duration($1, .seconds(1)...(.seconds(86_400)))
    }
    fields.finish()
  }
}
