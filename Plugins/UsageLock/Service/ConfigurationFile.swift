import KithJSON
import KithRPC
import KithTime
import LockContract
import UsageLockDomain

/// A profile as a JSON file: `configuration.schema.json` of the plugin describes it.
enum ConfigurationFile {
  private static let format = "kith-usage-lock"
  private static let version: Int64 = 1
  private static let mostBytes = 256 * 1024

  // MARK: Writing

  /// The file of a profile.
  static func text(of profile: LockProfile) -> String {
    let apps = profile.apps.map { app -> JSONValue in
      var object: JSONObject = ["app_id": .string(app.id)]
      if !app.name.isEmpty { object["name"] = .string(app.name) }
      if let mode = app.mode { object["mode"] = .string(mode.rawValue) }
      return .object(object)
    }
    let file: JSONValue = [
      "format": .string(format), "version": .integer(version),
      "profile": [
        "mode": .string(profile.mode.rawValue),
        "daily_budget_ms": .integer(profile.dailyBudget.milliseconds),
        "window_ms": .integer(profile.window.milliseconds),
        "is_anchored": .bool(profile.isAnchored),
        "zone": .string(profile.zone),
        "day_start": .string(String("\(profile.startOfDay)".prefix(5))),
        "apps": .array(apps),
        "sentence": .string(profile.sentence),
        "strictness": .string(profile.strictness.rawValue),
        "extras_per_day": .integer(Int64(profile.extrasPerDay)),
        "extra_ms": .integer(profile.extra.milliseconds),
        "typed_penalty_ms": .integer(profile.typedPenalty.milliseconds),
        "pass_ms": .integer(profile.pass.milliseconds),
        "is_without_pass": .bool(profile.isWithoutPass),
        "enforcement": .string(profile.enforcement.rawValue),
      ],
    ]
    return file.text(pretty: true) + "\n"
  }

  // MARK: Reading

  /// The profile of a file, as a message to be checked as any other.
  /// - Throws: INVALID_ARGUMENT that names the place.
  static func profile(_ bytes: [UInt8]) throws(RPCError) -> Profile {
    let root = "configuration"
    let json: JSONValue
    do throws(JSONError) {
      json = try JSONValue(parsing: bytes, limits: JSONLimits(maximumBytes: mostBytes))
    } catch {
      throw .invalidArgument(field: root, "expected a JSON file of at most 256 KiB: \(error)")
    }
    var file = try Members(json, root)
    guard try file.text("format") == format else {
      throw .invalidArgument(field: "\(root).format", "expected '\(format)'")
    }
    let version = try file.number("version")
    guard version == Self.version else {
      throw .invalidArgument(
        field: "\(root).version",
        version ?? 0 > Self.version
          ? "the file is of a later version than \(Self.version), the last that this worker reads"
          : "expected \(Self.version)")
    }
    let value = file.take("profile")
    try file.end()
    guard let value else {
      throw .invalidArgument(field: "\(root).profile", "expected a profile")
    }
    var members = try Members(value, "\(root).profile")
    var profile = Profile()
    profile.mode = try members.word("mode", LockMode.self)?.message ?? .unspecified
    profile.dailyBudgetMs = try members.number("daily_budget_ms") ?? 0
    profile.windowMs = try members.number("window_ms") ?? 0
    profile.isAnchored = try members.flag("is_anchored")
    profile.zone = try members.text("zone") ?? ""
    profile.dayStart = try members.text("day_start") ?? ""
    profile.sentence = try members.text("sentence") ?? ""
    profile.strictness =
      try members.word("strictness", UsageLockDomain.Strictness.self)?.message ?? .unspecified
    profile.extrasPerDay = UInt32(clamping: try members.number("extras_per_day") ?? 0)
    profile.extraMs = try members.number("extra_ms") ?? 0
    profile.typedPenaltyMs = try members.number("typed_penalty_ms") ?? 0
    profile.passMs = try members.number("pass_ms") ?? 0
    profile.isWithoutPass = try members.flag("is_without_pass")
    profile.enforcement =
      try members.word("enforcement", UsageLockDomain.Enforcement.self)?.message ?? .unspecified
    profile.apps = try apps(&members)
    try members.end()
    return profile
  }

  private static func apps(_ profile: inout Members) throws(RPCError) -> [GuardedApp] {
    guard let list = profile.take("apps") else { return [] }
    guard let values = list.arrayValue else { throw profile.wrong("apps", "expected a list") }
    var apps: [GuardedApp] = []
    for (index, value) in values.enumerated() {
      var members = try Members(value, "\(profile.path).apps[\(index)]")
      apps.append(
        GuardedApp(
          appId: try members.text("app_id") ?? "", name: try members.text("name") ?? "",
          mode: try members.word("mode", LockMode.self)?.message ?? .unspecified))
      try members.end()
    }
    return apps
  }

  /// The members of an object that have not been read yet.
  private struct Members {
    let path: String
    private var object: JSONObject

    init(_ value: JSONValue, _ path: String) throws(RPCError) {
      guard let object = value.objectValue else {
        throw .invalidArgument(field: path, "expected an object")
      }
      self.path = path
      self.object = object
    }

    func wrong(_ name: String, _ words: String) -> RPCError {
      .invalidArgument(field: "\(path).\(name)", words)
    }

    mutating func take(_ name: String) -> JSONValue? {
      defer { object[name] = nil }
      return object[name]
    }

    mutating func text(_ name: String) throws(RPCError) -> String? {
      guard let value = take(name) else { return nil }
      guard let text = value.stringValue else { throw wrong(name, "expected a text") }
      return text
    }

    mutating func number(_ name: String) throws(RPCError) -> Int64? {
      guard let value = take(name) else { return nil }
      guard let number = value.integerValue else { throw wrong(name, "expected a whole number") }
      return number
    }

    mutating func flag(_ name: String) throws(RPCError) -> Bool {
      guard let value = take(name) else { return false }
      guard let flag = value.boolValue else { throw wrong(name, "expected true or false") }
      return flag
    }

    mutating func word<Word: RawRepresentable & CaseIterable>(
      _ name: String, _: Word.Type
    ) throws(RPCError) -> Word? where Word.RawValue == String {
      guard let text = try text(name) else { return nil }
      guard let word = Word(rawValue: text) else {
        throw wrong(
          name, "expected one of \(Word.allCases.map(\.rawValue).joined(separator: ", "))")
      }
      return word
    }

    func end() throws(RPCError) {
      if let name = object.names.first {
        throw wrong(String(name.prefix(80)), "there is no such member in version 1")
      }
    }
  }
}
