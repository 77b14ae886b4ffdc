/// Collects what is wrong, so that all of it is told at once.
///
/// A class, since several decoders of one file add to the same list; it never leaves the function
/// that reads the file.
package final class Findings {
  /// What has been found so far.
  package private(set) var errors: [ManifestError] = []

  /// An empty list.
  package init() {}

  /// Adds an error.
  package func add(_ error: ManifestError) {
    errors.append(error)
  }

  /// Ends the reading of a file.
  package func throwIfAny() throws(ManifestErrors) {
    if let errors = ManifestErrors(errors) { throw errors }
  }
}

/// Reads the keys of one mapping by the table of its section, and refuses all others.
struct FieldDecoder {
  let location: SourceLocation
  let findings: Findings
  private let section: ManifestSection
  private let entries: [ManifestValue.Entry]

  /// A decoder of a mapping; `nil`, with an error, when the value is something else.
  init?(_ value: ManifestValue, _ section: ManifestSection, findings: Findings) {
    guard case .mapping(let entries) = value.content else {
      findings.add(
        ManifestError(
          .wrongType, "\(value.kindDescription) stands here", at: value.location,
          expected: section.form))
      return nil
    }
    self.section = section
    self.entries = entries
    self.location = value.location
    self.findings = findings
    refuseUnknownKeys()
  }

  private func refuseUnknownKeys() {
    let known = section.keys.map(\.name)
    for entry in entries where !known.contains(entry.key) {
      findings.add(
        ManifestError(
          .unknownKey, "unknown key '\(entry.key)'", at: entry.location,
          expected: "one of \(known.joined(separator: ", "))",
          suggestion: nearestName(to: entry.key, among: known)))
    }
  }

  /// The entry of a key as the file has it. Notes the absence of one that must be there.
  func entry<Value>(_ key: Key<Value>) -> ManifestValue.Entry? {
    let name = key.manifest.name
    assert(section.keys.contains { $0.name == name }, "\(name) is not a key of \(section.name)")
    if let entry = entries.first(where: { $0.key == name }) { return entry }
    if let missing = key.missing {
      findings.add(
        ManifestError(
          .missingKey, "the key '\(name)' is missing", at: location,
          expected: missing))
    }
    return nil
  }

  /// The value of a key; nil when it is absent or wrong, which is noted.
  func read<Value>(_ key: Key<Value>) -> Value? {
    entry(key).flatMap {
      key.read(Scalars(name: "'\(key.manifest.name)'", findings: findings), $0.value)
    }
  }

  /// The value of a key with its place; nil when it is absent or wrong, which is noted.
  func stated<Value: Equatable>(_ key: Key<Value>) -> Stated<Value>? {
    read(key).flatMap { value in
      entries.first { $0.key == key.manifest.name }
        .map { Stated(value: value, location: $0.value.location) }
    }
  }
}

/// Reads single values: what is not right is noted with its place, and `nil` comes back.
struct Scalars {
  /// What the value is called in an error: `'intensity'`.
  let name: String
  let findings: Findings

  /// A text, in quotes or not: `no` and `1.10` are what they look like.
  func string(_ value: ManifestValue) -> String? {
    guard case .scalar(let text, _) = value.content else {
      return wrongType(value, "a text")
    }
    return text
  }

  /// `true` or `false`.
  func bool(_ value: ManifestValue) -> Bool? {
    switch value.content {
    case .scalar("true", isPlain: true): return true
    case .scalar("false", isPlain: true): return false
    default: return wrongType(value, "true or false")
    }
  }

  /// A whole number in decimal.
  func integer(_ value: ManifestValue, _ range: ClosedRange<Int> = 0...Int.max) -> Int? {
    guard let number = wholeNumber(value) else { return nil }
    guard let result = Int(exactly: number), range.contains(result) else {
      return outOfRange(
        value,
        range.upperBound == .max
          ? "a whole number from \(range.lowerBound) on"
          : "\(range.lowerBound)..\(range.upperBound)")
    }
    return result
  }

  /// A whole number of whatever size.
  func wholeNumber(_ value: ManifestValue) -> Int128? {
    let expected = "a whole number in decimal, without quotes"
    guard case .scalar(let text, isPlain: true) = value.content else {
      return wrongType(value, expected)
    }
    let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
    guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
      return wrongType(value, expected)
    }
    guard digits.count == 1 || digits.first != "0" else {
      return wrongType(
        value, "a whole number that does not begin with 0, since some read that as octal")
    }
    guard digits.count <= 20, let number = Int128(text) else {
      return outOfRange(value, "a number of at most 20 digits")
    }
    return number
  }

  /// A number with or without a fraction.
  func double(_ value: ManifestValue) -> Double? {
    let expected = "a number, without quotes"
    guard case .scalar(let text, isPlain: true) = value.content,
      text.utf8.allSatisfy({ "0123456789+-.eE".utf8.contains($0) }), let number = Double(text)
    else {
      return wrongType(value, expected)
    }
    guard number.isFinite else { return outOfRange(value, "a number that a double can hold") }
    return number
  }

  /// An amount of time in nanoseconds.
  func nanoseconds(_ value: ManifestValue) -> Int128? {
    let expected = "a time with its unit: 500ms, 30s, 2m, 1h30m"
    guard case .scalar(let text, _) = value.content, let result = Quantity.nanoseconds(text) else {
      return wrongType(value, expected)
    }
    return result
  }

  /// An amount of time.
  func duration(_ value: ManifestValue, _ range: ClosedRange<Duration>? = nil) -> Duration? {
    guard let result = nanoseconds(value).map({ Duration(nanoseconds: $0) }) else { return nil }
    if let range, !range.contains(result) {
      return outOfRange(value, "a time from \(range.lowerBound) to \(range.upperBound)")
    }
    return result
  }

  /// An amount of memory.
  func bytes(_ value: ManifestValue) -> Int128? {
    guard case .scalar(let text, _) = value.content, let result = Quantity.bytes(text) else {
      return wrongType(value, "an amount of memory with its unit: 512B, 64KiB, 256MiB, 2GiB")
    }
    return result
  }

  /// One of several words.
  func word<Word: RawRepresentable & CaseIterable>(
    _ value: ManifestValue, _ type: Word.Type = Word.self
  ) -> Word? where Word.RawValue == String {
    let words = Word.allCases.map(\.rawValue)
    let expected = "one of \(words.joined(separator: ", "))"
    guard case .scalar(let text, _) = value.content else { return wrongType(value, expected) }
    if let word = Word(rawValue: text) { return word }
    findings.add(
      ManifestError(
        .outOfRange, "\(name) is '\(text)'", at: value.location, expected: expected,
        suggestion: nearestName(to: text, among: words)))
    return nil
  }

  /// A list; elements that are wrong are noted and left out.
  func list<Element>(
    _ value: ManifestValue, _ expected: String, _ read: (ManifestValue) -> Element?
  ) -> [Element]? {
    guard case .list(let values) = value.content else { return wrongType(value, expected) }
    return values.compactMap(read)
  }

  /// Notes a value of the wrong type.
  func wrongType<Value>(_ value: ManifestValue, _ expected: String) -> Value? {
    findings.add(
      ManifestError(
        .wrongType, "\(name) is \(value.kindDescription)", at: value.location, expected: expected))
    return nil
  }

  /// Notes a value that is not allowed.
  func outOfRange<Value>(_ value: ManifestValue, _ expected: String) -> Value? {
    findings.add(
      ManifestError(
        .outOfRange, "\(name) is outside its range", at: value.location, expected: expected))
    return nil
  }
}
