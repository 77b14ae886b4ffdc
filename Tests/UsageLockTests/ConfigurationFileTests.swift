import Foundation
import KithJSON
import KithRPC
import LockContract
import Testing

@testable import UsageLockService

/// A profile as a file, there and back.
@Suite struct ConfigurationFileTests {
  private func exported(_ desk: Desk) async throws -> [UInt8] {
    try await desk.service.exportConfiguration(
      ExportConfigurationRequest(), context: desk.call()
    ).configuration
  }

  private func read(_ text: String, into desk: Desk) async throws -> SetProfileResponse {
    try await desk.service.importConfiguration(
      ImportConfigurationRequest(configuration: Array(text.utf8)), context: desk.call())
  }

  @Test func whatIsWrittenIsReadAgain() async throws {
    let (one, two) = (try Desk(), try Desk())
    try await one.set(.extreme) {
      $0.windowMs = 10 * 60_000
      $0.isAnchored = true
      $0.zone = "Asia/Kathmandu"
      $0.dayStart = "03:30"
      $0.apps = [
        GuardedApp(appId: "a", name: "Ä \"b\"", mode: .dailyBudget), GuardedApp(appId: "b"),
      ]
      $0.sentence = "I really want to waste another {minutes} minutes today"
      $0.strictness = .strict
      $0.extrasPerDay = 2
      $0.isWithoutPass = true
      $0.enforcement = .end
    }
    let file = try await exported(one)
    let answer = try await two.service.importConfiguration(
      ImportConfigurationRequest(configuration: file), context: two.call())
    let profile = try await one.service.getProfile(GetProfileRequest(), context: one.call())
    #expect(answer.profile == profile.profile && answer.pending == nil)
    #expect(try await exported(two) == file)
  }

  /// The schema names the members that are written, and the words that they may hold.
  @Test func theSchemaDescribesTheFile() async throws {
    let desk = try Desk()
    try await desk.set(.extreme) {
      $0.apps = [GuardedApp(appId: "feed", name: "Feed", mode: .dailyBudget)]
    }
    let file = try JSONValue(parsing: try await exported(desk))
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .appending(path: "../../Plugins/UsageLock/configuration.schema.json").standardized
    let schema = try JSONValue(parsing: try String(contentsOf: path, encoding: .utf8))
    try check(file, schema, "configuration")
  }

  /// What of JSON Schema the file's schema uses: type, properties, required, const, enum, items,
  /// bounds.
  private func check(_ value: JSONValue, _ schema: JSONValue, _ path: String) throws {
    if let const = schema["const"] { #expect(value == const, "\(path)") }
    if let words = schema["enum"]?.arrayValue { #expect(words.contains(value), "\(path)") }
    switch schema["type"]?.stringValue {
    case "object":
      let object = try #require(value.objectValue, "\(path)")
      let properties = try #require(schema["properties"]?.objectValue, "\(path)")
      #expect(schema["additionalProperties"] == false, "\(path)")
      for name in schema["required"]?.arrayValue ?? [] {
        #expect(object[name.stringValue ?? ""] != nil, "\(path).\(name)")
      }
      for member in object.members {
        let part = try #require(properties[member.name], "\(path).\(member.name)")
        try check(member.value, part, "\(path).\(member.name)")
      }
      // Nothing that is never written.
      #expect(Set(properties.names) == Set(object.names), "\(path)")
    case "array":
      for (index, item) in try #require(value.arrayValue, "\(path)").prefix(1).enumerated() {
        try check(item, try #require(schema["items"]), "\(path)[\(index)]")
      }
    case "string": #expect(value.stringValue != nil, "\(path)")
    case "boolean": #expect(value.boolValue != nil, "\(path)")
    case "integer":
      let number = try #require(value.integerValue, "\(path)")
      #expect(number >= schema["minimum"]?.integerValue ?? .min, "\(path)")
      #expect(number <= schema["maximum"]?.integerValue ?? .max, "\(path)")
    default: #expect(schema["const"] != nil, "\(path)")
    }
  }

  @Test(arguments: [
    ("", "configuration"), ("[]", "configuration"), ("{", "configuration"),
    ("{}", "configuration.format"),
    (#"{"format": "kith-usage-lock", "version": 2}"#, "configuration.version"),
    (#"{"format": "kith-usage-lock", "version": "1"}"#, "configuration.version"),
    (#"{"format": "kith-usage-lock", "version": 1}"#, "configuration.profile"),
    (#"{"format": "kith-usage-lock", "version": 1, "more": 1}"#, "configuration.more"),
    (
      #"{"format": "kith-usage-lock", "version": 1, "profile": {"mode": "open"}}"#,
      "configuration.profile.mode"
    ),
    (
      #"{"format": "kith-usage-lock", "version": 1, "profile": {"mode": "extreme", "window_ms": -1}}"#,
      "configuration.profile.window_ms"
    ),
    (
      #"{"format": "kith-usage-lock", "version": 1, "profile": {"mode": "extreme", "fast": true}}"#,
      "configuration.profile.fast"
    ),
    (
      #"{"format": "kith-usage-lock", "version": 1, "profile": {"mode": "extreme", "apps": [{"app_id": ""}]}}"#,
      "configuration.profile.apps[0].app_id"
    ),
    (
      #"{"format": "kith-usage-lock", "version": 1, "profile": {"mode": "extreme", "apps": [{"app_id": "a", "x": 1}]}}"#,
      "configuration.profile.apps[0].x"
    ),
  ])
  func whatIsNoFileIsRefusedByName(_ text: String, _ field: String) async throws {
    let desk = try Desk()
    let error = await refusal { try await read(text, into: desk) }
    #expect(error?.code == .invalidArgument)
    #expect(error?.fieldViolations.map(\.field) == [field], "\(String(describing: error))")
    #expect(await refusal { try await desk.status() }?.code == .notFound)
  }

  @Test func aFileOfAMegabyteIsRefused() async throws {
    let desk = try Desk()
    let error = await refusal {
      try await read(String(repeating: " ", count: 1 << 20) + "{}", into: desk)
    }
    #expect(error?.fieldViolations.map(\.field) == ["configuration"])
  }

  // MARK: What is shown

  @Test func aLiveActivityIsNeverLongerThanFourKibibytes() async throws {
    let desk = try Desk()
    try await desk.set(.extreme) {
      $0.apps = (0..<200).map {
        GuardedApp(appId: "\($0)" + String(repeating: "x", count: 190))
      }
    }
    func live() async throws -> LiveActivity {
      try await desk.service.getLiveActivity(GetLiveActivityRequest(), context: desk.call())
    }
    let state = try await live().state
    #expect(state.utf8.count <= 4_096)
    #expect(try JSONValue(parsing: state)["phase"] == "locked")
    let challenge = try await desk.begin()
    _ = try await desk.say(
      "I am stupid enough to waste more time please give me another 15 minutes", to: challenge.id)
    let open = try await live()
    let json = try JSONValue(parsing: open.state)
    #expect(json["phase"] == "open" && json["endsMs"]?.integerValue == open.staleMs)
  }

  @Test func trustedTimeSaysWhatItBelievesAndWhy() async throws {
    let desk = try Desk()
    try await desk.set(.dailyBudget)
    func time() async throws -> TrustedTime {
      try await desk.service.getTrustedTime(GetTrustedTimeRequest(), context: desk.call())
    }
    let first = try await time()
    #expect(first.isTrusted && first.wallAheadMs == 0 && first.boot == "one")
    desk.setWall(by: 7_200)
    desk.tick(10)
    let set = try await time()
    #expect(set.isTrusted && set.wallAheadMs == 7_200_000)
    #expect(set.reason.contains("was set, and does not count"))
    desk.reboot(down: 60, wallOff: 3_600)
    let anew = try await time()
    #expect(!anew.isTrusted && anew.unprovenMs > 0 && anew.reason.contains("started anew"))
  }
}
