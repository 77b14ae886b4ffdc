extension RestartPolicy {
  /// What one manifest states of restarts. A product's is laid over its base's, and that over the
  /// plugin's.
  package struct Overrides: Sendable, Equatable {
    /// What is stated of a budget.
    struct Budget: Sendable, Equatable {
      var intensity: Int?
      var period: Duration?

      func over(_ base: Self) -> Self {
        Self(intensity: intensity ?? base.intensity, period: period ?? base.period)
      }

      func resolved(over standard: RestartPolicy.Budget) -> RestartPolicy.Budget {
        RestartPolicy.Budget(
          intensity: intensity ?? standard.intensity, period: period ?? standard.period)
      }
    }

    var kind: Kind?
    var strategy: Strategy?
    var budget = Budget()
    var budgets: [Cause: Budget] = [:]
    var backoff = Backoff.Overrides()

    /// These over others: what they do not state is as there.
    package func over(_ base: Self) -> Self {
      Self(
        kind: kind ?? base.kind, strategy: strategy ?? base.strategy,
        budget: budget.over(base.budget),
        budgets: base.budgets.merging(budgets) { $1.over($0) }, backoff: backoff.over(base.backoff))
    }
  }

  fileprivate enum Keys {
    static let kind = Key<Kind>.word(
      "type", standard: .permanent,
      doc:
        "Restart after every end that was not requested; after a signal or an exit code other than 0; never."
    )
    static let strategy = Key<Strategy>.word(
      "strategy", standard: .oneForOne,
      doc: "Which workers restart with it: none, those that require it, all.")
    static let intensity = Key.integer(
      "intensity", 0...1000, standard: 5,
      doc: "Restarts within the period; one more leads to quarantine.")
    static let period = Key.duration(
      "period", .seconds(1)...(.seconds(86_400)), standard: .seconds(30),
      doc: "The time in which restarts are counted.")
    static let budgets = Key.nested(
      "budgets", shown: "none", section: "budgets",
      doc: "Budgets of their own for single causes.")
    static let backoff = Key.nested(
      "backoff", shown: "see backoff", section: "backoff",
      doc: "How long the next start is put off.")
    static let quarantine = Key.nested(
      "quarantine", shown: "see quarantine", section: "quarantine",
      doc: "How long a worker rests whose budget is used up.")
    static let causes = Cause.allCases.map { cause in
      (
        cause,
        Key.nested(cause.rawValue, shown: "the worker's", section: "budget", doc: cause.doc)
      )
    }
  }

  static let section = ManifestSection(
    "restart", "When the host restarts a worker.",
    form: "a mapping: { type: permanent, intensity: 5, period: 30s }",
    keys: [
      Keys.kind.manifest, Keys.strategy.manifest, Keys.intensity.manifest, Keys.period.manifest,
      Keys.budgets.manifest, Keys.backoff.manifest, Keys.quarantine.manifest,
    ])

  static let budgetsSection = ManifestSection(
    "budgets", "Restarts that are counted by their cause, each with a budget of its own.",
    form: "a mapping of causes: { stuck: { intensity: 2, period: 1m } }",
    keys: Keys.causes.map(\.1.manifest))

  static let budgetSection = ManifestSection(
    "budget", "The budget of one cause. What it does not state is as the worker's.",
    form: "a mapping: { intensity: 2, period: 1m }",
    keys: [Keys.intensity.manifest, Keys.period.manifest])

  static let key = Key.nested(
    "restart", shown: "see restart", section: "restart", doc: "When it is restarted.")

  /// The policy that the layers come to together.
  /// - Parameter plugin: the file of the plugin, for the place of an error.
  package init(_ stated: Overrides, plugin: String, findings: Findings) {
    let standard = RestartPolicy.standard
    let budget = stated.budget.resolved(over: standard.budget)
    self.init(
      kind: stated.kind ?? standard.kind, strategy: stated.strategy ?? standard.strategy,
      intensity: budget.intensity, period: budget.period,
      budgets: stated.budgets.mapValues { $0.resolved(over: budget) },
      backoff: Backoff(stated.backoff, plugin: plugin, findings: findings))
  }
}

extension RestartPolicy.Cause {
  fileprivate var doc: String {
    switch self {
    case .crash: "It ended with a signal or an exit code other than 0."
    case .outOfMemory: "It used more memory than it may, or than there was."
    case .notReady: "It was not ready in time, or reported that it cannot be."
    case .stuck: "It showed no progress for its watchdog time."
    case .exitZero: "It ended with exit code 0 without a request."
    }
  }
}

extension RestartPolicy.Overrides {
  /// Reads a mapping; what is wrong is noted and left out.
  init(_ value: ManifestValue, findings: Findings) {
    guard let fields = FieldDecoder(value, RestartPolicy.section, findings: findings) else {
      return
    }
    typealias Keys = RestartPolicy.Keys
    kind = fields.read(Keys.kind)
    strategy = fields.read(Keys.strategy)
    budget = Budget(fields)
    fields.read(Keys.budgets).map { readBudgets($0, findings: findings) }
    fields.read(Keys.backoff).map { backoff.readWaits($0, findings: findings) }
    fields.read(Keys.quarantine).map { backoff.readQuarantine($0, findings: findings) }
  }

  private mutating func readBudgets(_ value: ManifestValue, findings: Findings) {
    guard let causes = FieldDecoder(value, RestartPolicy.budgetsSection, findings: findings)
    else { return }
    for (cause, key) in RestartPolicy.Keys.causes {
      guard let value = causes.read(key),
        let fields = FieldDecoder(value, RestartPolicy.budgetSection, findings: findings)
      else { continue }
      budgets[cause] = Budget(fields)
    }
  }
}

extension RestartPolicy.Overrides.Budget {
  fileprivate init(_ fields: FieldDecoder) {
    intensity = fields.read(RestartPolicy.Keys.intensity)
    period = fields.read(RestartPolicy.Keys.period)
  }
}
