import KithJSON
import KithTerminal

/// What `kith doctor` found, for a person and for a program.
struct DoctorReport {
  /// The product; empty when it is not known which is meant.
  let product: String
  let findings: [Finding]

  /// Whether somebody must do something.
  var needsAction: Bool { findings.contains { $0.state == .action } }

  /// A few lines for each finding, what needs action first, and a verdict.
  func lines(_ terminal: Terminal) -> [String] {
    let column = Finding.State.allCases.map(\.word.count).max() ?? 0
    let checks = findings.map { TextWidth.columns($0.check) }.max() ?? 0
    let indentation = column + checks + 4
    let space = String(repeating: " ", count: indentation)
    let width = max(20, terminal.width - indentation)
    let lines = sorted.flatMap { finding -> [String] in
      let head =
        terminal.text(TextWidth.padded(finding.state.word, to: column), Self.colour(finding.state))
        + "  " + TextWidth.padded(finding.check, to: checks) + "  "
      let text = Self.broken(finding.text, width)
      let remedy = finding.remedy.isEmpty ? [] : Self.broken("-> \(finding.remedy)", width)
      return [head + text[0]] + (text.dropFirst() + remedy).map { space + $0 }
    }
    return lines + ["", verdict]
  }

  /// As `--json` writes it.
  var json: JSONValue {
    [
      "product": .string(product), "needsAction": .bool(needsAction),
      "findings": .array(sorted.map(\.json)),
    ]
  }

  private var sorted: [Finding] {
    Finding.State.allCases.reversed().flatMap { state in findings.filter { $0.state == state } }
  }

  private var verdict: String {
    let actions = findings.count { $0.state == .action }
    let notices = findings.count { $0.state == .notice }
    let known = notices == 0 ? "" : "; \(notices) to know of"
    guard actions > 0 else { return "Nothing needs action\(known)." }
    return "\(actions) \(actions == 1 ? "needs" : "need") action\(known)."
  }

  /// Lines of at most so many columns; a path that is longer is cut.
  private static func broken(_ text: String, _ width: Int) -> [String] {
    TextWidth.wrapped(text, width: width).flatMap { TextWidth.cut($0, to: width) }
  }

  private static func colour(_ state: Finding.State) -> Terminal.Colour {
    switch state {
    case .ok: .green
    case .notice: .yellow
    case .action: .red
    }
  }
}
