public import Foundation

/// Texts of our own with slots, from which examples for training are generated.
///
/// Lines: `@name = a; b; c` fills `{name}`; `#` is a comment; every other line is `label: text` or
/// `label channel: text` with the channels of `LabelledText`. In a text `[a|b|]` chooses one of the
/// parts, also within one another, `{9999}` is a number of four digits and `\n` a new line. In
/// calls `>` and `<` between spaces begin the turn of who called and of who was called.
public struct TemplateFile {
  private struct Template {
    var label: String
    var channel: String
    var text: String
    /// Whether it is kept out of training, to measure with.
    var isHeld: Bool
  }

  /// Which templates to generate from.
  public enum Part: Sendable {
    /// Those that train.
    case training
    /// Those kept apart, one in eight.
    case held
    /// All of them.
    case all

    /// Whether what is kept apart, or is not, belongs to it.
    func includes(isHeld: Bool) -> Bool {
      switch self {
      case .training: !isHeld
      case .held: isHeld
      case .all: true
      }
    }
  }

  private var slots: [String: [String]] = [:]
  private var templates: [Template] = []

  /// Reads all `.txt` files of a folder, in the order of their names; a slot may be used in every
  /// file.
  ///
  /// - Throws: `ToolError` naming file and line.
  public init(_ folder: URL) throws {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    for name in names.sorted() where name.hasSuffix(".txt") {
      try read(folder.appending(path: name))
    }
    guard !templates.isEmpty else { throw ToolError("\(folder.path): no templates") }
    for template in templates {
      for name in Self.names(in: template.text) where slots[name] == nil {
        guard name.allSatisfy({ $0 == "9" }) else {
          throw ToolError(
            "\(folder.path): the slot {\(name)} is not defined, in `\(template.text)`")
        }
      }
    }
  }

  private mutating func read(_ url: URL) throws {
    let text = try String(contentsOf: url, encoding: .utf8)
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
      guard let colon = line.firstIndex(of: ":") else {
        throw ToolError("\(url.path):\(number + 1): expected `label: text` or `@slot = …`")
      }
      let head = line[..<colon].split(separator: " ").map(String.init)
      let channel = head.count == 2 ? head[1] : "sms"
      guard let label = head.first, head.count <= 2, ["legit", "spam", "scam"].contains(label),
        ["sms", "email", "call"].contains(channel)
      else {
        throw ToolError(
          "\(url.path):\(number + 1): expected `legit`, `spam` or `scam`, and perhaps `sms`, "
            + "`email` or `call`, in front of the colon")
      }
      let body = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
      var random = SplitMix(seed: Self.hash(body))
      templates.append(
        Template(label: label, channel: channel, text: body, isHeld: random.below(8) == 0))
    }
  }

  /// How many templates there are.
  public func count(_ part: Part) -> Int {
    templates.filter { part.includes(isHeld: $0.isHeld) }.count
  }

  /// Generates `copies` texts from each template; the same seed gives the same texts.
  public func generate(copies: Int, seed: UInt64, _ part: Part) -> [LabelledText] {
    var result: [LabelledText] = []
    for (number, template) in templates.enumerated() where part.includes(isHeld: template.isHeld) {
      // A template's texts do not depend on the templates in front of it.
      var random = SplitMix(seed: seed &+ Self.hash(template.text))
      // Where there are choices, more copies differ; mails and calls are made of little else.
      let hasChoices = template.text.filter { $0 == "[" }.count >= 2
      let richness = template.channel == "sms" ? (hasChoices ? 2 : 1) : 4
      for copy in 0..<(copies * richness) {
        var text = fill(template.text, &random)
        if template.channel == "call" {
          text = Self.spoken(text, &random)
        } else {
          // People and senders write with and without capitals and full stops.
          switch random.below(10) {
          case 0: text = text.lowercased()
          case 1: text = text.replacing("\n", with: " ")
          case 2 where text.hasSuffix("."): text.removeLast()
          default: break
          }
        }
        result.append(
          LabelledText(
            id: "own-\(number)-\(copy)", source: "own",
            channel: template.channel == "call" ? "voicemail_or_call" : template.channel,
            label: template.label, text: text))
      }
    }
    return result
  }

  private func fill(_ text: String, _ random: inout SplitMix) -> String {
    var result = ""
    var rest = text[...]
    while let open = rest.firstIndex(where: { $0 == "{" || $0 == "[" }) {
      result += rest[..<open]
      if rest[open] == "[" {
        guard let (parts, after) = Self.choices(rest[open...]) else {
          result += "["
          rest = rest[rest.index(after: open)...]
          continue
        }
        result += fill(String(parts[random.below(parts.count)]), &random)
        rest = rest[after...]
        continue
      }
      guard let close = rest[open...].firstIndex(of: "}") else { break }
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

  /// The parts of `[a|b]` at the start of a text, and where it ends; nil when there is no `|` in
  /// it.
  private static func choices(_ text: Substring) -> ([Substring], Substring.Index)? {
    var depth = 0
    var parts: [Substring] = []
    var start = text.index(after: text.startIndex)
    var index = text.startIndex
    while index < text.endIndex {
      switch text[index] {
      case "[": depth += 1
      case "]":
        depth -= 1
        if depth == 0 {
          guard !parts.isEmpty else { return nil }
          parts.append(text[start..<index])
          return (parts, text.index(after: index))
        }
      case "|" where depth == 1:
        parts.append(text[start..<index])
        start = text.index(after: index)
      default: break
      }
      index = text.index(after: index)
    }
    return nil
  }

  /// Turns as transcripts show them: with the names of the speakers or none, with punctuation or
  /// none.
  private static func spoken(_ text: String, _ random: inout SplitMix) -> String {
    let speakers = [
      ("Caller", "Receiver"), ("Suspect", "Innocent"), ("caller", "receiver"),
      ("Agent", "Customer"), ("Speaker 1", "Speaker 2"), ("A", "B"),
    ]
    let style = random.below(9)
    var turns: [(isCaller: Bool, text: String)] = []
    var isCaller = true
    var words: [Substring] = []
    func close() {
      if !words.isEmpty { turns.append((isCaller, words.joined(separator: " "))) }
      words = []
    }
    for word in text.split(separator: " ") {
      if word == ">" || word == "<" {
        close()
        isCaller = word == ">"
      } else {
        words.append(word)
      }
    }
    close()
    if style < speakers.count, turns.count > 1 {
      let names = speakers[style]
      let separator = random.below(2) == 0 ? "\n" : " "
      return turns.map { "\($0.isCaller ? names.0 : names.1): \($0.text)" }
        .joined(separator: separator)
    }
    let flat = turns.map(\.text).joined(separator: style == 6 ? "\n" : " ")
    guard style >= 7 || turns.count == 1 && random.below(2) == 0 else { return flat }
    // A machine's transcript: no capitals, no punctuation.
    return String(flat.lowercased().filter { !".,?!;:\"-".contains($0) })
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

  /// FNV-1a, so that the same template has the same texts in every run.
  static func hash(_ text: String) -> UInt64 {
    text.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x0000_0100_0000_01B3 }
  }
}
