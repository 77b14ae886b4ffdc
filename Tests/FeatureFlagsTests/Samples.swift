import FeatureFlagsDomain
import KithJSON
import KithTime
import Testing

/// A moment of the tests.
let noon = Instant(milliseconds: 1_795_000_000_000)

/// Flags of a file in Kith's own form.
func flags(_ text: String) throws -> FlagSet {
  let file = try FlagFile(JSONValue(parsing: text), form: .kith)
  return try flags(file)
}

/// The flags of a file that was read.
func flags(_ file: FlagFile) throws -> FlagSet {
  var segments: [String: Segment] = [:]
  for member in file.segments { segments[member.name] = try FlagReader.segment(member.value) }
  return try FlagSet(
    file.flags.map { try FlagReader.flag($0.name, $0.value) }, segments: segments)
}

/// A set of one flag.
func flag(_ definition: String, key: String = "f") throws -> FlagSet {
  try FlagSet([FlagReader.flag(key, JSONValue(parsing: definition))], segments: [:])
}

extension FlagSet {
  func evaluate(
    _ key: String = "f", _ unit: String = "", _ attributes: [String: String] = [:],
    at now: Instant = noon
  ) -> Evaluation {
    evaluate(key, for: FlagContext(targetingKey: unit, attributes: attributes, now: now))
  }
}
