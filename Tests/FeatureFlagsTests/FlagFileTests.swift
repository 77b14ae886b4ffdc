import FeatureFlagsDomain
import Foundation
import KithJSON
import KithTime
import Testing

/// Files of flags that others write.
@Suite struct FlagFileTests {
  /// 2, by hand: what Unleash's client specification expects of these.
  @Test func unleashsBucketsAreKept() throws {
    let file = try FlagFile(
      [
        "version": 1,
        "features": [
          [
            "name": "half", "enabled": true,
            "strategies": [
              [
                "name": "flexibleRollout",
                "parameters": [
                  "rollout": "50", "stickiness": "customField",
                  "groupId": "Feature.flexible.rollout.custom.stickiness_50",
                ],
              ]
            ],
          ],
          [
            "name": "two", "enabled": true,
            "strategies": [
              [
                "name": "flexibleRollout",
                "parameters": ["rollout": "100", "stickiness": "default", "groupId": "a"],
                "variants": [
                  ["name": "A", "weight": 1, "payload": ["type": "string", "value": "x"]],
                  ["name": "B", "weight": 1, "payload": ["type": "number", "value": "1.5"]],
                ],
              ]
            ],
          ],
          [
            "name": "forced", "enabled": true, "strategies": [["name": "default"]],
            "variants": [
              [
                "name": "usual", "weight": 1,
              ],
              [
                "name": "own", "weight": 0,
                "overrides": [["contextName": "userId", "values": ["1", "2"]]],
              ],
            ],
          ],
          [
            "name": "listed", "enabled": true,
            "strategies": [
              ["name": "userWithId", "parameters": ["userIds": "1, 2,3 "]]
            ],
            "dependencies": [["feature": "two", "variants": ["A"]]],
          ],
          ["name": "elsewhere", "enabled": true, "strategies": [["name": "remoteAddress"]]],
          [
            "name": "deep", "enabled": true, "strategies": [],
            "dependencies": [["feature": "listed"]],
          ],
        ],
      ], form: .unleash)
    #expect(
      file.problems.map(\.description) == [
        "elsewhere.strategies: a strategy that Kith does not have",
        "deep.dependencies: expected a feature that depends on no other",
      ])
    let set = try flags(file)
    func isHalf(_ value: String) -> Bool { set.evaluate("half", "", ["customField": value]).isOn }
    #expect(isHalf("388") && isHalf("39") && !isHalf("402"))
    #expect(set.evaluate("half", "").failure == .targetingKeyMissing)
    #expect(set.evaluate("two", "5").variant == "A" && set.evaluate("two", "0").value == 1.5)
    #expect(set.evaluate("forced", "1").variant == "own")
    #expect(set.evaluate("forced", "7").variant == "usual")
    #expect(!set.evaluate("listed", "4").isOn)
    for id in ["1", "2", "3"] {
      #expect(set.evaluate("listed", id).isOn == (set.evaluate("two", id).variant == "A"))
    }
  }

  @Test func flagdsFilesAreReadWithoutTargeting() throws {
    let file = try FlagFile(
      [
        "flags": [
          "welcome": [
            "state": "ENABLED", "variants": ["on": true, "off": false], "defaultVariant": "off",
          ],
          "dark": [
            "state": "DISABLED", "variants": ["a": ["x": 1]], "defaultVariant": "a",
            "targeting": [:],
          ],
          "logic": [
            "state": "ENABLED", "variants": ["a": 1], "defaultVariant": "a",
            "targeting": ["if": []],
          ],
        ]
      ], form: .flagd)
    #expect(file.problems.map(\.place) == ["logic.targeting"])
    let set = try flags(file)
    #expect(set.evaluate("welcome").value == false && set.evaluate("dark").reason == .disabled)
  }

  @Test func milosFlagsAreKiths() throws {
    let set = try flags(
      #"""
      {"flags": {
        "fall_awareness": {"enabled": false, "rollout": 0.1},
        "family_dashboard": {"enabled": true, "rollout": 1.0},
        "sms_fallback": {"enabled": false, "rollout": 0.0},
        "gpt4o_model": {"enabled": true, "variants": {"mini": "gpt-4o-mini"}, "variant": "mini"}}}
      """#)
    #expect(!set.evaluate("fall_awareness", "ada").isOn)
    #expect(set.evaluate("family_dashboard", "ada").isOn)
    #expect(set.evaluate("gpt4o_model").value == "gpt-4o-mini")
  }

  /// 2, all of it: where KITH_UNLEASH_SPECIFICATION names the folder of the specification's files.
  @Test(.enabled(if: folder != nil))
  func unleashsSpecificationHolds() throws {
    let folder = try #require(Self.folder)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder).sorted()
    var (held, other): (Int, [String]) = (0, [])
    for name in files where name.hasSuffix(".json") && name != "index.json" {
      let text = try String(contentsOfFile: "\(folder)/\(name)", encoding: .utf8)
      let specification = try JSONValue(parsing: text)
      guard let state = specification["state"] else { continue }
      let file = try FlagFile(state, form: .unleash)
      var read: [Flag] = []
      var segments: [String: Segment] = [:]
      for member in file.segments { segments[member.name] = try? FlagReader.segment(member.value) }
      for member in file.flags {
        if let flag = try? FlagReader.flag(member.name, member.value) { read.append(flag) }
      }
      let set = FlagSet(unchecked: read, segments: segments)
      func check(_ test: JSONValue, _ isRight: (Evaluation) -> Bool) {
        let key = test["toggleName"]?.stringValue ?? ""
        let evaluation = set.evaluate(key, for: context(test["context"] ?? [:]))
        if isRight(evaluation) { held += 1 } else { other.append("\(name): \(key)") }
      }
      for test in specification["tests"]?.arrayValue ?? [] {
        check(test) { $0.isOn == test["expectedResult"]?.boolValue }
      }
      for test in specification["variantTests"]?.arrayValue ?? [] {
        let expected = test["expectedResult"]?["name"]?.stringValue
        check(test) { evaluation in
          let known = [Evaluation.on, Evaluation.off, nil].contains(evaluation.variant)
          return (known ? "disabled" : evaluation.variant) == expected
        }
      }
    }
    #expect(held > 100)
    #expect(other == [], "\(held) held")
  }

  private static let folder = ProcessInfo.processInfo.environment["KITH_UNLEASH_SPECIFICATION"]

  private func context(_ value: JSONValue) -> FlagContext {
    var context = FlagContext(now: noon)
    func take(_ object: JSONObject) {
      for member in object {
        guard let text = member.value.stringValue else { continue }
        switch member.name {
        case "userId": context.targetingKey = text
        case "currentTime": context.attributes["now"] = text
        default: context.attributes[member.name] = text
        }
      }
    }
    take(value.objectValue ?? [:])
    take(value["properties"]?.objectValue ?? [:])
    return context
  }
}
