/// What one worker needs of another: how well that one must be, and what follows when it no longer
/// is.
///
/// ```yaml
/// requires:
///   - kith.reminders.v1.Reminders                                              # ready to begin with, nothing when lost
///   - { service: kith.risk.v1.RiskEngine, health: live, on_loss: hold }
///   - { service: kith.access.v1.FamilyLinks, optional: true }                  # used where the product has it
/// ```
/// A worker can call the services that it requires, and no others of the product.
public struct Requirement: Sendable, Hashable {
  /// How well the other one must be. Each includes those before it.
  public enum Health: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Its process runs and has proved what it is; it may not be ready yet.
    case started
    /// It answers calls. The default.
    case ready
    /// It answers calls, and has shown within half of its watchdog time that it gets on with its
    /// work.
    case live

    /// Whether one asks for less than the other.
    public static func < (one: Health, other: Health) -> Bool {
      allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
  }

  /// What follows for the one that requires when the other one is no longer as well as it must be.
  public enum Loss: String, Sendable, Hashable, CaseIterable, Comparable {
    /// Nothing: it goes on and copes. The default.
    case ignore
    /// Its process goes on; its callers are held until the other one is well again.
    case hold
    /// It is drained, and started again when the other one is well.
    case restart

    /// Whether one does less than the other.
    public static func < (one: Loss, other: Loss) -> Bool {
      allCases.firstIndex(of: one) ?? 0 < allCases.firstIndex(of: other) ?? 0
    }
  }

  /// What is required: a service's full name in a plugin's manifest, a worker's name in a plan.
  public var name: String
  /// How well it must be for the one that requires it to be started.
  public var health: Health
  /// What follows when it no longer is.
  public var onLoss: Loss
  /// Whether a product may do without it. Defaults to no.
  public var isOptional: Bool

  /// A requirement.
  public init(
    _ name: String, health: Health = .ready, onLoss: Loss = .ignore, isOptional: Bool = false
  ) {
    self.name = name
    self.health = health
    self.onLoss = onLoss
    self.isOptional = isOptional
  }

  /// Both requirements in one, of the same worker: the better health, the stronger answer to its
  /// loss, optional only where both are.
  package func joined(with other: Requirement) -> Requirement {
    Requirement(
      name, health: max(health, other.health), onLoss: max(onLoss, other.onLoss),
      isOptional: isOptional && other.isOptional)
  }

  private enum Keys {
    static let service = Key<String>(
      required: "service", type: "service",
      missing: "a service's full name: kith.risk.v1.RiskEngine",
      doc: "The full name of the service."
    ) { $0.serviceName($1) }
    static let health = Key<Health>.word(
      "health", standard: .ready,
      doc: "The state that the provider must reach before this worker starts.")
    static let onLoss = Key<Loss>.word(
      "on_loss", standard: .ignore, doc: "The effect when the provider loses that state.")
    static let isOptional = Key.flag("optional", doc: "The product may lack the service.")
  }

  static let section = ManifestSection(
    "requires", "One service that a worker calls. A service's full name alone is the short form.",
    form: "a service, or { service: kith.risk.v1.RiskEngine, health: ready, on_loss: hold }",
    keys: [
      Keys.service.manifest, Keys.health.manifest, Keys.onLoss.manifest, Keys.isOptional.manifest,
    ])

  /// Reads a service's name, or the long form.
  init?(_ value: ManifestValue, scalars: Scalars) {
    guard case .mapping = value.content else {
      guard let name = scalars.serviceName(value) else { return nil }
      self.init(name)
      return
    }
    guard let fields = FieldDecoder(value, Self.section, findings: scalars.findings) else {
      return nil
    }
    let name = fields.read(Keys.service)
    let health = fields.read(Keys.health) ?? .ready
    let onLoss = fields.read(Keys.onLoss) ?? .ignore
    let isOptional = fields.read(Keys.isOptional) ?? false
    guard let name else { return nil }
    self.init(name, health: health, onLoss: onLoss, isOptional: isOptional)
  }
}

extension Requirement: CustomStringConvertible {
  /// `risk-engine`, or `risk-engine (live, else held)` where it asks for more than readiness at the
  /// start.
  public var description: String {
    var words: [String] = []
    if health != .ready { words.append(health.rawValue) }
    switch onLoss {
    case .ignore: break
    case .hold: words.append("callers held without it")
    case .restart: words.append("restarted with it")
    }
    return words.isEmpty ? name : "\(name) (\(words.joined(separator: ", ")))"
  }
}
