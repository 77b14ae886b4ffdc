public import Foundation

/// Texts of our own with slots, from which examples for training are generated.
///
/// Lines: `@name = a; b; c` fills `{name}`; `#` is a comment; every other line is `label: text`.
/// In fillers and texts `9` inside `{9999}` stands for a random digit.
public struct TemplateFile {
  private var slots: [String: [String]] = [:]
  private var templates: [(label: String, text: String)] = []

  /// Reads a file.
  ///
  /// - Throws: `ToolError` naming file and line.
  public init(_ url: URL) throws {
    guard let text = try? String(contentsOf: url, encoding: .utf8) else {
      throw ToolError("\(url.path): no such file")
    }
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated()
    {
      if line.isEmpty || line.hasPrefix("#") { continue }
      if line.hasPrefix("@"), let equals = line.firstIndex(of: "=") {
        let name = line[line.index(after: line.startIndex)..<equals]
          .trimmingCharacters(in: .whitespaces)
        slots[name] = line[line.index(after: equals)...].split(separator: ";")
          .map { $0.trimmingCharacters(in: .whitespaces) }
        continue
      }
      guard let colon = line.firstIndex(of: ":"),
        ["legit", "spam", "scam"].contains(line[..<colon])
      else {
        throw ToolError(
          "\(url.path):\(number + 1): expected `legit: …`, `spam: …`, `scam: …` or `@slot = …`")
      }
      templates.append(
        (
          String(line[..<colon]),
          line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
        ))
    }
    for template in templates {
      for name in Self.names(in: template.text) where slots[name] == nil {
        guard name.allSatisfy({ $0 == "9" }) else {
          throw ToolError("\(url.path): the slot {\(name)} is not defined")
        }
      }
    }
  }

  /// How many templates there are.
  public var count: Int { templates.count }

  /// Generates `copies` texts from each template; the same seed gives the same texts.
  public func generate(copies: Int, seed: UInt64) -> [LabelledText] {
    var random = SplitMix(seed: seed)
    var result: [LabelledText] = []
    for (number, template) in templates.enumerated() {
      for copy in 0..<copies {
        var text = fill(template.text, &random)
        // People and senders write with and without capitals and full stops.
        switch random.below(8) {
        case 0: text = text.lowercased()
        case 1: text = text.replacing("\n", with: " ")
        case 2 where text.hasSuffix("."): text.removeLast()
        default: break
        }
        result.append(
          LabelledText(
            id: "own-\(number)-\(copy)", source: "own", label: template.label, text: text))
      }
    }
    return result
  }

  private func fill(_ text: String, _ random: inout SplitMix) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      result += rest[..<open]
      let name = String(rest[rest.index(after: open)..<close])
      if let fillers = slots[name], !fillers.isEmpty {
        result += fill(fillers[random.below(fillers.count)], &random)
      } else {
        for (index, _) in name.enumerated() {
          result += String(index == 0 ? 1 + random.below(9) : random.below(10))
        }
      }
      rest = rest[rest.index(after: close)...]
    }
    return (result + rest).replacing("\\n", with: "\n")
  }

  private static func names(in text: String) -> [String] {
    var names: [String] = []
    var rest = text[...]
    while let open = rest.firstIndex(of: "{"), let close = rest[open...].firstIndex(of: "}") {
      names.append(String(rest[rest.index(after: open)..<close]))
      rest = rest[rest.index(after: close)...]
    }
    return names
  }
}
