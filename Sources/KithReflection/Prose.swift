/// Comments of a contract as text for people.
public enum Prose {
  /// The first sentence, on one line and without its full stop: `Scores a text and says why`.
  public static func firstSentence(of text: String) -> String {
    guard let paragraph = paragraphs(of: text).first else { return "" }
    var sentence = ""
    var rest = paragraph[...]
    while let stop = rest.firstIndex(of: ".") {
      let next = rest.index(after: stop)
      sentence += rest[..<stop]
      // A stop inside a word or number (`0.7`, `kith.risk`) ends nothing.
      if next == rest.endIndex || rest[next] == " " { return sentence }
      sentence += "."
      rest = rest[next...]
    }
    return sentence + rest
  }

  /// The text in lines of at most `width` columns, with empty lines between paragraphs. A word that
  /// is longer has a line of its own.
  public static func wrapped(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    for (position, paragraph) in paragraphs(of: text).enumerated() {
      if position > 0 { lines.append("") }
      var line = ""
      for word in paragraph.split(separator: " ") {
        if line.isEmpty {
          line = String(word)
        } else if line.count + 1 + word.count <= width {
          line += " \(word)"
        } else {
          lines.append(line)
          line = String(word)
        }
      }
      if !line.isEmpty { lines.append(line) }
    }
    return lines
  }

  /// The paragraphs, each on one line.
  private static func paragraphs(of text: String) -> [String] {
    var paragraphs: [String] = []
    var current: [Substring] = []
    for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.allSatisfy(\.isWhitespace) {
        if !current.isEmpty { paragraphs.append(current.joined(separator: " ")) }
        current = []
      } else {
        current.append(line)
      }
    }
    if !current.isEmpty { paragraphs.append(current.joined(separator: " ")) }
    return paragraphs
  }
}
