import KithJSON

/// All flags and segments, checked against one another: what evaluations are made of.
///
/// A value: an evaluation goes by one set from its begin to its end, whatever is changed meanwhile.
public struct FlagSet: Sendable {
  /// How long a chain of flags that require one another may be.
  public static let deepest = 5

  /// A flag of the set: a class, so that to find one copies nothing.
  private final class Entry: Sendable {
    let flag: Flag
    init(_ flag: Flag) { self.flag = flag }
  }

  private let flags: [String: Entry]
  private let segments: [String: Segment]

  /// No flags.
  public init() { (flags, segments) = ([:], [:]) }

  /// Flags and segments.
  /// - Throws: if a flag requires one that is not there, or itself through others, or names a
  ///   segment that is not there.
  public init(_ flags: some Sequence<Flag>, segments: [String: Segment]) throws(FlagProblem) {
    self.init(unchecked: flags, segments: segments)
    for entry in self.flags.values { try check(entry.flag) }
  }

  /// Flags and segments, of which some may name what is not there; see ``check(_:)``.
  public init(unchecked flags: some Sequence<Flag>, segments: [String: Segment]) {
    self.flags = Dictionary(
      flags.map { ($0.key, Entry($0)) }, uniquingKeysWith: { _, last in last })
    self.segments = segments
  }

  /// A flag by its key.
  public subscript(_ key: String) -> Flag? { flags[key]?.flag }

  /// The flags that require one.
  public func flags(requiring key: String) -> [String] {
    flags.values.map(\.flag).filter { $0.requirements.contains { $0.flag == key } }.map(\.key)
      .sorted()
  }

  /// Checks a flag of the set: that what it requires and names is there.
  public func check(_ flag: Flag) throws(FlagProblem) {
    for (position, rule) in flag.rules.enumerated() {
      for name in rule.segments where segments[name] == nil {
        throw FlagProblem(
          "\(flag.key).rules[\(position)].segments", "there is no segment '\(name)'")
      }
    }
    try checkRequirements(of: flag, path: [flag.key])
  }

  private func checkRequirements(of flag: Flag, path: [String]) throws(FlagProblem) {
    for requirement in flag.requirements {
      let place = "\(path[0]).requires"
      if path.contains(requirement.flag) {
        throw FlagProblem(
          place, "a cycle: \((path + [requirement.flag]).joined(separator: " -> "))")
      }
      guard let other = flags[requirement.flag]?.flag else {
        throw FlagProblem(place, "there is no flag '\(requirement.flag)'")
      }
      guard path.count < Self.deepest else {
        throw FlagProblem(place, "a chain of more than \(Self.deepest) flags")
      }
      try checkRequirements(of: other, path: path + [other.key])
    }
  }

  // MARK: Evaluation

  /// What a flag is for somebody.
  public func evaluate(_ key: String, for context: FlagContext) -> Evaluation {
    var steps: [String]?
    return evaluate(key, context, &steps)
  }

  /// What a flag is for somebody, and the steps to it in words. They repeat no property's value.
  public func explain(
    _ key: String, for context: FlagContext
  ) -> (evaluation: Evaluation, steps: [String]) {
    var steps: [String]? = []
    let evaluation = evaluate(key, context, &steps)
    return (evaluation, steps ?? [])
  }

  private func evaluate(
    _ key: String, _ context: FlagContext, _ steps: inout [String]?
  ) -> Evaluation {
    guard let entry = flags[key] else {
      steps?.append("there is no flag '\(key)'")
      return Evaluation(isOn: false, reason: .error, failure: .flagNotFound)
    }
    if let reason = whyDisabled(entry.flag, context, &steps) {
      steps?.append("\(key): \(reason)")
      return off(entry.flag, .disabled)
    }
    return decide(entry.flag, context, &steps)
  }

  private func decide(
    _ flag: Flag, _ context: FlagContext, _ steps: inout [String]?
  ) -> Evaluation {
    var isUnitMissing = false
    var hasShareDecided = false
    for (position, rule) in flag.rules.enumerated() {
      guard holds(rule, position, context, &steps) else { continue }
      var hasHashDecided = false
      if rule.share != .all {
        guard let hash = rule.draw.hash(context) else {
          isUnitMissing = true
          steps?.append("rule \(position): the context has no \(names(rule.draw.units))")
          continue
        }
        let isIn = rule.admits(hash)
        steps?.append(
          "rule \(position): bucket \(hash) is \(isIn ? "" : "not ")in its share of \(rule.share)")
        guard isIn else {
          hasShareDecided = true
          continue
        }
        hasHashDecided = true
      }
      guard let split = rule.split else {
        return on(flag, rule, position, hasHashDecided, variant: nil, &steps)
      }
      if let only = split.only {
        return on(flag, rule, position, hasHashDecided, variant: only, &steps)
      }
      guard let hash = split.draw.hash(context) else {
        isUnitMissing = true
        steps?.append("rule \(position): the context has no \(names(split.draw.units))")
        continue
      }
      steps?.append("rule \(position): bucket \(hash) of its split")
      return on(flag, rule, position, true, variant: split.variant(hash), &steps)
    }
    if isUnitMissing {
      var evaluation = off(flag, .error)
      evaluation.failure = .targetingKeyMissing
      return evaluation
    }
    steps?.append("\(flag.key): no rule lets the context in")
    return off(flag, hasShareDecided ? .split : .default)
  }

  private func whyDisabled(
    _ flag: Flag, _ context: FlagContext, _ steps: inout [String]?
  ) -> String? {
    if flag.isKilled { return "it is killed" }
    if !flag.isEnabled { return "it is not enabled" }
    if let from = flag.from, context.now < from { return "it begins at \(from)" }
    if let until = flag.until, context.now >= until { return "it ended at \(until)" }
    for requirement in flag.requirements {
      let other = evaluate(requirement.flag, context, &steps)
      let hasVariant =
        requirement.variants.isEmpty
        || other.variant.map { requirement.variants.contains($0) } ?? false
      if other.failure == .flagNotFound || other.isOn != requirement.isOn || !hasVariant {
        return "'\(requirement.flag)' is not as it requires"
      }
    }
    return nil
  }

  private func holds(
    _ rule: Rule, _ position: Int, _ context: FlagContext, _ steps: inout [String]?
  ) -> Bool {
    for condition in rule.conditions where !condition.holds(context) {
      steps?.append("rule \(position): not so: \(condition.inWords)")
      return false
    }
    for name in rule.segments {
      guard let segment = segments[name], segment.conditions.allSatisfy({ $0.holds(context) })
      else {
        steps?.append("rule \(position): the context is not in segment '\(name)'")
        return false
      }
    }
    return true
  }

  private func on(
    _ flag: Flag, _ rule: Rule, _ position: Int, _ hasHashDecided: Bool, variant: String?,
    _ steps: inout [String]?
  ) -> Evaluation {
    let reason: Evaluation.Reason =
      if hasHashDecided {
        .split
      } else if !rule.conditions.isEmpty || !rule.segments.isEmpty {
        .targetingMatch
      } else {
        flag.rules.count == 1 && flag.requirements.isEmpty ? .static : .default
      }
    steps?.append("rule \(position) answers\(rule.name.isEmpty ? "" : ": \(rule.name)")")
    if let variant {
      return Evaluation(
        isOn: true, variant: variant, value: flag.variants[variant], reason: reason, rule: position)
    }
    return Evaluation(
      isOn: true, variant: Evaluation.on, value: flag.variants.isEmpty ? true : nil,
      reason: reason, rule: position)
  }

  private func off(_ flag: Flag, _ reason: Evaluation.Reason) -> Evaluation {
    if let variant = flag.offVariant {
      return Evaluation(
        isOn: false, variant: variant, value: flag.variants[variant], reason: reason)
    }
    return Evaluation(
      isOn: false, variant: Evaluation.off, value: flag.variants.isEmpty ? false : nil,
      reason: reason)
  }

  private func names(_ units: [String]) -> String {
    units.map { "'\($0)'" }.joined(separator: " or ")
  }
}

extension Condition {
  fileprivate var inWords: String {
    "'\(attribute)' \(isNegated ? "not " : "")\(name)"
  }
}
