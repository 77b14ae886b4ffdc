import HostContract
import KithReflection
import KithTerminal

/// Why a worker is as it is: one chain from its state to the causes, on one screen.
struct Explanation {
  let status: GetStatusResponse
  let terminal: Terminal
  /// What a command needs to find the product, with a space in front: ` --root /tmp/demo`.
  var options = ""
  /// Now, in milliseconds since 1970-01-01T00:00:00Z.
  let now: Int64

  /// The chain of a worker; a worker that it waits for is explained below it.
  func lines(of worker: WorkerStatus) -> [String] {
    lines(of: worker, depth: 0, seen: [])
  }

  private func lines(of worker: WorkerStatus, depth: Int, seen: Set<String>) -> [String] {
    let indent = String(repeating: "  ", count: depth)
    let state = terminal.text(StatusReport.words(worker.state), .bold)
    var lines = [
      "\(indent)\(SafeText.line(worker.name)) is \(state), \(ago(worker.sinceMs, "since"))"
    ]
    func because(_ text: String, _ colour: Terminal.Colour? = nil) {
      let wrapped = Prose.wrapped(text, width: max(40, terminal.width - 2 * depth - 4))
      for (index, line) in wrapped.enumerated() {
        let text = colour.map { terminal.text(line, $0) } ?? line
        lines.append(indent + (index == 0 ? "  - " : "    ") + text)
      }
    }
    if !worker.reason.isEmpty { because(words(worker.reason)) }
    if let health = worker.health, !health.degradation.isEmpty,
      !worker.reason.contains(health.degradation)
    {
      because("degraded: \(words(health.degradation))", .yellow)
    }
    if let exit = worker.lastExit {
      // A short one is said in full where somebody looks for it.
      let isSaid = exit.description.count > 60 && worker.reason.contains(exit.description)
      because(
        "generation \(exit.generation) ended \(ago(exit.atMs))"
          + (isSaid ? ", for that reason" : ": \(words(exit.description))"))
      let width = max(40, terminal.width - 2 * depth - 6)
      lines += exit.linesBesideDescription.map { TextWidth.clipped(SafeText.line($0), to: width) }
        .map { indent + "    " + terminal.text("| " + $0, .faint) }
    }
    if let next = worker.nextStartAtMs, worker.state != .ready {
      because(
        next > now
          ? "starts again in \(Quantities.elapsed(milliseconds: next - now))" : "starts again now")
    }
    if let budget = worker.budget, budget.used > 0 || worker.state == .quarantined {
      because(
        "\(budget.used) of \(budget.allowed) restarts within "
          + "\(Quantities.elapsed(milliseconds: budget.periodMs)) are used")
    }
    if let adopted = worker.adoptedAtMs {
      because("its process was taken over from an earlier host \(ago(adopted))")
    }
    because(request(worker))
    if let step = nextStep(worker) { because(step) }
    // Each worker once: requirements have no circle, but two may require the same.
    let seen = seen.union([worker.name])
    for name in worker.requires where worker.state != .ready && !seen.contains(name) {
      guard let other = status.workers.first(where: { $0.name == name }), other.state != .ready
      else { continue }
      lines += self.lines(of: other, depth: depth + 1, seen: seen)
    }
    return lines
  }

  /// What a worker or its host says, with commands that find the product.
  private func words(_ text: String) -> String {
    CommandHint.located(SafeText.line(text), options)
  }

  /// What somebody could do about it; nil when there is nothing to be done.
  private func nextStep(_ worker: WorkerStatus) -> String? {
    let command = "`kith start \(SafeText.line(worker.name))\(options)`"
    switch worker.state {
    case .quarantined where worker.nextStartAtMs == nil:
      return "it is not tried again by itself: mend the cause, then \(command)"
    case .quarantined, .backingOff: return "\(command) tries at once"
    case .stopped, .finished: return "\(command) starts it"
    default: return nil
    }
  }

  /// Who wants it as it is.
  private func request(_ worker: WorkerStatus) -> String {
    guard let request = worker.request else {
      return worker.wanted ? "the manifest wants it up" : "nobody wants it up"
    }
    var text = "`kith \(SafeText.line(request.what))` was asked for it \(ago(request.atMs))"
    if request.pid != 0 { text += " by process \(request.pid)" }
    if let uid = request.uid { text += " of user \(uid)" }
    return text
  }

  private func ago(_ milliseconds: Int64, _ word: String = "") -> String {
    let elapsed = Quantities.elapsed(milliseconds: now - milliseconds)
    return word.isEmpty ? "\(elapsed) ago" : "\(word) \(elapsed)"
  }
}
