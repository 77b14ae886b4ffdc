import ManifestSamples
import Testing

@testable import KithManifest

/// The rules of manifests at their bounds, each by its name.
@Suite struct BoundaryTests {
  @Test(arguments: [
    ("exezzzable", "executable"), ("exezzzzble", nil), ("ab", "abc"), ("xb", nil),
  ])
  func atMostAThirdOfANameMayDiffer(_ wrong: String, _ right: String?) {
    #expect(nearestName(to: wrong, among: ["executable", "abc"]) == right)
  }

  @Test func aBackoffMayHaveOneWait() {
    func found(_ backoff: String) -> [ManifestError] {
      errors {
        _ = try PluginManifest(
          parsing:
            "plugin: a\nversion: 0.1.0\nexecutable: a\nrestart: { backoff: \(backoff) }\n",
          file: "plugin.yaml")
      }
    }
    #expect(found("{ shortest: 2s, longest: 2s }").isEmpty)
    #expect(found("{ shortest: 2001ms, longest: 2s }").map(\.code) == [.outOfRange])
  }

  @Test func aFileIsNestedAsDeepAsTheLimitAndNoDeeper() throws {
    func read(_ depth: Int) throws {
      let text = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
      _ = try YAMLReader.read(text, file: "deep.yaml")
    }
    try read(ManifestLimits.depth)
    #expect(errors { try read(ManifestLimits.depth + 1) }.map(\.code) == [.tooLarge])
  }

  @Test(arguments: [("0", true), ("10", true), ("010", false), ("00", false), ("-0", true)])
  func aWholeNumberDoesNotBeginWithZero(_ text: String, _ isRight: Bool) {
    let found = errors {
      _ = try PluginManifest(
        parsing:
          "plugin: a\nversion: 0.1.0\nexecutable: a\nconfig: { key: { type: int, default: \(text) } }\n",
        file: "plugin.yaml")
    }
    #expect(found.isEmpty == isRight, "\(found)")
  }
}
