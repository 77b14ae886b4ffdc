import KithJSON

// What an Unleash server gives its clients, as far as it says the same: the strategies default,
// userWithId, flexibleRollout and gradualRollout by user and session; constraints without regular
// expressions and address ranges; segments, variants with overrides, dependencies of one step.

extension FlagFile {
  mutating func read(unleash value: JSONValue) throws(FlagProblem) {
    guard let features = value["features"]?.arrayValue else {
      throw FlagProblem("features", "expected a list of features")
    }
    for segment in value["segments"]?.arrayValue ?? [] {
      guard let id = segment["id"]?.integerValue else { continue }
      do throws(FlagProblem) {
        segments["\(id)"] = .array(try UnleashFeature.conditions(segment["constraints"]))
      } catch {
        problems.append(error.inside("segments[\(id)]"))
      }
    }
    let withParents = Set(
      features.filter { $0["dependencies"]?.arrayValue?.isEmpty == false }.compactMap {
        $0["name"]?.stringValue
      })
    for (position, feature) in features.enumerated() {
      guard let name = feature["name"]?.stringValue else {
        problems.append(FlagProblem("features[\(position)].name", "expected a text"))
        continue
      }
      do throws(FlagProblem) {
        var read = UnleashFeature(name)
        flags[name] = try read.definition(feature, withParents: withParents)
      } catch {
        problems.append(error.inside(name))
      }
    }
  }
}

/// A feature of Unleash on its way to a definition.
private struct UnleashFeature {
  private let name: String
  private var variants = JSONObject()

  init(_ name: String) { self.name = name }

  mutating func definition(
    _ feature: JSONValue, withParents: Set<String>
  ) throws(FlagProblem) -> JSONValue {
    var flag = JSONObject()
    flag["enabled"] = .bool(feature["enabled"]?.boolValue ?? false)
    flag["buckets"] = "unleash"
    let ofFeature = try read(variants: feature["variants"])
    var rules: [JSONValue] = []
    let strategies = feature["strategies"]?.arrayValue ?? []
    for strategy in strategies.isEmpty ? [["name": "default"]] : strategies {
      rules += try self.rules(of: strategy, ofFeature)
    }
    flag["rules"] = .array(rules)
    if !variants.isEmpty { flag["variants"] = .object(variants) }
    let parents = try requirements(feature["dependencies"], withParents: withParents)
    if !parents.isEmpty { flag["requires"] = .array(parents) }
    return .object(flag)
  }

  // MARK: Strategies

  /// The rules of a strategy: one for each override of the feature's variants, and one for all.
  private mutating func rules(
    of strategy: JSONValue, _ ofFeature: [JSONValue]
  ) throws(FlagProblem) -> [JSONValue] {
    var rule = try self.rule(of: strategy)
    let own = try read(variants: strategy["variants"])
    let split = own.isEmpty ? ofFeature : own
    guard !split.isEmpty else { return [.object(rule)] }
    let salt = own.isEmpty ? name : strategy["parameters"]?["groupId"]?.stringValue ?? name
    var rules: [JSONValue] = []
    for variant in own.isEmpty ? ofFeature : [] {
      for over in variant["overrides"]?.arrayValue ?? [] {
        guard let attribute = over["contextName"]?.stringValue, let values = over["values"] else {
          throw FlagProblem("variants", "expected overrides with contextName and values")
        }
        var forced = rule
        let condition: JSONValue = [
          "attribute": .string(Self.property(attribute)), "is": "in", "values": values,
        ]
        forced["when"] = .array((rule["when"]?.arrayValue ?? []) + [condition])
        forced["variant"] = variant["name"]
        rules.append(.object(forced))
      }
    }
    var weights = JSONObject()
    for variant in split {
      weights[variant["name"]?.stringValue ?? ""] = variant["weight"] ?? 0
    }
    guard weights.contains(where: { $0.value != 0 }) else { return rules + [.object(rule)] }
    rule["split"] = .object(weights)
    rule["split_salt"] = .string(salt)
    rule["split_by"] = .array(
      Self.units(split[0]["stickiness"]?.stringValue ?? strategy.stickiness))
    return rules + [.object(rule)]
  }

  private func rule(of strategy: JSONValue) throws(FlagProblem) -> JSONObject {
    var rule = JSONObject()
    var conditions = try Self.conditions(strategy["constraints"])
    let parameters = strategy["parameters"]
    func percentage(_ name: String) throws(FlagProblem) -> JSONValue {
      let value = parameters?[name]
      let percent = value?.stringValue.flatMap { Int64($0) } ?? value?.integerValue
      guard let percent, (0...100).contains(percent) else {
        throw FlagProblem("parameters.\(name)", "expected a percentage")
      }
      return .number(Double(percent) / 100)
    }
    switch strategy["name"]?.stringValue {
    case "default": break
    case "userWithId":
      let ids = (parameters?["userIds"]?.stringValue ?? "").split(separator: ",")
        .map { JSONValue.string($0.trimmed) }
      conditions.append(["attribute": "user", "is": "in", "values": .array(ids)])
    case "gradualRolloutUserId":
      rule["share"] = try percentage("percentage")
      rule["by"] = ["user"]
    case "gradualRolloutSessionId":
      rule["share"] = try percentage("percentage")
      rule["by"] = ["sessionId"]
    case "flexibleRollout":
      rule["share"] = try percentage("rollout")
      rule["by"] = .array(Self.units(strategy.stickiness))
    default: throw FlagProblem("strategies", "a strategy that Kith does not have")
    }
    if let group = parameters?["groupId"]?.stringValue, !group.isEmpty {
      rule["salt"] = .string(group)
    }
    if !conditions.isEmpty { rule["when"] = .array(conditions) }
    if let segments = strategy["segments"]?.arrayValue, !segments.isEmpty {
      rule["segments"] = .array(segments.map { .string("\($0.integerValue ?? -1)") })
    }
    return rule
  }

  /// The property of a context that Kith calls otherwise.
  private static func property(_ name: String) -> String {
    switch name {
    case "userId": FlagContext.user
    case "currentTime": FlagContext.time
    default: name
    }
  }

  private static func units(_ stickiness: String?) -> [JSONValue] {
    switch stickiness {
    case nil, "default", "random", "": [.string(FlagContext.user), "sessionId"]
    case let name?: [.string(property(name))]
    }
  }

  // MARK: Variants

  private mutating func read(variants list: JSONValue?) throws(FlagProblem) -> [JSONValue] {
    let list = list?.arrayValue ?? []
    for variant in list {
      guard let name = variant["name"]?.stringValue else {
        throw FlagProblem("variants", "expected variants with a name")
      }
      let value = try Self.value(variant["payload"])
      if let known = variants[name], known != value {
        throw FlagProblem("variants", "two values for the variant '\(name)'")
      }
      variants[name] = value
    }
    return list
  }

  private static func value(_ payload: JSONValue?) throws(FlagProblem) -> JSONValue {
    guard let text = payload?["value"]?.stringValue else { return .null }
    switch payload?["type"]?.stringValue {
    case "json", "number":
      guard let value = try? JSONValue(parsing: text) else {
        throw FlagProblem("variants", "expected a payload as its type says")
      }
      return value
    default: return .string(text)
    }
  }

  // MARK: Dependencies

  private func requirements(
    _ list: JSONValue?, withParents: Set<String>
  ) throws(FlagProblem) -> [JSONValue] {
    var requirements: [JSONValue] = []
    for parent in list?.arrayValue ?? [] {
      guard let name = parent["feature"]?.stringValue, !withParents.contains(name) else {
        throw FlagProblem("dependencies", "expected a feature that depends on no other")
      }
      let isOn = parent["enabled"]?.boolValue ?? true
      var requirement: JSONObject = ["flag": .string(name), "is_on": .bool(isOn)]
      if isOn, let variants = parent["variants"]?.arrayValue, !variants.isEmpty {
        // What Unleash calls the variant of a feature without variants.
        requirement["variants"] = .array(
          variants + (variants.contains("disabled") ? [.string(Evaluation.on)] : []))
      }
      requirements.append(.object(requirement))
    }
    return requirements
  }

  // MARK: Constraints

  private static let operators: [String: (name: String, isNegated: Bool)] = [
    "IN": ("in", false), "NOT_IN": ("in", true),
    "STR_CONTAINS": ("contains", false), "STR_STARTS_WITH": ("starts_with", false),
    "STR_ENDS_WITH": ("ends_with", false),
    "NUM_EQ": ("number_equals", false), "NUM_GT": ("number_above", false),
    "NUM_GTE": ("number_at_least", false), "NUM_LT": ("number_below", false),
    "NUM_LTE": ("number_at_most", false),
    "DATE_AFTER": ("after", false), "DATE_BEFORE": ("before", false),
    "SEMVER_EQ": ("version_equals", false), "SEMVER_GT": ("version_above", false),
    "SEMVER_GTE": ("version_at_least", false), "SEMVER_LT": ("version_below", false),
    "SEMVER_LTE": ("version_at_most", false),
  ]

  static func conditions(_ list: JSONValue?) throws(FlagProblem) -> [JSONValue] {
    var conditions: [JSONValue] = []
    for constraint in list?.arrayValue ?? [] {
      guard let attribute = constraint["contextName"]?.stringValue,
        let known = operators[constraint["operator"]?.stringValue ?? ""]
      else { throw FlagProblem("constraints", "an operator that Kith does not have") }
      var condition: JSONObject = [
        "attribute": .string(property(attribute)), "is": .string(known.name),
      ]
      if known.name.hasPrefix("number_") || known.name.hasPrefix("version_")
        || ["after", "before"].contains(known.name)
      {
        condition["values"] = .array([constraint["value"] ?? .null])
      } else {
        condition["values"] = constraint["values"] ?? []
      }
      if (constraint["inverted"]?.boolValue ?? false) != known.isNegated { condition["not"] = true }
      if constraint["caseInsensitive"]?.boolValue ?? false { condition["ignore_case"] = true }
      conditions.append(.object(condition))
    }
    return conditions
  }
}

extension JSONValue {
  fileprivate var stickiness: String? { self["parameters"]?["stickiness"]?.stringValue }
}

extension Substring {
  fileprivate var trimmed: String {
    String(
      drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}
