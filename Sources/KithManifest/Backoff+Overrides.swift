extension Backoff {
  /// What one manifest states of waits and quarantines. A product's is laid over its base's, and
  /// that over the plugin's.
  struct Overrides: Sendable, Equatable {
    var shortest: Stated<Duration>?
    var longest: Stated<Duration>?
    var healthyAfter: Stated<Duration>?
    var shortestQuarantine: Stated<Duration>?
    var longestQuarantine: Stated<Duration>?

    /// These over others: what they do not state is as there.
    func over(_ base: Self) -> Self {
      Self(
        shortest: shortest ?? base.shortest, longest: longest ?? base.longest,
        healthyAfter: healthyAfter ?? base.healthyAfter,
        shortestQuarantine: shortestQuarantine ?? base.shortestQuarantine,
        longestQuarantine: longestQuarantine ?? base.longestQuarantine)
    }
  }

  fileprivate enum Keys {
    static let shortest = wait(
      "shortest", Backoff().shortest,
      "The wait before the second restart in a row; it doubles. The first is immediate.")
    static let longest = wait("longest", Backoff().longest, "The longest wait.")
    static let healthyAfter = wait(
      "healthy_after", Backoff().healthyAfter,
      "A worker that was ready for this long starts again from the first wait.")
    static let shortestQuarantine = wait(
      "shortest", Backoff().shortestQuarantine,
      "The first quarantine; it doubles after a failed retry.")
    static let longestQuarantine = wait(
      "longest", Backoff().longestQuarantine, "The longest quarantine.")

    private static func wait(_ name: String, _ standard: Duration, _ doc: String) -> Key<Duration> {
      .duration(name, .milliseconds(1)...(.seconds(86_400)), standard: standard, doc: doc)
    }
  }

  static let section = ManifestSection(
    "backoff", "How long a worker that died waits for its next start.",
    form: "a mapping: { shortest: 100ms, longest: 30s, healthy_after: 10s }",
    keys: [Keys.shortest.manifest, Keys.longest.manifest, Keys.healthyAfter.manifest])

  static let quarantineSection = ManifestSection(
    "quarantine", "How long a worker rests whose budget of restarts is used up.",
    form: "a mapping: { shortest: 1m, longest: 15m }",
    keys: [Keys.shortestQuarantine.manifest, Keys.longestQuarantine.manifest])

  /// The waits that the layers come to together.
  init(_ stated: Overrides, plugin: String, findings: Findings) {
    let standard = Backoff()
    self.init(
      shortest: stated.shortest?.value ?? standard.shortest,
      longest: stated.longest?.value ?? standard.longest,
      healthyAfter: stated.healthyAfter?.value ?? standard.healthyAfter,
      shortestQuarantine: stated.shortestQuarantine?.value ?? standard.shortestQuarantine,
      longestQuarantine: stated.longestQuarantine?.value ?? standard.longestQuarantine)
    for (low, high) in [
      (
        Bound(key: "shortest", stated: stated.shortest, value: shortest),
        Bound(key: "longest", stated: stated.longest, value: longest)
      ),
      (
        Bound(key: "shortest", stated: stated.shortestQuarantine, value: shortestQuarantine),
        Bound(key: "longest", stated: stated.longestQuarantine, value: longestQuarantine)
      ),
    ] where low.value > high.value {
      findings.refuse(low, above: high, plugin: plugin, words: \.short)
    }
  }
}

extension Backoff.Overrides {
  /// Reads `{ shortest: 100ms, longest: 30s, healthy_after: 10s }`.
  mutating func readWaits(_ value: ManifestValue, findings: Findings) {
    guard let fields = FieldDecoder(value, Backoff.section, findings: findings) else { return }
    shortest = fields.stated(Backoff.Keys.shortest)
    longest = fields.stated(Backoff.Keys.longest)
    healthyAfter = fields.stated(Backoff.Keys.healthyAfter)
  }

  /// Reads `{ shortest: 1m, longest: 15m }`.
  mutating func readQuarantine(_ value: ManifestValue, findings: Findings) {
    guard let fields = FieldDecoder(value, Backoff.quarantineSection, findings: findings) else {
      return
    }
    shortestQuarantine = fields.stated(Backoff.Keys.shortestQuarantine)
    longestQuarantine = fields.stated(Backoff.Keys.longestQuarantine)
  }
}
