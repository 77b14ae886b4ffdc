package import KithJSON

/// The configuration that a plugin understands: its keys in the order of the manifest.
public struct ConfigurationSchema: Sendable, Equatable {
  /// The keys.
  public let keys: [ConfigurationKey]

  /// A schema without keys.
  public init() {
    keys = []
  }

  init?(_ value: ManifestValue, findings: Findings) {
    guard case .mapping(let entries) = value.content else {
      findings.add(
        ManifestError(
          .wrongType, "'config' is \(value.kindDescription)", at: value.location,
          expected: "a mapping of keys to { type: ..., default: ..., doc: ... }"))
      return nil
    }
    keys = entries.compactMap { ConfigurationKey($0, findings: findings) }
  }

  /// The key of that name.
  public subscript(name: String) -> ConfigurationKey? {
    keys.first { $0.name == name }
  }

  /// The names of the keys whose values stay out of errors, plans and logs.
  public var sensitiveNames: [String] { keys.filter(\.isSensitive).map(\.name) }

  /// The whole configuration of a worker: a member for each key, the product's value or else the
  /// default, as the worker gets it. What the product says about keys that do not exist, wrongly,
  /// or not at all is noted.
  package func configuration(
    _ assignments: [ManifestValue.Entry], plugin: String, at location: SourceLocation,
    findings: Findings
  ) -> JSONObject {
    for assignment in assignments where self[assignment.key] == nil {
      findings.add(
        ManifestError(
          .unknownKey, "\(plugin) has no configuration key '\(assignment.key)'",
          at: assignment.location,
          expected: keys.isEmpty
            ? "no configuration" : "one of \(keys.map(\.name).joined(separator: ", "))",
          suggestion: nearestName(to: assignment.key, among: keys.map(\.name))))
    }
    var configuration = JSONObject()
    for key in keys {
      if let assignment = assignments.first(where: { $0.key == key.name }) {
        configuration[key.name] = ConfigurationReader(key, findings: findings)
          .read(assignment.value, range: key.range)
      } else if let value = key.defaultValue {
        configuration[key.name] = value
      } else {
        findings.add(
          ManifestError(
            .missingKey, "\(plugin) needs the configuration key '\(key.name)'", at: location,
            expected: "a \(key.type)" + (key.doc.isEmpty ? "" : ": \(key.doc)")))
      }
    }
    return configuration
  }
}
