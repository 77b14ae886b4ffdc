import HostContract
import KithTerminal

extension WorkerExit {
  /// The last lines of the log without the one in which the worker gives the reason that stands in
  /// the description.
  var linesBesideDescription: [String] {
    let reason = description.split(separator: ": ", maxSplits: 1).last.map { $0.prefix(60) } ?? ""
    return lastLines.filter { reason.count < 20 || !$0.contains(reason) }
  }
}

/// What runs, for a person.
struct StatusReport {
  let status: GetStatusResponse
  let terminal: Terminal
  /// What a command needs to find the product, with a space in front: ` --root /tmp/demo`.
  var options = ""
  /// Now, in milliseconds since 1970-01-01T00:00:00Z.
  let now: Int64

  /// The headline, and a table with a row for each worker.
  var lines: [String] {
    let title = SafeText.line(status.title.isEmpty ? status.product : status.title)
    let uptime = Quantities.elapsed(milliseconds: now - status.hostStartedAtMs)
    let head = TextWidth.hanging(
      "\(title) (\(SafeText.line(status.product)))"
        + "  host \(SafeText.line(status.hostVersion)), pid \(status.hostPid), up \(uptime)",
      width: terminal.width
    ).enumerated().map { position, line in
      position == 0 && line.hasPrefix(title)
        ? terminal.text(title, .bold) + line.dropFirst(title.count) : line
    }
    guard !status.workers.isEmpty else { return head + ["", "The product has no workers."] }
    let elsewhere = status.remoteServices.flatMap {
      TextWidth.hanging(
        "elsewhere: \(SafeText.line($0.service))  \(SafeText.line($0.address))",
        width: terminal.width)
    }
    return head + degradations + [""]
      + Self.table(status.workers, options: options, now: now).lines(terminal)
      + (elsewhere.isEmpty ? [] : [""] + elsewhere)
      + Concerns(alerts: status.alerts, logTroubles: status.logTroubles).lines(terminal)
  }

  /// What somebody can mend, each in full; of what the machine does not let the host keep one thing
  /// in full, of several how many there are.
  private var degradations: [String] {
    let reasons = status.degradations.map(SafeText.line)
    var texts = reasons.filter(Diagnosis.isCurable)
    let others = reasons.filter { !Diagnosis.isCurable($0) }
    if let first = others.first {
      texts.append(
        others.count == 1
          ? first : "\(others.count) things that should be kept are not; `kith doctor` lists them")
    }
    return texts.map { CommandHint.located($0, options) }
      .flatMap { TextWidth.hanging("degraded: \($0)", width: terminal.width) }
      .map { terminal.text($0, .yellow) }
  }

  /// The workers as a table.
  static func table(_ workers: [WorkerStatus], options: String = "", now: Int64) -> Table {
    Table(
      columns: [
        .init(title: "WORKER"), .init(title: "VERSION"), .init(title: "STATE"),
        .init(title: "PID", isNumeric: true),
        .init(title: "SINCE", isNumeric: true), .init(title: "RESTARTS", isNumeric: true),
        .init(title: "MEMORY", isNumeric: true),
      ],
      rows: workers.map { row($0, options, now: now) })
  }

  private static func row(_ worker: WorkerStatus, _ options: String, now: Int64) -> Table.Row {
    let hasProcess = worker.pid != 0
    return Table.Row(
      cells: [
        .init(SafeText.line(worker.name)),
        .init(
          SafeText.line(worker.pluginVersion) + (isUpgraded(worker) ? "*" : ""),
          isUpgraded(worker) ? .yellow : nil),
        .init(state(worker), colour(worker)),
        .init(hasProcess ? String(worker.pid) : "-"),
        .init(
          worker.sinceMs == 0 ? "-" : Quantities.elapsed(milliseconds: now - worker.sinceMs)),
        .init(String(worker.restarts), worker.restarts > 0 ? .yellow : nil),
        .init(worker.residentBytes > 0 ? Quantities.bytes(worker.residentBytes) : "-"),
      ], notes: notes(worker, options, now: now))
  }

  /// Whether another version runs than the manifest leads to.
  private static func isUpgraded(_ worker: WorkerStatus) -> Bool {
    !worker.manifestVersion.isEmpty && worker.manifestVersion != worker.pluginVersion
  }

  /// What a person must know about a worker that is not ready, or is not as the manifest says.
  private static func notes(
    _ worker: WorkerStatus, _ options: String, now: Int64
  ) -> [Table.Cell] {
    var notes: [Table.Cell] = []
    if isUpgraded(worker) {
      let version = SafeText.line(worker.manifestVersion)
      notes.append(
        .init(
          CommandHint.located(
            "* upgraded from \(version), until the product is stopped with `kith down`", options)))
    }
    if !worker.reason.isEmpty {
      notes.append(.init(CommandHint.located(SafeText.line(worker.reason), options)))
    }
    if let next = worker.nextStartAtMs, worker.state != .ready {
      let wait = next - now
      notes.append(
        .init(
          wait > 0
            ? "starts again in \(Quantities.elapsed(milliseconds: wait))" : "starts again now"))
    }
    let isDown = worker.state != .ready && worker.state != .stopped
    if isDown, let exit = worker.lastExit {
      if !worker.reason.contains(exit.description), !exit.description.isEmpty {
        notes.append(
          .init("last ended: \(CommandHint.located(SafeText.line(exit.description), options))"))
      }
      notes += exit.linesBesideDescription.map { .init("| " + SafeText.line($0), .faint) }
    }
    return notes
  }

  /// A state in plain words.
  static func words(_ state: WorkerState) -> String {
    switch state {
    case .stopped: "stopped"
    case .waiting: "waiting"
    case .starting: "starting"
    case .ready: "ready"
    case .draining: "draining"
    case .backingOff: "backing off"
    case .quarantined: "quarantined"
    case .finished: "finished"
    case .held: "held"
    default: state.name ?? "state \(state.rawValue)"
    }
  }

  /// The state of a worker: a ready one may be degraded, or suspected to be stuck.
  private static func state(_ worker: WorkerStatus) -> String {
    guard worker.state == .ready, let health = worker.health else { return words(worker.state) }
    if !health.live { return "not live" }
    return health.degradation.isEmpty ? words(worker.state) : "degraded"
  }

  private static func colour(_ worker: WorkerStatus) -> Terminal.Colour? {
    if state(worker) != words(worker.state) { return .yellow }
    return switch worker.state {
    case .ready: .green
    case .quarantined: .red
    case .backingOff, .waiting, .starting, .draining, .held: .yellow
    case .stopped, .finished: worker.wanted ? .red : .faint
    default: nil
    }
  }
}
