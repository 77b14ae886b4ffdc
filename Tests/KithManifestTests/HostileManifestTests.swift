import KithManifest
import ManifestSamples
import Testing

@Suite struct HostileManifestTests {
  private func codes(_ text: String) -> [ManifestError.Code] {
    errors { _ = try PluginManifest(parsing: text, file: "plugin.yaml") }.map(\.code)
  }

  @Test func refusesALargeFile() {
    #expect(codes("a: " + String(repeating: "x", count: 1 << 20)) == [.tooLarge])
  }

  @Test(arguments: [40, 900, 5_000, 100_000])
  func refusesADeepFile(depth: Int) {
    let closed = codes(
      "a: " + String(repeating: "[", count: depth) + String(repeating: "]", count: depth))
    #expect(closed == [.tooLarge])
    // The bound is met before the end that is missing.
    #expect(codes("a: " + String(repeating: "[", count: depth)) == [.tooLarge])
    #expect(codes("a: " + String(repeating: "{a: ", count: depth)) == [.tooLarge])
  }

  @Test func saysInItsOwnWordsThatAFileIsTooDeep() {
    let found = errors {
      let text = "a: " + String(repeating: "[", count: 20_000)
      _ = try PluginManifest(parsing: text, file: "plugin.yaml")
    }
    #expect(
      found.first?.message == "lists and mappings are nested too deep", "\(found)")
  }

  @Test(
    arguments: [
      ("plugin: one\nprovides: [a.B,\nexecutable: x\n\n", 2, 11),
      ("plugin: one\nprovides: [a.B,\nexecutable: x", 2, 11),
      ("plugin: one\nrestart: { type: permanent", 2, 10),
      ("plugin: one\nversion: \"1.0.0\nexecutable: x\n", 2, 10),
    ])
  func whatIsNeverEndedIsShownWhereItBegins(_ text: String, _ line: Int, _ column: Int) {
    let found = errors { _ = try PluginManifest(parsing: text, file: "plugin.yaml") }
    #expect(found.first?.code == .syntax)
    #expect(
      found.first?.location == SourceLocation(file: "plugin.yaml", line: line, column: column),
      "\(found)")
  }

  @Test func whatIsMissedLaterNamesTheLineWhereItBegins() {
    let found = errors {
      let text = "plugin: one\nprovides: [a.B,\nrequires: []\nexecutable: x\n"
      _ = try PluginManifest(parsing: text, file: "plugin.yaml")
    }
    #expect(found.first?.location?.line == 4)
    #expect(found.first?.message.contains("that begins in line 2") == true, "\(found)")
  }

  @Test func refusesABombOfAliases() {
    var text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n"
    for level in 1...20 {
      let aliases = Array(repeating: "*a\(level - 1)", count: 9).joined(separator: ", ")
      text += "a\(level): &a\(level) [\(aliases)]\n"
    }
    #expect(codes(text) == [.tooLarge])
  }

  @Test func refusesABombInAKey() {
    var text = "a0: &a0 [x]\n"
    for level in 1...40 { text += "a\(level): &a\(level) [*a\(level - 1), *a\(level - 1)]\n" }
    text += "? *a40\n: x\n"
    #expect(codes(text) == [.tooLarge])
  }

  @Test func refusesMoreValuesThanTheLimit() {
    let anchored = "a: &a [" + Array(repeating: "x", count: 1_000).joined(separator: ",") + "]\n"
    let aliases = "b: [" + Array(repeating: "*a", count: 150).joined(separator: ",") + "]\n"
    #expect(codes(anchored + aliases) == [.tooLarge])
  }

  @Test func emphasisInTextIsNoAlias() throws {
    let doc = Array(repeating: "*very*", count: 200).joined(separator: " ")
    let text = Samples.plugin.replacing("Scores from", with: "\(doc) scores from")
    #expect(codes(text).isEmpty)
  }

  /// Cuts and flips bytes of a right manifest: the answer is a manifest or errors with a place,
  /// never a trap.
  @Test func survivesMutations() {
    var state: UInt64 = 42
    func random(_ limit: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % limit
    }
    let marks = Array("&*![]{}:-?#|>%@`\"'\n\t ".utf8)
    for _ in 0..<2_000 {
      var bytes = Array(Samples.plugin.utf8)
      for _ in 0...random(4) where !bytes.isEmpty {
        let position = random(bytes.count)
        switch random(4) {
        case 0: bytes[position] = UInt8(random(128))
        case 1: bytes.removeSubrange(position..<min(bytes.count, position + random(20)))
        case 2: bytes.insert(marks[random(marks.count)], at: position)
        default: bytes.removeSubrange(position...)
        }
      }
      let text = String(decoding: bytes, as: UTF8.self)
      let found = errors { _ = try PluginManifest(parsing: text, file: "plugin.yaml") }
      #expect(found.allSatisfy { $0.location?.file == "plugin.yaml" })
    }
  }
}
