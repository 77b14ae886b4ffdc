public import KithJSON
public import KithTime

/// A flag, ready to be evaluated. ``FlagReader`` makes it from its definition.
public struct Flag: Sendable, Equatable {
  /// That another flag must be on or off, or have one of some variants.
  public struct Requirement: Sendable, Equatable {
    /// The other flag.
    public let flag: String
    /// Whether it must be on.
    public let isOn: Bool
    /// The variants of which it must have one; empty for any.
    public let variants: [String]
  }

  /// What it is called.
  public let key: String
  /// Whether its rules count at all.
  public let isEnabled: Bool
  /// Whether it is off whatever its definition says. Not a part of the definition.
  public var isKilled = false
  /// The values by name; empty for a flag that is true or false.
  public let variants: JSONObject
  /// The variant of those whom no rule lets in; nil for the caller's default.
  public let offVariant: String?
  /// In order: the first that lets the context in answers.
  let rules: [Rule]
  /// What must be so of other flags.
  public let requirements: [Requirement]
  /// Before this it is off.
  public let from: Instant?
  /// From this on it is off.
  public let until: Instant?
  /// When it should be gone.
  public let expires: Instant?
  /// What freezes its rollout.
  public let rolloutGuard: RolloutGuard?

  /// Whether it may let in more people than an earlier definition: a rule's share is larger, or it
  /// is drawn otherwise, or the rules, requirements or times are others.
  public func grows(from earlier: Flag) -> Bool {
    if !isEnabled { return false }
    guard earlier.isEnabled, rules.count == earlier.rules.count,
      requirements == earlier.requirements, from == earlier.from, until == earlier.until
    else { return true }
    return zip(rules, earlier.rules).contains { new, old in
      new.share > old.share || new.conditions != old.conditions || new.segments != old.segments
        || new.draw != old.draw || new.buckets != old.buckets
    }
  }

  /// Why it should be removed; nil while it should not.
  /// - Parameters:
  ///   - changed: when its definition was last changed.
  ///   - patience: how long a flag may be the same for everybody.
  public func staleness(at now: Instant, changed: Instant, patience: Duration) -> String? {
    if let expires, now >= expires { return "it expired at \(expires)" }
    if let until, now >= until { return "it ended at \(until)" }
    if isConstant, now >= changed + patience {
      return "it has been the same for everybody since \(changed)"
    }
    return nil
  }

  /// Whether it is the same for everybody at any time.
  public var isConstant: Bool {
    guard isEnabled, from == nil, until == nil else { return !isEnabled }
    if rules.allSatisfy({ $0.share == .none }) { return true }
    guard let rule = rules.first, requirements.isEmpty else { return false }
    return rule.share == .all && rule.conditions.isEmpty && rule.segments.isEmpty
      && rule.split.map { $0.only != nil } ?? true
  }
}
