import CYAML

/// Reads the one document of a YAML 1.1 text, by libyaml. The only importer of it.
///
/// Nothing is resolved: a scalar stays text, a tag stays a tag, a key may stand twice, and `<<` is
/// a key as any other.
public enum YAMLDocument {
  /// The document's root, or nil when the text holds none.
  ///
  /// Time and memory grow with the text, aliases included.
  /// - Parameters:
  ///   - text: the document.
  ///   - depth: how deep lists and mappings may be nested, 1 for a list of scalars.
  public static func read(_ text: String, depth: Int = 100) throws(YAMLError) -> YAMLNode? {
    let bytes = Array(text.utf8)
    // The bytes stay in place for as long as the parser reads them, which is the closure.
    let result = bytes.withUnsafeBufferPointer { buffer -> Result<YAMLNode?, YAMLError> in
      do throws(YAMLError) {
        let parser = try EventParser(buffer)
        defer { parser.end() }
        var composer = Composer(parser: parser, depth: depth)
        return .success(try composer.document())
      } catch {
        return .failure(error)
      }
    }
    return try result.get()
  }
}

/// What libyaml tells of, in values of Swift.
private struct Event {
  enum Kind {
    case documentStart
    case alias(String)
    case scalar(text: String, isPlain: Bool)
    case sequenceStart
    case mappingStart
    case end
    case streamEnd
    case other
  }

  let kind: Kind
  let anchor: String?
  let tag: String?
  let mark: YAMLMark
}

/// libyaml's parser over bytes that outlive it. Used by one thread, in one function.
private struct EventParser {
  private let parser: UnsafeMutablePointer<yaml_parser_t>

  init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
    parser = .allocate(capacity: 1)
    guard yaml_parser_initialize(parser) == 1 else {
      parser.deallocate()
      throw .outOfMemory
    }
    yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
    yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
  }

  func end() {
    yaml_parser_delete(parser)
    parser.deallocate()
  }

  func next() throws(YAMLError) -> Event {
    var event = yaml_event_t()
    guard yaml_parser_parse(parser, &event) == 1 else { throw failure() }
    defer { yaml_event_delete(&event) }
    let data = event.data
    let mark = YAMLMark(event.start_mark)
    switch event.type {
    case YAML_DOCUMENT_START_EVENT:
      return Event(kind: .documentStart, anchor: nil, tag: nil, mark: mark)
    case YAML_ALIAS_EVENT:
      return Event(
        kind: .alias(Self.text(data.alias.anchor) ?? ""), anchor: nil, tag: nil, mark: mark)
    case YAML_SCALAR_EVENT:
      let bytes = UnsafeBufferPointer(start: data.scalar.value, count: data.scalar.length)
      return Event(
        kind: .scalar(
          text: String(decoding: bytes, as: UTF8.self),
          isPlain: data.scalar.style == YAML_PLAIN_SCALAR_STYLE),
        anchor: Self.text(data.scalar.anchor), tag: Self.text(data.scalar.tag), mark: mark)
    case YAML_SEQUENCE_START_EVENT:
      return Event(
        kind: .sequenceStart, anchor: Self.text(data.sequence_start.anchor),
        tag: Self.text(data.sequence_start.tag), mark: mark)
    case YAML_MAPPING_START_EVENT:
      return Event(
        kind: .mappingStart, anchor: Self.text(data.mapping_start.anchor),
        tag: Self.text(data.mapping_start.tag), mark: mark)
    case YAML_SEQUENCE_END_EVENT, YAML_MAPPING_END_EVENT:
      return Event(kind: .end, anchor: nil, tag: nil, mark: mark)
    case YAML_STREAM_END_EVENT, YAML_NO_EVENT:
      return Event(kind: .streamEnd, anchor: nil, tag: nil, mark: mark)
    default:
      return Event(kind: .other, anchor: nil, tag: nil, mark: mark)
    }
  }

  private func failure() -> YAMLError {
    let problem = parser.pointee.problem.map { String(cString: $0) } ?? "not YAML"
    switch parser.pointee.error {
    case YAML_MEMORY_ERROR:
      return .outOfMemory
    case YAML_READER_ERROR:
      return .unreadable(problem: problem, offset: Int(parser.pointee.problem_offset))
    default:
      let mark = YAMLMark(parser.pointee.problem_mark)
      // libyaml's own bound, which it names by a function of its own.
      if problem.hasPrefix("Maximum nesting level") { return .tooDeep(mark) }
      let begin = parser.pointee.context.map { String(cString: $0) }
      return .malformed(
        problem: problem, mark: mark, begin: begin,
        beginMark: begin == nil ? nil : YAMLMark(parser.pointee.context_mark))
    }
  }

  private static func text(_ bytes: UnsafeMutablePointer<yaml_char_t>?) -> String? {
    bytes.map { String(cString: $0) }
  }
}

/// Builds the tree of the events.
private struct Composer {
  let parser: EventParser
  let depth: Int
  private var anchors: [String: YAMLNode] = [:]

  init(parser: EventParser, depth: Int) {
    self.parser = parser
    self.depth = depth
  }

  mutating func document() throws(YAMLError) -> YAMLNode? {
    var root: YAMLNode?
    while true {
      let event = try parser.next()
      switch event.kind {
      case .streamEnd: return root
      case .documentStart:
        guard root == nil else { throw .secondDocument(event.mark) }
        root = try node(try parser.next(), depth: 1)
      default: break
      }
    }
  }

  private mutating func node(_ event: Event, depth: Int) throws(YAMLError) -> YAMLNode {
    if case .alias(let name) = event.kind {
      guard let node = anchors[name] else { throw .unknownAnchor(event.mark) }
      return node
    }
    let node = YAMLNode(
      content: try content(of: event, depth: depth), tag: event.tag, mark: event.mark)
    if let anchor = event.anchor { anchors[anchor] = node }
    return node
  }

  private mutating func content(
    of event: Event, depth: Int
  ) throws(YAMLError) -> YAMLNode.Content {
    if case .scalar(let text, let isPlain) = event.kind {
      return .scalar(text: text, isPlain: isPlain)
    }
    guard depth <= self.depth else { throw .tooDeep(event.mark) }
    if case .sequenceStart = event.kind {
      var elements: [YAMLNode] = []
      while let element = try element(depth: depth + 1) { elements.append(element) }
      return .sequence(elements)
    }
    var entries: [YAMLNode.Entry] = []
    while let key = try element(depth: depth + 1), let value = try element(depth: depth + 1) {
      entries.append(YAMLNode.Entry(key: key, value: value))
    }
    return .mapping(entries)
  }

  /// The next node of the list or mapping that is being read, or nil at its end.
  private mutating func element(depth: Int) throws(YAMLError) -> YAMLNode? {
    let event = try parser.next()
    if case .end = event.kind { return nil }
    return try node(event, depth: depth)
  }
}

extension YAMLMark {
  fileprivate init(_ mark: yaml_mark_t) {
    self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
  }
}
