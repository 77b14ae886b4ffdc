import HostContract
import KithTerminal

/// What an operator must know beside the workers' states: alerts that fire, logs that cannot be
/// written.
struct Concerns {
  let alerts: [Alert]
  let logTroubles: [LogTrouble]

  /// Nothing, or an empty line and one for each.
  func lines(_ terminal: Terminal) -> [String] {
    let firing = alerts.filter { $0.state == .firing }.map { alert in
      let word = alert.severity == .page ? "PAGE" : "warning"
      return terminal.text(word, alert.severity == .page ? .red : .yellow)
        + " \(SafeText.line(alert.name)): \(SafeText.line(alert.worker)), "
        + "\(SafeText.line(alert.condition)); now \(SafeText.line(alert.value))"
    }
    let troubles = logTroubles.map { trouble in
      let name = "log of \(SafeText.line(trouble.name))"
      guard !trouble.reason.isEmpty else {
        return terminal.text("\(name): \(Self.missing(from: trouble))", .yellow)
      }
      return terminal.text(
        "\(name): \(SafeText.line(trouble.reason)); \(trouble.linesWaiting) lines wait, "
          + Self.missing(from: trouble), .red)
    }
    let all = (firing + troubles).flatMap { TextWidth.wrapped($0, width: terminal.width) }
    return all.isEmpty ? [] : [""] + all
  }

  /// What a log has not got: what could not be written, and what its worker wrote beyond its
  /// budget.
  private static func missing(from log: LogTrouble) -> String {
    var parts: [String] = []
    if log.bytesDropped > 0 {
      parts.append(
        "\(log.linesDropped) lines (\(log.bytesDropped) bytes) dropped, written faster than a log is kept"
      )
    }
    if log.linesLost > 0 || parts.isEmpty { parts.insert("\(log.linesLost) lines lost", at: 0) }
    return parts.joined(separator: ", ") + " since the host started"
  }
}
