import HostContract
import KithJSON
import KithMetrics
import MetricsContract
import KithTerminal

/// What workers do, for a person or a program.
struct TopReport {
  let product: String
  let sample: MetricsSample
  let terminal: Terminal
  /// Whether each method has a line.
  var showsMethods = false

  /// The headline and a table, within 80 columns for names of up to 17.
  var lines: [String] {
    let calls = sample.workers.reduce(0) { $0 + $1.row.callsPerSecond }
    var head =
      "\(terminal.text(SafeText.line(product), .bold))  \(Self.number(calls)) calls/s"
    if let host = sample.metrics.host {
      let share = sample.hostShare.map { ", \(Self.percent($0))" } ?? ""
      head += "  host \(Quantities.bytes(host.residentBytes))\(share)"
    }
    if sample.isSinceStart { head += terminal.text("  (since each worker started)", .faint) }
    let table = Table(
      columns: [
        .init(title: "WORKER"), .init(title: "CALLS/S", isNumeric: true),
        .init(title: "P50", isNumeric: true), .init(title: "P95", isNumeric: true),
        .init(title: "P99", isNumeric: true), .init(title: "ERRORS", isNumeric: true),
        .init(title: "BUSY", isNumeric: true), .init(title: "MEMORY", isNumeric: true),
        .init(title: "CPU", isNumeric: true),
      ], rows: sample.workers.flatMap(rows))
    return [head, ""] + table.lines(terminal)
      + Concerns(alerts: sample.metrics.alerts, logTroubles: sample.metrics.logTroubles)
      .lines(terminal)
  }

  private func rows(_ worker: MetricsSample.Worker) -> [Table.Row] {
    let metrics = worker.metrics
    let process = metrics.process
    var row = Table.Row(
      cells: figures(worker.row, isKnown: metrics.state == .ready && metrics.problem.isEmpty) + [
        .init(process.map { Quantities.bytes($0.residentBytes) } ?? "-"),
        .init(worker.processorShare.map(Self.percent) ?? "-"),
      ])
    if metrics.state != .ready {
      row.notes.append(.init(StatusReport.words(metrics.state), .yellow))
    }
    if !metrics.problem.isEmpty {
      row.notes.append(
        .init("its counts are not known: \(SafeText.line(metrics.problem))", .yellow))
    }
    guard showsMethods else { return [row] }
    return [row]
      + worker.methods.map { method in
        var method = method
        method.name = "  \(method.name)"
        return Table.Row(cells: figures(method, isKnown: true) + [.init(""), .init("")])
      }
  }

  private func figures(_ row: MetricsSample.Row, isKnown: Bool) -> [Table.Cell] {
    let name = Table.Cell(SafeText.line(row.name))
    guard isKnown else { return [name] + Array(repeating: .init("-"), count: 6) }
    let times = [0.5, 0.95, 0.99].map { share in
      Table.Cell(row.calls.latencies.quantile(share).map(Quantities.latency) ?? "-")
    }
    let errors = Table.Cell(
      row.calls.errorRate.map(Self.percent) ?? "-", row.calls.errors > 0 ? .red : nil)
    return [name, .init(Self.number(row.callsPerSecond))] + times
      + [errors, .init(String(row.calls.inFlight))]
  }

  /// A rate: whole from ten on, with one digit below.
  private static func number(_ value: Double) -> String {
    value >= 10 ? String(Int(value.rounded())) : Quantities.decimals(value, 1)
  }

  private static func percent(_ share: Double) -> String {
    let percent = share * 100
    return "\(percent >= 10 ? String(Int(percent.rounded())) : Quantities.decimals(percent, 1)) %"
  }

  // MARK: For programs

  /// The figures as one object: rates a second, times in seconds, shares from 0 to 1 (of one
  /// processor for `cpu`).
  func json(atMilliseconds now: Int64) -> JSONValue {
    let host: JSONValue = [
      "residentBytes": .unsigned(sample.metrics.host?.residentBytes ?? 0),
      "cpu": Self.json(sample.hostShare),
    ]
    return [
      "atMs": .integer(now), "product": .string(product),
      "sinceStart": .bool(sample.isSinceStart), "host": host,
      "workers": .array(sample.workers.map(json)),
      "alerts": .array(
        sample.metrics.alerts.filter { $0.state == .firing }.map {
          [
            "name": .string($0.name), "worker": .string($0.worker),
            "condition": .string($0.condition), "value": .string($0.value),
          ]
        }),
    ]
  }

  private func json(_ worker: MetricsSample.Worker) -> JSONValue {
    var object: JSONObject = [
      "name": .string(worker.row.name),
      "state": .string(worker.metrics.state.name ?? String(worker.metrics.state.rawValue)),
      "generation": .unsigned(worker.metrics.generation),
      "restarts": .unsigned(UInt64(worker.metrics.restarts)),
      "residentBytes": .unsigned(worker.metrics.process?.residentBytes ?? 0),
      "cpu": Self.json(worker.processorShare),
    ]
    for (name, value) in Self.figures(worker.row) { object[name] = value }
    object["methods"] = .array(
      zip(worker.methods, worker.metrics.methods).map { row, method in
        .object(JSONObject([("method", .string(method.method))] + Self.figures(row)))
      })
    return .object(object)
  }

  private static func figures(_ row: MetricsSample.Row) -> [(String, JSONValue)] {
    let seconds = { (share: Double) in
      json(row.calls.latencies.quantile(share).map { Double($0) / 1e6 })
    }
    return [
      ("callsPerSecond", .number(row.callsPerSecond)), ("calls", .unsigned(row.calls.calls)),
      ("errors", .unsigned(row.calls.errors)), ("errorRate", json(row.calls.errorRate)),
      ("p50", seconds(0.5)), ("p95", seconds(0.95)), ("p99", seconds(0.99)),
      ("inFlight", .unsigned(row.calls.inFlight)),
    ]
  }

  private static func json(_ value: Double?) -> JSONValue { value.map { .number($0) } ?? .null }
}
