import HostContract

/// What an operator must know beside the workers' states: alerts that fire, logs that cannot be written.
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
      let dropped =
        trouble.bytesDropped == 0
        ? ""
        : "\(trouble.linesDropped) lines (\(trouble.bytesDropped) bytes) dropped, written faster than a log is kept"
      let parts =
        (trouble.linesLost > 0 || dropped.isEmpty ? ["\(trouble.linesLost) lines lost"] : [])
        + (dropped.isEmpty ? [] : [dropped])
      let lost = parts.joined(separator: ", ") + " since the host started"
      guard !trouble.reason.isEmpty else {
        return terminal.text("\(name): \(lost)", .yellow)
      }
      return terminal.text(
        "\(name): \(SafeText.line(trouble.reason)); \(trouble.linesWaiting) lines wait, \(lost)",
        .red)
    }
    let all = (firing + troubles).flatMap { TextWidth.wrapped($0, width: terminal.width) }
    return all.isEmpty ? [] : [""] + all
  }
}
