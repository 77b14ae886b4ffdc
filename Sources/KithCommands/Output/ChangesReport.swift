import HostContract
import KithJSON
import KithManifest
import KithPlanning
import KithTerminal

/// Changes to a product, and what became of them, for a person and for a program.
struct ChangesReport {
  let terminal: Terminal

  /// The changes, a few lines each, each led by its sign.
  func lines(_ changes: [KithPlanning.PlannedChange]) -> [String] {
    changes.flatMap { change -> [String] in
      let lines = change.lines.map(SafeText.line)
      return lines.prefix(1).map { terminal.text($0, Self.style(of: change.kind)) }
        + lines.dropFirst().flatMap {
          TextWidth.hanging($0, width: terminal.width, indentation: 6)
        }
    }
  }

  /// What became of changes, a line each.
  func lines(_ outcomes: [ChangeOutcome]) -> [String] {
    outcomes.flatMap { outcome in
      let change = KithPlanning.PlannedChange(outcome.change ?? HostContract.PlannedChange())
      let head = "\(change.kind.sign) \(SafeText.line(change.subject)): "
      return TextWidth.hanging(head + SafeText.line(outcome.outcome), width: terminal.width)
        .enumerated().map { position, line in
          let colour: Terminal.Colour = outcome.succeeded ? .green : .red
          guard position == 0, line.hasPrefix(head) else { return terminal.text(line, colour) }
          return head + terminal.text(String(line.dropFirst(head.count)), colour)
        }
    }
  }

  /// What no change is about: workers that somebody has stopped, and that stay so.
  func lines(stoppedIn status: GetStatusResponse) -> [String] {
    let names = status.workers.filter { !$0.wanted }.map { SafeText.line($0.name) }
    guard !names.isEmpty else { return [] }
    return [
      terminal.text("stopped by hand, and stays so: \(names.joined(separator: ", "))", .yellow)
    ]
  }

  /// How many there are of each kind: `1 to start, 2 to restart`.
  static func summary(_ changes: [KithPlanning.PlannedChange]) -> String {
    KithPlanning.PlannedChange.Kind.allCases.compactMap { kind in
      let count = changes.count { $0.kind == kind }
      return count == 0 ? nil : "\(count) to \(kind.rawValue)"
    }.joined(separator: ", ")
  }

  private static func style(of kind: KithPlanning.PlannedChange.Kind) -> Terminal.Colour {
    switch kind {
    case .start: .green
    case .stop: .red
    case .restart, .reconfigure: .yellow
    case .adjust: .faint
    }
  }
}

extension KithPlanning.PlannedChange {
  /// A change in the words of the contract; one of a kind that this program does not know is shown
  /// as a restart.
  init(_ change: HostContract.PlannedChange) {
    let kind: Kind =
      switch change.kind {
      case .start: .start
      case .stop: .stop
      case .reconfigure: .reconfigure
      case .adjust: .adjust
      default: .restart
      }
    self.init(
      kind, worker: change.worker,
      settings: change.settings.map { Setting(key: $0.key, old: $0.oldValue, new: $0.newValue) },
      callers: change.callers, callersWait: change.callersWait)
  }
}
