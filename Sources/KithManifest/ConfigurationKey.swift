public import KithJSON

/// One key of a plugin's configuration.
///
/// In `plugin.yaml`:
/// ```yaml
/// label_high: { type: double, range: 0..1, default: 0.70, doc: "Scores from here on are labelled high." }
/// mode:       { type: enum, values: [strict, lenient], default: strict, doc: "How much is let through." }
/// ```
public struct ConfigurationKey: Sendable, Equatable {
  /// The name: small letters, digits and underscores.
  public let name: String
  /// What it holds.
  public let type: ConfigurationType
  /// Which values are allowed. All of the type unless told; only for `int`, `double`, `duration` and `bytes`.
  public let range: ConfigurationRange?
  /// The value where a product gives none. Absent means that a product must give one.
  public let defaultValue: JSONValue?
  /// What it does, for a person.
  public let doc: String
  /// Whether its value is kept out of errors, plans and logs. No unless told.
  public let isSensitive: Bool
  /// Where it is declared.
  public let location: SourceLocation

  init?(_ entry: ManifestValue.Entry, findings: Findings) {
    guard
      var fields = FieldDecoder(
        entry.value, "a mapping: { type: double, default: 0.5, doc: \"...\" }", findings: findings)
    else { return nil }
    let typeEntry = fields.require(
      "type", "one of \(ConfigurationType.names.joined(separator: ", "))")
    let valuesEntry = fields.take("values")
    let rangeEntry = fields.take("range")
    let defaultEntry = fields.take("default")
    let doc = fields.value("doc", default: "") { $0.string($1) }
    let isSensitive = fields.value("sensitive", default: false) { $0.bool($1) }
    fields.finish()

    guard let typeEntry,
      let type = Self.readType(typeEntry.value, values: valuesEntry, findings: findings)
    else { return nil }
    let reader = ConfigurationReader(
      name: entry.key, type: type, isSensitive: isSensitive, findings: findings)
    let range = rangeEntry.flatMap { reader.range($0.value) }
    self.name = entry.key
    self.type = type
    self.range = range
    self.defaultValue = defaultEntry.flatMap { reader.read($0.value, range: range) }
    self.doc = doc
    self.isSensitive = isSensitive
    self.location = entry.location
    if !Names.isSnake(name) {
      findings.add(
        ManifestError(
          .outOfRange, "the configuration key '\(name.prefix(80))' is no name", at: location,
          expected: "small letters, digits and underscores, a letter first: label_high"))
    }
  }

  private static func readType(
    _ value: ManifestValue, values: ManifestValue.Entry?, findings: Findings
  ) -> ConfigurationType? {
    let scalars = Scalars(name: "'type'", findings: findings)
    guard let name = scalars.string(value) else { return nil }
    if let values, name != "enum" {
      findings.add(
        ManifestError(
          .unknownKey, "'values' is only for the type enum", at: values.location,
          expected: "'type: enum', or no 'values'"))
    }
    switch name {
    case "string": return .string
    case "strings": return .strings
    case "int": return .int
    case "double": return .double
    case "bool": return .bool
    case "duration": return .duration
    case "bytes": return .bytes
    case "enum": return readWords(values, type: value, findings: findings)
    default:
      findings.add(
        ManifestError(
          .outOfRange, "'type' is '\(name.prefix(80))'", at: value.location,
          expected: "one of \(ConfigurationType.names.joined(separator: ", "))",
          suggestion: nearestName(to: name, among: ConfigurationType.names)))
      return nil
    }
  }

  private static func readWords(
    _ values: ManifestValue.Entry?, type: ManifestValue, findings: Findings
  ) -> ConfigurationType? {
    let expected = "a list of different words: values: [strict, lenient]"
    guard let values else {
      findings.add(
        ManifestError(
          .missingKey, "the type enum needs its 'values'", at: type.location, expected: expected))
      return nil
    }
    let scalars = Scalars(name: "'values'", findings: findings)
    guard let words = scalars.list(values.value, expected, { scalars.string($0) }) else {
      return nil
    }
    guard !words.isEmpty, Set(words).count == words.count else {
      return scalars.wrongType(values.value, expected)
    }
    return .enumeration(words)
  }
}
