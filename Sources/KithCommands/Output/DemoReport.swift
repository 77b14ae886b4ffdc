import KithJSON
import KithTerminal

/// An example of a demo and its answer, for people.
struct DemoReport {
  let number: Int
  let scene: DemoFile.Scene
  let answer: JSONValue
  let shown: [String]
  let terminal: Terminal

  /// What is not as the demo expects.
  var surprises: [String] {
    scene.expected.compactMap { path, value in
      let found = DemoFile.value(at: path, in: answer)
      guard found != value else { return nil }
      return "\(path) is \(found.map(Self.words) ?? "not there"), expected \(Self.words(value))"
    }
  }

  /// The title, what is asked, and what is answered.
  var lines: [String] {
    let width = terminal.width - 4
    var lines = [terminal.text("\(number). \(SafeText.line(scene.title))", .bold)]
    let asked = (scene.request.objectValue?.members ?? []).map(\.value).compactMap(\.stringValue)
      .max { $0.utf8.count < $1.utf8.count }
    if let asked {
      for line in TextWidth.wrapped("\"\(SafeText.line(asked))\"", width: width) {
        lines.append("    \(terminal.text(line, .faint))")
      }
    }
    for path in shown {
      guard let value = DemoFile.value(at: path, in: answer) else { continue }
      let words = Self.words(value)
      guard !words.isEmpty, !words.hasSuffix(" unspecified") else { continue }
      for (index, line) in TextWidth.wrapped(SafeText.line(words), width: width - 2).enumerated() {
        lines.append("    \(index == 0 ? "-" : " ") \(line)")
      }
    }
    return lines + surprises.map { "    \(terminal.text($0, .red))" }
  }

  /// A value as a person would say it: `LIKELY_SCAM` is `likely scam`.
  private static func words(_ value: JSONValue) -> String {
    guard let text = value.stringValue else { return value.text() }
    let isName =
      text.contains("_")
      || text.count > 1
        && text.unicodeScalars.allSatisfy { (0x41...0x5A).contains($0.value) }
    let shouting = text.unicodeScalars.allSatisfy {
      (0x41...0x5A).contains($0.value) || $0 == "_" || (0x30...0x39).contains($0.value)
    }
    return isName && shouting
      ? text.lowercased().split(separator: "_").joined(separator: " ") : text
  }
}
