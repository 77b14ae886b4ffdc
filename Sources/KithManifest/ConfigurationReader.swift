import KithJSON

/// Reads the values of one configuration key. A sensitive value is never quoted.
struct ConfigurationReader {
  let name: String
  let type: ConfigurationType
  let isSensitive: Bool
  let findings: Findings

  init(name: String, type: ConfigurationType, isSensitive: Bool, findings: Findings) {
    self.name = name
    self.type = type
    self.isSensitive = isSensitive
    self.findings = findings
  }

  init(_ key: ConfigurationKey, findings: Findings) {
    self.init(name: key.name, type: key.type, isSensitive: key.isSensitive, findings: findings)
  }

  private var scalars: Scalars { Scalars(name: "'\(name)'", findings: findings) }

  /// The value as the worker will get it; `nil`, with an error noted, when it is not of the type or
  /// not in the range.
  func read(_ value: ManifestValue, range: ConfigurationRange?) -> JSONValue? {
    switch type {
    case .string:
      return scalars.string(value).map { .string($0) }
    case .strings:
      return readStrings(value)
    case .bool:
      return scalars.bool(value).map { .bool($0) }
    case .enumeration(let words):
      return readWord(value, words)
    case .int:
      guard let number = scalars.wholeNumber(value), check(.whole(number), range, at: value) else {
        return nil
      }
      guard let result = Int64(exactly: number) else {
        return scalars.outOfRange(value, "a number that 64 bits hold")
      }
      return .integer(result)
    case .double:
      guard let number = scalars.double(value), check(.real(number), range, at: value) else {
        return nil
      }
      return .number(number)
    case .duration:
      guard let time = scalars.nanoseconds(value), check(.whole(time), range, at: value) else {
        return nil
      }
      return .string(Quantity.canonicalDuration(nanoseconds: time))
    case .bytes:
      guard let bytes = scalars.bytes(value), check(.whole(bytes), range, at: value) else {
        return nil
      }
      return .integer(Int64(clamping: bytes))
    }
  }

  /// A range whose bounds are of the key's type.
  func range(_ value: ManifestValue) -> ConfigurationRange? {
    let scalars = Scalars(name: "'range'", findings: findings)
    guard type.hasRange else {
      findings.add(
        ManifestError(
          .unknownKey, "the type \(type) has no range", at: value.location,
          expected: "'range' only with int, double, duration and bytes"))
      return nil
    }
    guard case .scalar(let text, _) = value.content,
      let range = ConfigurationRange(text, magnitude: magnitude)
    else {
      return scalars.wrongType(value, "two bounds of the type \(type): \(rangeExample)")
    }
    return range
  }

  private func readStrings(_ value: ManifestValue) -> JSONValue? {
    guard case .list(let values) = value.content else {
      return scalars.wrongType(value, "a list of texts: [one, two]")
    }
    let texts = values.compactMap { scalars.string($0) }
    return texts.count == values.count ? .array(texts.map { .string($0) }) : nil
  }

  private func readWord(_ value: ManifestValue, _ words: [String]) -> JSONValue? {
    let expected = "one of \(words.joined(separator: ", "))"
    guard case .scalar(let text, _) = value.content else {
      return scalars.wrongType(value, expected)
    }
    if words.contains(text) { return .string(text) }
    findings.add(
      ManifestError(
        .outOfRange, "'\(name)' is no such word", at: value.location, expected: expected,
        suggestion: isSensitive ? nil : nearestName(to: text, among: words)))
    return nil
  }

  private func check(
    _ magnitude: ConfigurationRange.Magnitude, _ range: ConfigurationRange?, at value: ManifestValue
  ) -> Bool {
    guard let range, !range.contains(magnitude) else { return true }
    let _: Never? = scalars.outOfRange(value, range.description)
    return false
  }

  private func magnitude(_ text: String) -> ConfigurationRange.Magnitude? {
    switch type {
    case .int: Int64(text).map { .whole(Int128($0)) }
    case .double: Double(text).flatMap { $0.isFinite ? .real($0) : nil }
    case .duration: Quantity.nanoseconds(text).map { .whole($0) }
    case .bytes: Quantity.bytes(text).map { .whole($0) }
    case .string, .strings, .bool, .enumeration: nil
    }
  }

  private var rangeExample: String {
    switch type {
    case .duration: "1s..10m"
    case .bytes: "64KiB..1GiB"
    case .double: "0..1"
    default: "1..100"
    }
  }
}
