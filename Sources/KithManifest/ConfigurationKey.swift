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
  /// Which values are allowed. All of the type unless told; only for `int`, `double`, `duration`
  /// and `bytes`.
  public let range: ConfigurationRange?
  /// The value where a product gives none. Absent means that a product must give one.
  public let defaultValue: JSONValue?
  /// What it does, for a person.
  public let doc: String
  /// Whether its value is kept out of errors, plans and logs. No unless told.
  public let isSensitive: Bool
  /// Where it is declared.
  public let location: SourceLocation

  private enum Keys {
    static let type = Key<ManifestValue>(
      required: "type", type: ConfigurationType.names.joined(separator: ", "),
      missing: "one of \(ConfigurationType.names.joined(separator: ", "))",
      doc: "The type of the value."
    ) { $1 }
    static let values = Key.nested(
      "values", type: "list of words", shown: "required for enum", doc: "The allowed words.")
    static let range = Key.nested(
      "range", type: "0..1, 1s.., ..64KiB", shown: "all",
      doc: "The allowed values of int, double, duration, bytes.")
    static let standard = Key.nested(
      "default", type: "a value", shown: "none: the product must give one",
      doc: "The value where a product gives none.")
    static let doc = Key<String>(
      "doc", type: "text", standard: "", shown: "empty", doc: "What the value does, for people."
    ) { $0.string($1) }
    static let isSensitive = Key.flag(
      "sensitive", doc: "Keeps the value out of errors, plans and logs.")
  }

  static let section = ManifestSection(
    "config", "One key of a plugin's configuration, by its name.",
    form: "a mapping: { type: double, default: 0.5, doc: \"...\" }",
    keys: [
      Keys.type.manifest, Keys.values.manifest, Keys.range.manifest, Keys.standard.manifest,
      Keys.doc.manifest, Keys.isSensitive.manifest,
    ])

  init?(_ entry: ManifestValue.Entry, findings: Findings) {
    guard let fields = FieldDecoder(entry.value, Self.section, findings: findings) else {
      return nil
    }
    let typeValue = fields.read(Keys.type)
    let valuesEntry = fields.entry(Keys.values)
    let rangeEntry = fields.entry(Keys.range)
    let defaultEntry = fields.entry(Keys.standard)
    let doc = fields.read(Keys.doc) ?? ""
    let isSensitive = fields.read(Keys.isSensitive) ?? false

    guard let typeValue,
      let type = Self.readType(typeValue, values: valuesEntry, findings: findings)
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
