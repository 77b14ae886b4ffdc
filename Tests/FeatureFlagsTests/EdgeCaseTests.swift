import FeatureFlagsDomain
import Glibc
import KithJSON
import KithTime
import Testing

/// The edge cases of flags, by their numbers in the list that the work was accepted by. 2 is in
/// `FlagFileTests`, 12 and 16 are in `FlagsServiceTests`.
@Suite struct EdgeCaseTests {
  private let people = (0..<100_000).map { "person-\($0)" }

  /// 1.
  @Test func hashesAreMurmurs() {
    #expect(MurmurHash3.hash("") == 0)
    #expect(MurmurHash3.hash("", seed: 1) == 0x514E_28B7)
    #expect(MurmurHash3.hash("hello") == 0x248B_FA47)
    #expect(MurmurHash3.hash("gr1:123") % 100 + 1 == 73)
    #expect(MurmurHash3.hash("gr1:999") % 100 + 1 == 37)
    #expect(MurmurHash3.hash("gr1:123", seed: 86_028_157) % 1000 + 1 == 796)
    // In pieces it is the same.
    var hash = MurmurHash3(seed: 7)
    for piece in ["", "a", "bc", "def", "ghij", "klmno", "ü🦉"] { hash.absorb(piece) }
    #expect(hash.value == MurmurHash3.hash("abcdefghijklmnoü🦉", seed: 7))
  }

  /// 3.
  @Test func aGrownShareKeepsThoseWhoWereIn() throws {
    var before: Set<String> = []
    for share in ["0.1", "0.100001", "0.2", "0.9", "1"] {
      let set = try flag(#"{"enabled": true, "rollout": \#(share)}"#)
      let now = Set(people.filter { set.evaluate("f", $0).isOn })
      #expect(before.isSubset(of: now))
      before = now
    }
    #expect(before.count == people.count)
  }

  /// 4.
  @Test func sharesAreFair() throws {
    for share in [0.01, 0.1, 0.5, 0.9] {
      let set = try flag(#"{"enabled": true, "rollout": \#(share)}"#)
      let count = Double(people.count { set.evaluate("f", $0).isOn })
      let number = Double(people.count)
      #expect(abs(count - share * number) < 3 * sqrt(number * share * (1 - share)))
    }
    var buckets = Array(repeating: 0.0, count: 100)
    for person in people {
      let hash = UInt64(MurmurHash3.hash("f:" + person))
      buckets[Int((hash * 100) >> 32)] += 1
    }
    let expected = Double(people.count) / 100
    let chiSquare = buckets.reduce(0) { $0 + ($1 - expected) * ($1 - expected) / expected }
    // 99 degrees of freedom: exceeded once in a thousand times.
    #expect(chiSquare < 148.2)
  }

  /// 5.
  @Test func flagsAreIndependent() throws {
    let set = try flags(
      #"""
      {"flags": {"one": {"enabled": true, "rollout": 0.5}, "other": {"enabled": true, "rollout": 0.5}}}
      """#)
    let both = people.map { person in
      (set.evaluate("one", person).isOn ? 1.0 : -1.0)
        * (set.evaluate("other", person).isOn ? 1.0 : -1.0)
    }
    #expect(abs(both.reduce(0, +) / Double(both.count)) < 0.01)
  }

  /// 6.
  @Test func nobodyAndEverybodyAreExact() throws {
    for hash in [0, 1, 0x7FFF_FFFF, 0x8000_0000, UInt32.max] {
      #expect(Share.all.contains(hash) && !Share.none.contains(hash))
    }
    let half = try #require(Share(0.5))
    #expect(half.contains(0x7FFF_FFFF) && !half.contains(0x8000_0000))
    let nobody = try flag(#"{"enabled": true, "rollout": 0}"#)
    let everybody = try flag(#"{"enabled": true, "rollout": 1}"#)
    #expect(!people.contains { nobody.evaluate("f", $0).isOn })
    // Everybody is everybody, also who has no name.
    #expect(everybody.evaluate("f", "").isOn && everybody.evaluate("f", "").reason == .static)
  }

  /// 7 and 15: what another program worked out; the same on every machine and in every version.
  @Test(
    arguments: [
      ("fall_awareness", "ada", 525_905_646, true, "c"),
      ("fall_awareness", "bob", 3_979_230_190, false, "a"),
      ("fall_awareness", "00000000-0000-4000-8000-000000000001", 3_138_739_277, false, "b"),
      ("fall_awareness", "🦉", 1_956_136_969, false, "c"),
      ("fall_awareness", "ünï", 4_240_276_719, false, "a"),
      ("größe", "ada", 2_232_247_219, false, "c"),
      ("größe", "bob", 3_108_107_245, false, "b"),
      ("größe", "00000000-0000-4000-8000-000000000001", 2_122_517_628, false, "b"),
      ("größe", "🦉", 766_757_855, true, "b"),
      ("größe", "ünï", 2_212_717_237, false, "a"),
      ("🚩", "ada", 1_678_319_136, false, "a"),
      ("🚩", "bob", 3_266_974_524, false, "a"),
      ("🚩", "00000000-0000-4000-8000-000000000001", 331_488_256, true, "a"),
      ("🚩", "🦉", 808_550_259, true, "a"),
      ("🚩", "ünï", 2_660_515_328, false, "a"),
    ] as [(String, String, UInt32, Bool, String)])
  func answersNeverChange(
    key: String, unit: String, hash: UInt32, isOn: Bool, variant: String
  ) throws {
    #expect(MurmurHash3.hash("\(key):\(unit)") == hash)
    #expect(
      try flag(#"{"enabled": true, "rollout": 0.3}"#, key: key).evaluate(key, unit).isOn == isOn)
    let split = try flag(
      #"""
      {"enabled": true, "variants": {"a": 1, "b": 2, "c": 3}, "split": {"a": 2, "b": 1, "c": 1}}
      """#, key: key)
    #expect(split.evaluate(key, unit).variant == variant)
  }

  /// 8.
  @Test func whoeverHasNoUnitIsOut() throws {
    let set = try flag(#"{"enabled": true, "rollout": 0.999999}"#)
    let evaluation = set.evaluate("f", "")
    #expect(!evaluation.isOn && evaluation.value == false)
    #expect(evaluation.reason == .error && evaluation.failure == .targetingKeyMissing)
    let other = try flag(#"{"enabled": true, "rollout": 0.999999, "by": ["device"]}"#)
    #expect(other.evaluate("f", "ada").failure == .targetingKeyMissing)
    #expect(other.evaluate("f", "ada", ["device": ""]).failure == .targetingKeyMissing)
    #expect(other.evaluate("f", "", ["device": "phone"]).isOn)
  }

  /// 9.
  @Test func sharesAreNotWhatDoublesMakeOfThem() throws {
    #expect(Share(0.1 + 0.2) == Share(0.3))
    #expect(Share(0.300_001) != Share(0.3))
    for wrong in [-0.1, 1.000_001, .nan, .infinity, 0.000_000_1] { #expect(Share(wrong) == nil) }
  }

  /// 10.
  @Test func changedWeightsMoveNoMoreThanTheyMust() throws {
    func variants(_ first: Int, _ second: Int) throws -> [String?] {
      let set = try flag(
        #"""
        {"enabled": true, "variants": {"a": 1, "b": 2},
         "split": {"a": \#(first), "b": \#(second)}}
        """#)
      return people.map { set.evaluate("f", $0).variant }
    }
    let (before, after) = (try variants(50, 50), try variants(60, 40))
    let moved = zip(before, after).filter { $0 != $1 }
    #expect(moved.allSatisfy { $0 == "b" && $1 == "a" })
    #expect(abs(Double(moved.count) / Double(people.count) - 0.1) < 0.005)
  }

  /// 11.
  @Test func aSplitInASmallShareReachesAllVariants() throws {
    let set = try flag(
      #"""
      {"enabled": true, "variants": {"a": 1, "b": 2, "c": 3},
       "rules": [{"share": 0.1, "split": {"a": 1, "b": 1, "c": 1}}]}
      """#)
    var counts: [String: Int] = [:]
    for person in people {
      let evaluation = set.evaluate("f", person)
      if evaluation.isOn { counts[evaluation.variant ?? "", default: 0] += 1 }
    }
    #expect(counts.count == 3)
    #expect(counts.values.allSatisfy { (3000...3700).contains($0) }, "\(counts)")
  }

  /// 13.
  @Test func aValueOfAnotherKindIsNone() throws {
    let set = try flag(
      #"{"enabled": true, "variants": {"mini": "gpt-4o-mini"}, "variant": "mini"}"#)
    let evaluation = set.evaluate("f", "ada")
    #expect(evaluation.expecting(.string) == evaluation && evaluation.value == "gpt-4o-mini")
    for kind in [ValueKind.boolean, .integer, .double, .object] {
      let other = evaluation.expecting(kind)
      #expect(other.value == nil && other.variant == nil && other.failure == .typeMismatch)
    }
  }

  /// 14.
  @Test func flagsThatRequireOneAnotherAreRefused() throws {
    func chain(_ links: [(String, String)]) throws {
      let members = links.map {
        #""\#($0)": {"enabled": true, "requires": [{"flag": "\#($1)"}]}"#
      }
      _ = try flags(#"{"flags": {\#(members.joined(separator: ","))}}"#)
    }
    #expect(throws: FlagProblem.self) { try chain([("a", "a")]) }
    #expect(throws: FlagProblem.self) { try chain([("a", "b"), ("b", "c"), ("c", "a")]) }
    #expect(throws: FlagProblem.self) { try chain([("a", "nothing")]) }
    #expect(throws: FlagProblem.self) {
      try chain((0..<9).map { ("f\($0)", "f\($0 + 1)") } + [("f9", "f9")])
    }
  }
}
