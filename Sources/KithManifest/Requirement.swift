/// What one worker needs of another: how well that one must be, and what follows when it no longer is.
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
    /// It answers calls, and has shown within half of its watchdog time that it gets on with its work.
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

  /// Both requirements in one, of the same worker: the better health, the stronger answer to its loss.
  func joined(with other: Requirement) -> Requirement {
    Requirement(name, health: max(health, other.health), onLoss: max(onLoss, other.onLoss))
  }

  /// Reads a service's name, or the long form.
  init?(_ value: ManifestValue, scalars: Scalars) {
    guard case .mapping = value.content else {
      guard let name = scalars.serviceName(value) else { return nil }
      self.init(name)
      return
    }
    guard
      var fields = FieldDecoder(
        value, "a service, or { service: kith.risk.v1.RiskEngine, health: ready, on_loss: hold }",
        findings: scalars.findings)
    else { return nil }
    let name = fields.require("service", "a service's full name: kith.risk.v1.RiskEngine")
      .flatMap { Scalars(name: "'service'", findings: scalars.findings).serviceName($0.value) }
    let health: Health = fields.value("health", default: .ready) { $0.word($1) }
    let onLoss: Loss = fields.value("on_loss", default: .ignore) { $0.word($1) }
    let isOptional = fields.value("optional", default: false) { $0.bool($1) }
    fields.finish()
    guard let name else { return nil }
    self.init(name, health: health, onLoss: onLoss, isOptional: isOptional)
  }
}

extension Requirement: CustomStringConvertible {
  /// `risk-engine`, or `risk-engine (live, else held)` where it asks for more than readiness at the start.
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
