public import KithJSON
import KithTime

/// Reads definitions of flags and segments. The plugin's README has their form.
public enum FlagReader {
  /// The longest key in characters.
  public static let longestKey = 100
  private static let mostVariants = 100

  /// Checks a flag's key, or a segment's name.
  public static func check(key: String) throws(FlagProblem) {
    let isClean = key.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    guard (1...longestKey).contains(key.count), isClean else {
      throw FlagProblem(
        "key", "expected 1 to \(longestKey) characters without control characters")
    }
  }

  /// Reads a segment: a list of conditions.
  public static func segment(_ value: JSONValue) throws(FlagProblem) -> Segment {
    guard let list = value.arrayValue, list.count <= 100 else {
      throw FlagProblem("", "expected a list of up to 100 conditions")
    }
    var conditions: [Condition] = []
    for (position, value) in list.enumerated() {
      conditions.append(try condition(value, at: "[\(position)]"))
    }
    return Segment(conditions: conditions)
  }

  /// Reads a flag.
  public static func flag(_ key: String, _ value: JSONValue) throws(FlagProblem) -> Flag {
    try check(key: key)
    let fields = try FlagFields(
      value, at: "",
      known: [
        "description", "enabled", "rollout", "rules", "by", "salt", "variants", "variant", "split",
        "off", "requires", "from", "until", "expires", "guard", "buckets",
      ])
    _ = try fields.text("description")
    guard let isEnabled = try fields.bool("enabled") else {
      throw FlagProblem("enabled", "expected true or false, found nothing")
    }
    let variants = try variants(fields)
    let offVariant = try fields.text("off")
    if let offVariant, variants[offVariant] == nil {
      throw FlagProblem("off", "expected one of the flag's variants")
    }
    let (from, until) = (try fields.instant("from"), try fields.instant("until"))
    if let from, let until, until <= from {
      throw FlagProblem("until", "expected a time after 'from'")
    }
    return Flag(
      key: key, isEnabled: isEnabled, variants: variants, offVariant: offVariant,
      rules: try rules(key, fields, variants), requirements: try requirements(fields),
      from: from, until: until, expires: try fields.instant("expires"),
      rolloutGuard: try rolloutGuard(fields))
  }

  /// A definition with another share.
  /// - Parameter rule: which rule's, from 0; 0 for the flag's own share where it has no rules.
  public static func definition(
    _ value: JSONValue, withShare share: Share, ofRule rule: Int
  ) throws(FlagProblem) -> JSONValue {
    guard var object = value.objectValue else { throw FlagProblem("", "expected an object") }
    if var rules = object["rules"]?.arrayValue {
      guard rules.indices.contains(rule), var changed = rules[rule].objectValue else {
        throw FlagProblem("rule", "the flag has \(rules.count) rules")
      }
      changed["share"] = .number(share.fraction)
      rules[rule] = .object(changed)
      object["rules"] = .array(rules)
    } else {
      guard rule == 0 else { throw FlagProblem("rule", "the flag has no rules") }
      object["rollout"] = .number(share.fraction)
    }
    return .object(object)
  }

  // MARK: Parts

  private static func variants(_ fields: FlagFields) throws(FlagProblem) -> JSONObject {
    guard let value = fields["variants"] else { return JSONObject() }
    guard let variants = value.objectValue, (1...mostVariants).contains(variants.count) else {
      throw FlagProblem("variants", "expected an object of 1 to \(mostVariants) values")
    }
    return variants
  }

  private static func rules(
    _ key: String, _ fields: FlagFields, _ variants: JSONObject
  ) throws(FlagProblem) -> [Rule] {
    let buckets = try fields.text("buckets") ?? Buckets.whole.rawValue
    guard let buckets = Buckets(rawValue: buckets) else {
      throw FlagProblem("buckets", "expected whole or unleash")
    }
    let outer = Outer(
      salt: try fields.text("salt") ?? key, units: try units(fields) ?? [FlagContext.user],
      buckets: buckets, variants: variants, fields: fields)
    guard let list = try fields.list("rules") else {
      return [
        Rule(
          name: "", conditions: [], segments: [], share: try fields.share("rollout") ?? .all,
          draw: Draw(by: outer.units, salt: outer.salt), buckets: buckets,
          split: try split(fields, outer, salt: outer.salt, units: outer.units))
      ]
    }
    if fields["rollout"] != nil {
      throw FlagProblem("rollout", "expected either 'rollout' or 'rules'")
    }
    var rules: [Rule] = []
    for (position, value) in list.enumerated() {
      rules.append(try rule(value, at: "rules[\(position)]", outer))
    }
    return rules
  }

  /// What a rule takes from its flag.
  private struct Outer {
    let salt: String
    let units: [String]
    let buckets: Buckets
    let variants: JSONObject
    let fields: FlagFields
  }

  private static func rule(
    _ value: JSONValue, at place: String, _ outer: Outer
  ) throws(FlagProblem) -> Rule {
    let fields = try FlagFields(
      value, at: place,
      known: [
        "name", "when", "segments", "share", "by", "salt", "variant", "split", "split_by",
        "split_salt",
      ])
    var conditions: [Condition] = []
    for (position, value) in (try fields.list("when") ?? []).enumerated() {
      conditions.append(try condition(value, at: "\(place).when[\(position)]"))
    }
    let units = try units(fields) ?? outer.units
    let salt = try fields.text("salt") ?? outer.salt
    return Rule(
      name: try fields.text("name") ?? "", conditions: conditions,
      segments: try fields.texts("segments", most: 100) ?? [],
      share: try fields.share("share") ?? .all,
      draw: Draw(by: units, salt: salt), buckets: outer.buckets,
      split: try split(
        fields, outer, salt: try fields.text("split_salt") ?? salt,
        units: try fields.texts("split_by", most: 10) ?? units))
  }

  private static func units(_ fields: FlagFields) throws(FlagProblem) -> [String]? {
    guard let units = try fields.texts("by", most: 10) else { return nil }
    guard !units.isEmpty else {
      throw FlagProblem(fields.place("by"), "expected at least one property")
    }
    return units
  }

  private static func split(
    _ fields: FlagFields, _ outer: Outer, salt: String, units: [String]
  ) throws(FlagProblem) -> Split? {
    let draw = Draw(by: units, salt: salt, seed: Draw.splitSeed)
    func make(_ weights: [(variant: String, weight: UInt64)]) -> Split {
      Split(weights, draw: draw, buckets: outer.buckets)
    }
    let own = fields["variant"] != nil || fields["split"] != nil
    // A rule without a word on it goes by its flag's.
    let fields = own ? fields : outer.fields
    if let variant = try fields.text("variant") {
      guard fields["split"] == nil, outer.variants[variant] != nil else {
        throw FlagProblem(
          fields.place("variant"), "expected one of the flag's variants, and no 'split' beside it")
      }
      return make([(variant, 1)])
    }
    guard let value = fields["split"] else {
      // An Unleash feature may have variants for some of its strategies only.
      if outer.variants.isEmpty || outer.buckets == .unleash { return nil }
      throw FlagProblem(fields.place("variant"), "expected the variant, or 'split'")
    }
    let place = fields.place("split")
    guard let object = value.objectValue, object.count <= mostVariants else {
      throw FlagProblem(place, "expected an object of variants and their weights")
    }
    var weights: [(variant: String, weight: UInt64)] = []
    for member in object {
      guard outer.variants[member.name] != nil, let weight = member.value.unsignedValue,
        weight <= Split.mostWeight
      else {
        throw FlagProblem(
          "\(place).\(member.name)", "expected one of the flag's variants, and a whole weight")
      }
      if weight > 0 { weights.append((member.name, weight)) }
    }
    let sum = weights.reduce(0) { $0 + $1.weight }
    guard (1...Split.mostWeight).contains(sum) else {
      throw FlagProblem(place, "expected weights with a sum of 1 to \(Split.mostWeight)")
    }
    return make(weights)
  }

  private static func requirements(
    _ fields: FlagFields
  ) throws(FlagProblem) -> [Flag.Requirement] {
    var requirements: [Flag.Requirement] = []
    for (position, value) in (try fields.list("requires", most: 8) ?? []).enumerated() {
      let place = "requires[\(position)]"
      let fields = try FlagFields(value, at: place, known: ["flag", "is_on", "variants"])
      guard let flag = try fields.text("flag") else {
        throw FlagProblem("\(place).flag", "expected a flag's key, found nothing")
      }
      requirements.append(
        Flag.Requirement(
          flag: flag, isOn: try fields.bool("is_on") ?? true,
          variants: try fields.texts("variants", most: mostVariants) ?? []))
    }
    return requirements
  }

  private static func rolloutGuard(_ fields: FlagFields) throws(FlagProblem) -> RolloutGuard? {
    guard let value = fields["guard"] else { return nil }
    let fields = try FlagFields(
      value, at: "guard", known: ["methods", "most_errors", "most_p95_ms", "least_calls"])
    guard let methods = try fields.texts("methods", most: 100), !methods.isEmpty else {
      throw FlagProblem("guard.methods", "expected a list of methods")
    }
    let mostErrors = try fields.number("most_errors")
    if let mostErrors, !(0...1).contains(mostErrors) {
      throw FlagProblem("guard.most_errors", "expected a number from 0 to 1")
    }
    let mostP95 = try fields.whole("most_p95_ms")
    if mostErrors == nil && mostP95 == nil {
      throw FlagProblem("guard", "expected 'most_errors' or 'most_p95_ms'")
    }
    return RolloutGuard(
      methods: Set(methods), mostErrors: mostErrors, mostP95: mostP95,
      leastCalls: UInt64(try fields.whole("least_calls") ?? 20))
  }

  // MARK: Conditions

  private static let comparisons: [String: Condition.Comparison] = [
    "equals": .equals, "above": .above, "at_least": .atLeast, "below": .below, "at_most": .atMost,
  ]

  private static func condition(
    _ value: JSONValue, at place: String
  ) throws(FlagProblem) -> Condition {
    let fields = try FlagFields(
      value, at: place, known: ["attribute", "is", "values", "not", "ignore_case"])
    guard let attribute = try fields.text("attribute") else {
      throw FlagProblem("\(place).attribute", "expected a property's name, found nothing")
    }
    guard let name = try fields.text("is") else {
      throw FlagProblem("\(place).is", "expected an operator, found nothing")
    }
    let ignoresCase = try fields.bool("ignore_case") ?? false
    var values = try fields.texts("values") ?? []
    if ignoresCase { values = values.map { $0.lowercased() } }
    return Condition(
      attribute: attribute, test: try test(name, values, at: place),
      isNegated: try fields.bool("not") ?? false, ignoresCase: ignoresCase, name: name)
  }

  private static func test(
    _ name: String, _ values: [String], at place: String
  ) throws(FlagProblem) -> Condition.Test {
    switch name {
    case "in": return .isIn(Set(values))
    case "contains": return .contains(values)
    case "starts_with": return .startsWith(values)
    case "ends_with": return .endsWith(values)
    case "after": return .time(.above, try one(values, place, "a time") { Instant($0) })
    case "before": return .time(.below, try one(values, place, "a time") { Instant($0) })
    default: break
    }
    let parts = name.split(separator: "_", maxSplits: 1)
    if parts.count == 2, let comparison = comparisons[String(parts[1])] {
      if parts[0] == "number" {
        return .number(
          comparison,
          try one(values, place, "a number") { text in
            Double(text).flatMap { $0.isFinite ? $0 : nil }
          })
      }
      if parts[0] == "version" {
        return .version(
          comparison, try one(values, place, "a version such as 2.1.0") { SemanticVersion($0) })
      }
    }
    throw FlagProblem(
      "\(place).is",
      "expected in, contains, starts_with, ends_with, after, before, or number_ or version_ with "
        + comparisons.keys.sorted().joined(separator: ", "))
  }

  private static func one<Value>(
    _ values: [String], _ place: String, _ expected: String, _ convert: (String) -> Value?
  ) throws(FlagProblem) -> Value {
    guard values.count == 1, let value = convert(values[0]) else {
      throw FlagProblem("\(place).values", "expected \(expected), and nothing else")
    }
    return value
  }
}
