import Yams

/// Turns the text of a manifest into values with places. The only place that knows the YAML
/// library.
///
/// What a hostile file can do is bounded before the library sees it, since the library unfolds
/// aliases when it looks for duplicate keys.
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
    try checkSize(text)
    guard let root = try compose(text) else {
      throw ManifestError(
        .syntax, "the file is empty", at: SourceLocation(file: file, line: 1, column: 1),
        expected: "a mapping of keys to values")
    }
    return try convert(root, depth: 1)
  }

  // MARK: Bounds

  private func checkSize(_ text: String) throws(ManifestError) {
    let bytes = text.utf8.count
    guard bytes <= ManifestLimits.fileBytes else {
      throw ManifestError(
        .tooLarge, "the file has \(bytes) bytes", at: SourceLocation(file: file),
        expected: "at most \(ManifestLimits.fileBytes)")
    }
    guard Self.unfoldedBytes(text) <= Double(ManifestLimits.unfoldedBytes) else {
      throw ManifestError(
        .tooLarge, "the aliases (*name) of this file could unfold without end",
        at: SourceLocation(file: file), expected: "fewer of them: write the values out")
    }
  }

  /// An upper bound of what the aliases of a text unfold to. With m anchors and n aliases the
  /// largest text comes from spreading the aliases evenly over the anchors: ((n + 2m + 1) / (m +
  /// 1)) ^ (m + 1) times the file. Anything that looks like an anchor or alias is counted, also in
  /// quotes and comments.
  static func unfoldedBytes(_ text: String) -> Double {
    var anchors = 0.0
    var aliases = 0.0
    var previous: UInt8 = 0x20
    for byte in text.utf8 {
      let isNameByte = byte > 0x20 && !"*&,[]{}\"'".utf8.contains(byte)
      if isNameByte, previous == UInt8(ascii: "&") { anchors += 1 }
      if isNameByte, previous == UInt8(ascii: "*") { aliases += 1 }
      previous = byte
    }
    guard anchors > 0, aliases > 0 else { return Double(text.utf8.count) }
    let base = (aliases + 2 * anchors + 1) / (anchors + 1)
    var product = Double(text.utf8.count)
    for _ in 0..<min(Int(anchors) + 1, 1_000) {
      product *= base
      if product > Double(ManifestLimits.unfoldedBytes) { break }
    }
    return product
  }

  // MARK: The library

  private func compose(_ text: String) throws(ManifestError) -> Node? {
    // The library keeps a pointer into the text while it parses, which a string of up to 15 bytes
    // does not have.
    let shortest = 16
    let padded = text + String(repeating: "\n", count: max(0, shortest - text.utf8.count))
    do {
      return try Parser(yaml: padded, encoding: .utf8).singleRoot()
    } catch let error as YamlError {
      throw translate(error)
    } catch {
      throw ManifestError(.syntax, "the file is not YAML", at: SourceLocation(file: file))
    }
  }

  private func translate(_ error: YamlError) -> ManifestError {
    switch error {
    case .reader(let problem, let offset, _, let yaml):
      let before = yaml.prefix(offset ?? 0)
      let line = before.count { $0.isNewline } + 1
      let column = before.reversed().prefix { !$0.isNewline }.count + 1
      return ManifestError(
        .syntax, problem, at: SourceLocation(file: file, line: line, column: column),
        expected: "UTF-8 text without control characters")
    case .scanner(let context, let problem, let mark, let yaml),
      .parser(let context, let problem, let mark, let yaml),
      .composer(let context, let problem, let mark, let yaml):
      // libyaml's own bound, which it names by a function of its own.
      if problem.hasPrefix("Maximum nesting level") { return tooDeep(at: location(mark)) }
      // What is begun and never ended is missed at the end of the file: its begin is what a person
      // looks for.
      if let context, isBehindTheEnd(mark, of: yaml) {
        return ManifestError(
          .syntax, "\(context.text): \(problem)", at: location(context.mark),
          expected: "an end to what begins here")
      }
      let begin = context.flatMap {
        $0.mark.line == mark.line ? $0.text : "\($0.text) that begins in line \($0.mark.line)"
      }
      let sentence = [begin, problem].compactMap(\.self).joined(separator: ": ")
      return ManifestError(.syntax, sentence, at: location(mark))
    case .duplicatedKeysInMapping(let duplicates, let context):
      let names = duplicates.sorted().map { "'\($0)'" }.joined(separator: ", ")
      return ManifestError(
        .duplicateKey, "the key \(names) stands twice in one mapping", at: location(context.mark),
        expected: "each key once")
    default:
      return ManifestError(.syntax, "the file is not YAML", at: SourceLocation(file: file))
    }
  }

  /// Whether nothing but blanks stands at this place and behind it.
  private func isBehindTheEnd(_ mark: Mark, of yaml: String) -> Bool {
    let lines = yaml.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
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

  private func location(_ mark: Mark?) -> SourceLocation {
    SourceLocation(file: file, line: mark?.line ?? 1, column: mark?.column ?? 1)
  }

  // MARK: Values

  private mutating func convert(_ node: Node, depth: Int) throws(ManifestError) -> ManifestValue {
    let place = location(node.mark)
    count += 1
    guard count <= ManifestLimits.values else {
      throw ManifestError(
        .tooLarge, "the file has too many values", at: place,
        expected: "at most \(ManifestLimits.values), aliases unfolded")
    }
    guard depth <= ManifestLimits.depth else { throw tooDeep(at: place) }
    switch node {
    case .scalar(let scalar):
      try checkTag(scalar.tag, at: place)
      let isPlain = scalar.style == .plain
      if isPlain, ["", "~", "null"].contains(scalar.string) {
        return ManifestValue(.null, at: place)
      }
      return ManifestValue(.scalar(text: scalar.string, isPlain: isPlain), at: place)
    case .sequence(let sequence):
      try checkTag(sequence.tag, at: place)
      var values: [ManifestValue] = []
      for element in sequence { values.append(try convert(element, depth: depth + 1)) }
      return ManifestValue(.list(values), at: place)
    case .mapping(let mapping):
      try checkTag(mapping.tag, at: place)
      return ManifestValue(.mapping(try convertEntries(mapping, depth: depth)), at: place)
    case .alias:
      throw ManifestError(.syntax, "an alias that names no anchor", at: place)
    }
  }

  private mutating func convertEntries(
    _ mapping: Node.Mapping, depth: Int
  ) throws(ManifestError) -> [ManifestValue.Entry] {
    var entries: [ManifestValue.Entry] = []
    var names: Set<String> = []
    for (key, value) in mapping {
      let place = location(key.mark)
      guard case .scalar(let name) = key else {
        throw ManifestError(.syntax, "a key that is no name", at: place, expected: "a name")
      }
      guard name.string != "<<" || name.style != .plain else {
        throw ManifestError(
          .syntax, "merge keys (<<) are not used in manifests", at: place,
          expected: "the keys written out, or 'extends' in a product")
      }
      // The library tells a key in quotes from one without; for a manifest they are the same.
      guard names.insert(name.string).inserted else {
        throw ManifestError(
          .duplicateKey, "the key '\(name.string)' stands twice in one mapping", at: place,
          expected: "each key once")
      }
      entries.append(
        ManifestValue.Entry(
          key: name.string, location: place, value: try convert(value, depth: depth + 1)))
    }
    return entries
  }

  private func checkTag(_ tag: Tag, at place: SourceLocation) throws(ManifestError) {
    // YAML's own tags pass: the library also writes them where the file has none.
    guard tag == .implicit || tag.rawValue == "!" || tag.rawValue.hasPrefix("tag:yaml.org,2002:")
    else {
      throw ManifestError(
        .syntax, "tags (!name) are not used in manifests", at: place,
        expected: "the value alone, in quotes when it is a text")
    }
  }
}
