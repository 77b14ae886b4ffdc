import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithRPC
import KithTerminal

/// `kith alerts`
struct AlertsCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "alerts",
    abstract: "Shows the alerts of a running product: what they watch, and which fire.",
    discussion: """
      Alerts are rules of the product's manifest. Each is shown for each worker that it watches, those that fire first. \
      Ends with exit code 0 whether one fires or not.

      EXAMPLES
        kith alerts
        kith alerts --json | jq -e 'all(.[]; .state != "ALERT_STATE_FIRING")'
      """)

  @OptionGroup var product: ProductOptions
  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await product.running(surroundings)
    let alerts = try await running.status(within: time.callOptions.timeout).alerts
    if output.json {
      try Output.line(
        JSONValue.array(try alerts.map { try HostJSON.json($0) }).text(pretty: true))
    } else if alerts.isEmpty {
      try Output.line("The product's manifest has no alerts.")
    } else {
      try Output.lines(Self.table(alerts, now: Surroundings.now).lines(surroundings.terminal))
    }
  }

  /// The alerts as a table, those that fire first.
  static func table(_ alerts: [Alert], now: Int64) -> Table {
    let (firing, others) = (
      alerts.filter { $0.state == .firing }, alerts.filter { $0.state != .firing }
    )
    return Table(
      columns: [
        .init(title: "ALERT"), .init(title: "WORKER"), .init(title: "STATE"),
        .init(title: "SINCE", isNumeric: true), .init(title: "NOW", isNumeric: true),
        .init(title: "CALLS", isNumeric: true),
      ],
      rows: (firing + others).map { alert in
        Table.Row(
          cells: [
            .init(SafeText.line(alert.name)), .init(SafeText.line(alert.worker)),
            .init(words(alert), colour(alert)),
            .init(Quantities.elapsed(milliseconds: now - alert.sinceMs)),
            .init(alert.value.isEmpty ? "-" : SafeText.line(alert.value)),
            .init(String(alert.calls)),
          ], notes: [.init(SafeText.line(alert.condition), .faint)])
      })
  }

  private static func words(_ alert: Alert) -> String {
    switch alert.state {
    case .firing: alert.severity == .page ? "PAGE" : "warning"
    case .tooFewCalls: "too few calls"
    case .quiet: "quiet"
    default: alert.state.name ?? "state \(alert.state.rawValue)"
    }
  }

  private static func colour(_ alert: Alert) -> Terminal.Colour? {
    switch alert.state {
    case .firing: alert.severity == .page ? .red : .yellow
    case .quiet: .green
    default: .faint
    }
  }
}
