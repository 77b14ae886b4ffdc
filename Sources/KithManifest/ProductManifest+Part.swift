package import KithJSON

/// A part of a product, as a manifest of its own: for tests that want no more of it.
extension ProductManifest {
  /// The names of these workers and of those that they require, one through another.
  package func workers(
    neededBy names: some Sequence<String>, in catalogue: PluginCatalogue
  ) -> Set<String> {
    func plugin(_ worker: String) -> PluginManifest? {
      workers.first { $0.name == worker }.flatMap { catalogue[$0.plugin]?.manifest }
    }
    var needed: Set<String> = []
    var waiting = Array(names)
    while let name = waiting.popLast() {
      guard needed.insert(name).inserted, let required = plugin(name)?.requires.map(\.name) else {
        continue
      }
      waiting += workers.map(\.name).filter { other in
        plugin(other)?.provides.contains(where: required.contains) ?? false
      }
    }
    return needed
  }

  /// The text of a manifest that has only these workers of another, and other values in their
  /// configuration.
  ///
  /// Its alerts are left out, since they may watch who is not there.
  /// - Parameters:
  ///   - text: the text of the other one, which extends none.
  ///   - configuration: values by worker and key.
  package static func part(
    of text: String, file: String, keeping names: Set<String>,
    configuration: [String: [String: JSONValue]]
  ) throws(ManifestErrors) -> String {
    let root = try YAMLReader.read(text, file: file)
    guard case .mapping(let fields) = root.content else { return text }
    if let base = fields.first(where: { $0.key == "extends" }) {
      throw ManifestErrors(
        ManifestError(
          .outOfRange, "a part is wanted of a product that extends another", at: base.location,
          expected: "a part of the base"))
    }
    let lines = fields.compactMap { field -> String? in
      switch (field.key, field.value.content) {
      case ("alerts", _), ("pager", _): return nil
      case ("workers", .mapping(let workers)):
        let kept = workers.filter { names.contains($0.key) }
        return "workers:\n"
          + kept.map { "  \($0.key): \($0.value.flow(over: configuration[$0.key] ?? [:]))" }
          .joined(separator: "\n")
      default: return "\(field.key): \(field.value.flow)"
      }
    }
    return lines.joined(separator: "\n") + "\n"
  }
}

extension ManifestValue {
  /// The value as YAML in one line.
  fileprivate var flow: String {
    switch content {
    case .null: "null"
    case .scalar(let text, let isPlain): isPlain && Self.isWord(text) ? text : Self.quoted(text)
    case .list(let values): "[" + values.map(\.flow).joined(separator: ", ") + "]"
    case .mapping(let entries): Self.flow(entries.map { ($0.key, $0.value.flow) })
    }
  }

  /// A worker's entry in one line, with other values in its configuration.
  fileprivate func flow(over configuration: [String: JSONValue]) -> String {
    var (fields, values): ([Entry], [Entry]) = ([], [])
    if case .mapping(let entries) = content { fields = entries }
    if case .mapping(let entries)? = fields.first(where: { $0.key == "config" })?.value.content {
      values = entries.filter { configuration[$0.key] == nil }
    }
    let changed = configuration.sorted { $0.key < $1.key }.map { ($0.key, $0.value.text()) }
    return Self.flow(
      fields.filter { $0.key != "config" }.map { ($0.key, $0.value.flow) }
        + [("config", Self.flow(values.map { ($0.key, $0.value.flow) } + changed))])
  }

  private static func flow(_ entries: [(key: String, value: String)]) -> String {
    "{ " + entries.map { "\(quoted($0.key)): \($0.value)" }.joined(separator: ", ") + " }"
  }

  private static func quoted(_ text: String) -> String { JSONValue.string(text).text() }

  /// Whether a text means the same within braces as it does outside.
  private static func isWord(_ text: String) -> Bool {
    text.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"),
        UInt8(ascii: "+"), UInt8(ascii: "_"), UInt8(ascii: "%"), UInt8(ascii: "/"):
        true
      default: false
      }
    }
  }
}
