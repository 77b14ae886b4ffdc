import KithYAML

/// Turns the text of a manifest into values with places.
///
/// The document's aliases share what they name, so that only this walk unfolds them; it counts what
/// it visits and ends at ``ManifestLimits/values``.
struct YAMLReader {
  let file: String
  private var count = 0

  private init(file: String) {
    self.file = file
  }

  /// Reads the one document of a file.
  static func read(_ text: String, file: String) throws(ManifestErrors) -> ManifestValue {
    let text = withoutByteOrderMark(text)
    var reader = YAMLReader(file: file)
    do throws(ManifestError) {
      return try reader.readDocument(text)
    } catch {
      throw ManifestErrors(error)
    }
  }

  /// The text behind the byte order mark (U+FEFF) that some editors write first. It is no part of
  /// the first key, and takes no column.
  static func withoutByteOrderMark(_ text: String) -> String {
    guard text.unicodeScalars.first == "\u{feff}" else { return text }
    return String(String.UnicodeScalarView(text.unicodeScalars.dropFirst()))
  }

  private mutating func readDocument(_ text: String) throws(ManifestError) -> ManifestValue {
    let bytes = text.utf8.count
    guard bytes <= ManifestLimits.fileBytes else {
      throw ManifestError(
        .tooLarge, "the file has \(bytes) bytes", at: SourceLocation(file: file),
        expected: "at most \(ManifestLimits.fileBytes)")
    }
    let root: YAMLNode?
    do throws(YAMLError) {
      root = try YAMLDocument.read(text, depth: ManifestLimits.depth)
    } catch {
      throw translate(error, of: text)
    }
    guard let root else {
      throw ManifestError(
        .syntax, "the file is empty", at: SourceLocation(file: file, line: 1, column: 1),
        expected: "a mapping of keys to values")
    }
    return try convert(root, depth: 1)
  }

  // MARK: Errors

  private func translate(_ error: YAMLError, of text: String) -> ManifestError {
    switch error {
    case .unreadable(let problem, let offset):
      let before = text.utf8.prefix(offset)
      let line = before.count { $0 == UInt8(ascii: "\n") } + 1
      let column = before.reversed().prefix { $0 != UInt8(ascii: "\n") }.count + 1
      return ManifestError(
        .syntax, problem, at: SourceLocation(file: file, line: line, column: column),
        expected: "UTF-8 text without control characters")
    case .malformed(let problem, let mark, let begin, let beginMark):
      return malformed(problem, at: mark, begin: begin.map { ($0, beginMark ?? mark) }, of: text)
    case .tooDeep(let mark):
      return tooDeep(at: location(mark))
    case .unknownAnchor(let mark):
      return ManifestError(
        .syntax, "an alias that names no anchor", at: location(mark),
        expected: "the name of an anchor (&name) above it")
    case .secondDocument(let mark):
      return ManifestError(
        .syntax, "a second document begins here", at: location(mark),
        expected: "one document in a file")
    case .outOfMemory:
      return ManifestError(
        .syntax, "there is no memory left to read the file", at: SourceLocation(file: file))
    }
  }

  private func malformed(
    _ problem: String, at mark: YAMLMark, begin: (what: String, mark: YAMLMark)?, of text: String
  ) -> ManifestError {
    // What is begun and never ended is missed at the end of the file: its begin is what a person
    // looks for.
    if let begin, isBehindTheEnd(mark, of: text) {
      return ManifestError(
        .syntax, "\(begin.what): \(problem)", at: location(begin.mark),
        expected: "an end to what begins here")
    }
    let context = begin.map {
      $0.mark.line == mark.line ? $0.what : "\($0.what) that begins in line \($0.mark.line)"
    }
    return ManifestError(
      .syntax, [context, problem].compactMap(\.self).joined(separator: ": "), at: location(mark))
  }

  /// Whether nothing but blanks stands at this place and behind it.
  private func isBehindTheEnd(_ mark: YAMLMark, of text: String) -> Bool {
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    let rest = lines.dropFirst(max(0, mark.line - 1))
    return (rest.first ?? "").unicodeScalars.dropFirst(max(0, mark.column - 1))
      .allSatisfy(\.properties.isWhitespace)
      && rest.dropFirst().allSatisfy { $0.allSatisfy(\.isWhitespace) }
  }

  private func tooDeep(at place: SourceLocation) -> ManifestError {
    ManifestError(
      .tooLarge, "lists and mappings are nested too deep", at: place,
      expected: "at most \(ManifestLimits.depth) levels")
  }

  private func location(_ mark: YAMLMark) -> SourceLocation {
    SourceLocation(file: file, line: mark.line, column: mark.column)
  }

  // MARK: Values

  private mutating func convert(
    _ node: YAMLNode, depth: Int
  ) throws(ManifestError) -> ManifestValue {
    let place = location(node.mark)
    count += 1
    guard count <= ManifestLimits.values else {
      throw ManifestError(
        .tooLarge, "the file has too many values", at: place,
        expected: "at most \(ManifestLimits.values), aliases unfolded")
    }
    guard depth <= ManifestLimits.depth else { throw tooDeep(at: place) }
    // YAML's own tags pass.
    guard node.tag.map({ $0 == "!" || $0.hasPrefix("tag:yaml.org,2002:") }) ?? true else {
      throw ManifestError(
        .syntax, "tags (!name) are not used in manifests", at: place,
        expected: "the value alone, in quotes when it is a text")
    }
    switch node.content {
    case .scalar(let text, let isPlain):
      if isPlain, ["", "~", "null"].contains(text) { return ManifestValue(.null, at: place) }
      return ManifestValue(.scalar(text: text, isPlain: isPlain), at: place)
    case .sequence(let elements):
      var values: [ManifestValue] = []
      for element in elements { values.append(try convert(element, depth: depth + 1)) }
      return ManifestValue(.list(values), at: place)
    case .mapping(let entries):
      return ManifestValue(.mapping(try convert(entries, depth: depth)), at: place)
    }
  }

  private mutating func convert(
    _ mapping: [YAMLNode.Entry], depth: Int
  ) throws(ManifestError) -> [ManifestValue.Entry] {
    var entries: [ManifestValue.Entry] = []
    var lines: [String: Int] = [:]
    for entry in mapping {
      let place = location(entry.key.mark)
      guard case .scalar(let name, let isPlain) = entry.key.content else {
        throw ManifestError(.syntax, "a key that is no name", at: place, expected: "a name")
      }
      guard name != "<<" || !isPlain else {
        throw ManifestError(
          .syntax, "merge keys (<<) are not used in manifests", at: place,
          expected: "the keys written out, or 'extends' in a product")
      }
      if let line = lines.updateValue(place.line, forKey: name) {
        throw ManifestError(
          .duplicateKey, "the key '\(name)' stands twice in one mapping, first in line \(line)",
          at: place, expected: "each key once")
      }
      entries.append(
        ManifestValue.Entry(
          key: name, location: place, value: try convert(entry.value, depth: depth + 1)))
    }
    return entries
  }
}
