/// When the host starts a worker again, in the words of Erlang/OTP.
///
/// ```yaml
/// restart:
///   type: permanent
///   strategy: one_for_one
///   intensity: 5
///   period: 30s
///   budgets: { out_of_memory: { intensity: 1, period: 10m }, stuck: { intensity: 2, period: 1m } }
///   backoff: { shortest: 100ms, longest: 30s, healthy_after: 10s }
///   quarantine: { shortest: 1m, longest: 15m }
/// ```
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
    /// All workers of the product.
    case all
  }

  /// Why a worker had to be started again.
  public enum Cause: String, Sendable, Hashable, CaseIterable {
    /// It ended with a signal or an exit code other than 0.
    case crash
    /// It used more memory than there was or than it may.
    case outOfMemory = "out_of_memory"
    /// It was not ready in time, or said that it cannot be.
    case notReady = "not_ready"
    /// It no longer got on with its work.
    case stuck
    /// It ended with exit code 0 though nobody had asked.
    case exitZero = "exit_0"
  }

  /// How many restarts are borne in which time; one more and the worker goes into quarantine.
  public struct Budget: Sendable, Hashable {
    /// How many restarts. 0 to 1000.
    public var intensity: Int
    /// Within which time. 1 s to 1 day.
    public var period: Duration

    /// A budget.
    public init(intensity: Int = 5, period: Duration = .seconds(30)) {
      self.intensity = intensity
      self.period = period
    }
  }

  /// After which ends. `permanent` unless told.
  public var kind: Kind
  /// Who with it. `one_for_one` unless told.
  public var strategy: Strategy
  /// What is borne of all causes together that have no budget of their own. 5 in 30 s unless told.
  public var budget: Budget
  /// The budgets of causes that are counted on their own. None unless told.
  public var budgets: [Cause: Budget]
  /// How long the next start is put off.
  public var backoff: Backoff

  /// A policy with these values.
  public init(
    kind: Kind = .permanent, strategy: Strategy = .oneForOne, intensity: Int = 5,
    period: Duration = .seconds(30), budgets: [Cause: Budget] = [:], backoff: Backoff = Backoff()
  ) {
    self.kind = kind
    self.strategy = strategy
    budget = Budget(intensity: intensity, period: period)
    self.budgets = budgets
    self.backoff = backoff
  }

  /// The policy of a worker that says nothing: permanent, one for one, 5 in 30 s.
  public static let standard = RestartPolicy()
}
