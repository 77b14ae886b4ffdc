import FeatureFlagsDomain
import KithJSON
import KithTime
import Testing

/// What flags are for whom.
@Suite struct FlagSetTests {
  @Test func whatIsOffIsOff() throws {
    let set = try flag(#"{"enabled": false, "rollout": 0.1}"#)
    #expect(set.evaluate("f", "ada").reason == .disabled)
    #expect(set.evaluate("f", "ada").value == false)
    var killed = try FlagReader.flag("f", ["enabled": true])
    killed.isKilled = true
    #expect(try FlagSet([killed], segments: [:]).evaluate("f", "ada").reason == .disabled)
    #expect(set.evaluate("g").failure == .flagNotFound)
  }

  @Test func aFlagHasItsTime() throws {
    let set = try flag(
      #"{"enabled": true, "from": "2026-03-01T00:00:00Z", "until": "2026-04-01T00:00:00+02:00"}"#)
    func isOn(_ text: String) throws -> Bool {
      set.evaluate("f", "ada", at: try #require(Instant(text))).isOn
    }
    #expect(try !isOn("2026-02-28T23:59:59.999Z"))
    #expect(try isOn("2026-03-01T00:00:00Z"))
    #expect(try isOn("2026-03-31T21:59:59.999Z"))
    #expect(try !isOn("2026-03-31T22:00:00Z"))
  }

  @Test func theFirstRuleThatLetsInAnswers() throws {
    let set = try flags(
      #"""
      {"segments": {"testers": [{"attribute": "user", "is": "in", "values": ["ada", "bob"]}]},
       "flags": {"model": {
         "enabled": true, "variants": {"mini": "gpt-4o-mini", "full": "gpt-4o"}, "off": "mini",
         "rules": [
           {"name": "testers", "segments": ["testers"], "variant": "full"},
           {"when": [{"attribute": "app", "is": "version_at_least", "values": ["2.0.0"]},
                     {"attribute": "region", "is": "in", "values": ["US"], "ignore_case": true}],
            "variant": "full"}]}}}
      """#)
    let tester = set.evaluate("model", "ada")
    #expect(tester.value == "gpt-4o" && tester.rule == 0 && tester.reason == .targetingMatch)
    let american = set.evaluate("model", "eve", ["app": "2.0.0", "region": "us"])
    #expect(american.variant == "full" && american.rule == 1)
    for (app, region) in [("2.0.0-beta", "us"), ("1.9.9", "us"), ("2.1.0", "ca"), ("x", "us")] {
      let other = set.evaluate("model", "eve", ["app": app, "region": region])
      #expect(other.variant == "mini" && !other.isOn && other.reason == .default)
    }
  }

  @Test func whatItRequiresIsAsked() throws {
    let set = try flags(
      #"""
      {"flags": {
        "parent": {"enabled": true, "variants": {"a": 1, "b": 2}, "split": {"a": 1, "b": 1}},
        "of-a": {"enabled": true, "requires": [{"flag": "parent", "variants": ["a"]}]},
        "dark": {"enabled": false},
        "no-dark": {"enabled": true, "requires": [{"flag": "dark", "is_on": false}]},
        "dark-too": {"enabled": true, "requires": [{"flag": "dark"}]}}}
      """#)
    for number in 0..<100 {
      let isA = set.evaluate("parent", "\(number)").variant == "a"
      #expect(set.evaluate("of-a", "\(number)").isOn == isA)
    }
    #expect(set.evaluate("no-dark").isOn && set.evaluate("dark-too").reason == .disabled)
    #expect(set.flags(requiring: "dark") == ["dark-too", "no-dark"])
  }

  @Test(
    arguments: [
      ("in", ["a", "b"], "a", true), ("in", [], "a", false), ("contains", ["ell"], "hello", true),
      ("starts_with", ["he"], "hello", true), ("ends_with", ["lo", "x"], "hello", true),
      ("ends_with", ["he"], "hello", false), ("number_equals", ["5"], "5.0", true),
      ("number_above", ["5"], "5", false), ("number_at_least", ["5"], "5", true),
      ("number_below", ["5"], "4.9", true), ("number_at_most", ["5"], "six", false),
      ("version_equals", ["1.2.2"], "1.2.2+build", true),
      ("version_above", ["2.0.0-alpha.1"], "2.0.0-beta.1", true),
      ("version_above", ["2.0.0-rc.1"], "2.0.0", true),
      ("version_below", ["2.0.0-alpha.3"], "2.0.0-alpha.1", true),
      ("version_above", ["2.0.0-alpha"], "2.0.0-alpha.1", true),
      ("version_below", ["2.0.0"], "1.10.0", true), ("version_equals", ["2.0.0"], "v2.0.0", false),
      ("after", ["2026-01-01T00:00:00Z"], "2026-01-01T00:00:00.001Z", true),
      ("before", ["2026-01-01T00:00:00Z"], "soon", false),
    ] as [(String, [String], String, Bool)])
  func conditionsHold(name: String, values: [String], found: String, holds: Bool) throws {
    for isNegated in [false, true] {
      let condition: JSONValue = [
        "attribute": "x", "is": .string(name), "values": .array(values.map { .string($0) }),
        "not": .bool(isNegated),
      ]
      let flag = try FlagReader.flag(
        "f", ["enabled": true, "rules": [["when": [condition]]]])
      let set = try FlagSet([flag], segments: [:])
      #expect(set.evaluate("f", "", ["x": found]).isOn == (holds != isNegated))
      #expect(set.evaluate("f", "").isOn == isNegated)
    }
  }

  @Test func theWayToAnAnswerIsTold() throws {
    let set = try flag(
      #"""
      {"enabled": true, "rules": [
        {"name": "staff", "when": [{"attribute": "mail", "is": "ends_with", "values": ["@kith"]}]},
        {"share": 0.3}]}
      """#, key: "fall_awareness")
    let (evaluation, steps) = set.explain(
      "fall_awareness",
      for: FlagContext(targetingKey: "bob", attributes: ["mail": "secret@home"], now: noon))
    #expect(!evaluation.isOn && evaluation.reason == .split)
    #expect(
      steps == [
        "rule 0: not so: 'mail' ends_with",
        "rule 1: bucket 3979230190 is not in its share of 30 %",
        "fall_awareness: no rule lets the context in",
      ])
  }

  @Test(arguments: [
    (#"[]"#, "expected an object"),
    (#"{}"#, "enabled: expected true or false, found nothing"),
    (#"{"enabled": 1}"#, "enabled: expected true or false"),
    (#"{"enabled": true, "rolout": 1}"#, "rolout: there is no such key"),
    (#"{"enabled": true, "rollout": 1.5}"#, "rollout: expected a number from 0 to 1"),
    (#"{"enabled": true, "rollout": 1, "rules": []}"#, "rollout: expected either"),
    (
      #"{"enabled": true, "rules": [{"when": [{"attribute": "a", "is": "like"}]}]}"#,
      "rules[0].when[0].is: expected in, contains"
    ),
    (#"{"enabled": true, "variants": {"a": 1}}"#, "variant: expected the variant"),
    (#"{"enabled": true, "variants": {"a": 1}, "split": {"b": 1}}"#, "split.b: expected one"),
    (#"{"enabled": true, "variants": {"a": 1}, "split": {"a": 0}}"#, "split: expected weights"),
    (#"{"enabled": true, "off": "a"}"#, "off: expected one of the flag's variants"),
    (#"{"enabled": true, "guard": {"methods": ["m"]}}"#, "guard: expected 'most_errors'"),
    (#"{"enabled": true, "from": "2026-01-01"}"#, "from: expected a time"),
  ])
  func aWrongDefinitionIsToldWithItsPlace(definition: String, problem: String) throws {
    let error = #expect(throws: FlagProblem.self) { try flag(definition) }
    #expect(error?.description.hasPrefix(problem) == true, "\(error?.description ?? "")")
  }

  @Test func whatIsTheSameForEverybodyGrowsOld() throws {
    func staleness(_ definition: String, days: Int) throws -> String? {
      try FlagReader.flag("f", JSONValue(parsing: definition)).staleness(
        at: noon + .seconds(days * 86_400), changed: noon, patience: .seconds(90 * 86_400))
    }
    #expect(try staleness(#"{"enabled": true}"#, days: 89) == nil)
    #expect(try staleness(#"{"enabled": true}"#, days: 90) != nil)
    #expect(try staleness(#"{"enabled": false}"#, days: 90) != nil)
    #expect(try staleness(#"{"enabled": true, "rollout": 0.5}"#, days: 900) == nil)
    #expect(try staleness(#"{"enabled": true, "expires": "2026-01-01T00:00:00Z"}"#, days: 0) != nil)
  }

  @Test func aGuardFindsWhatIsCrossed() throws {
    let flag = try FlagReader.flag(
      "f",
      [
        "enabled": true,
        "guard": ["methods": ["a/B"], "most_errors": 0.05, "most_p95_ms": 3000, "least_calls": 50],
      ])
    func crossing(_ method: String, _ calls: UInt64, _ errors: UInt64, _ p95: Int64) -> String? {
      flag.rolloutGuard?.crossing(.init(method: method, calls: calls, errors: errors, p95: p95))
    }
    #expect(crossing("a/B", 100, 5, 3000) == nil)
    #expect(crossing("a/B", 100, 6, 3000) == "error rate 6.0 % is above 5.0 %")
    #expect(crossing("a/B", 100, 0, 3001) == "p95 of 3001 ms is above 3000 ms")
    #expect(crossing("a/C", 100, 99, 9999) == nil)
    #expect(crossing("a/B", 49, 49, 9999) == nil)
  }

  @Test(arguments: [
    (#"{"enabled": true, "rollout": 0.2}"#, false), (#"{"enabled": false}"#, false),
    (#"{"enabled": true, "rollout": 0.200001}"#, true), (#"{"enabled": true}"#, true),
    (#"{"enabled": true, "rollout": 0.1, "salt": "other"}"#, true),
    (#"{"enabled": true, "rollout": 0.1, "until": "2027-01-01T00:00:00Z"}"#, true),
    (#"{"enabled": true, "rules": []}"#, true),
  ])
  func aDefinitionThatMayLetInMoreGrows(definition: String, grows: Bool) throws {
    let earlier = try FlagReader.flag("f", ["enabled": true, "rollout": 0.2])
    let flag = try FlagReader.flag("f", JSONValue(parsing: definition))
    #expect(flag.grows(from: earlier) == grows)
    let off = try FlagReader.flag("f", ["enabled": false])
    #expect(earlier.grows(from: off) && !off.grows(from: off))
  }
}
