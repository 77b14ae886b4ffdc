import Glibc
import KithJSON
import KithManifest
import KithPlanning
import KithSupervision

/// Sends alerts of severity `page` where the manifest's `pager` says.
extension Host {
  /// How long a try may take, and how long to wait after each that failed: three tries in all.
  private static let pageTimeLimit = Duration.seconds(20)
  private static let pageRetries: [Duration] = [.seconds(5), .seconds(30)]

  /// Sends a change, if it is one that somebody is to be woken for, and returns at once.
  func page(_ change: AlertEvaluator.Change) {
    let standing = change.standing
    guard let pager = settings.plan.pager, standing.rule.severity == .page,
      standing.state == .firing || change.previous == .firing
    else { return }
    let text = Array((message(of: standing).text() + "\n").utf8)
    let name = "\(standing.rule.name) of \(standing.worker)"
    for way in PagerCommand.all(of: pager) {
      tasks.add { await self.deliver(text, by: way, name) }
    }
  }

  /// What is sent: no figure of a person and no text of a worker.
  private func message(of standing: AlertEvaluator.Standing) -> JSONValue {
    let isFiring = standing.state == .firing
    let value = standing.figure.map(standing.rule.words) ?? ""
    // How long a state has lasted is what its rule says when it begins to fire.
    let showsValue = standing.rule.measure.isOfCalls || standing.rule.measure == .restarts
    return [
      "product": .string(settings.plan.product), "alert": .string(standing.rule.name),
      "worker": .string(standing.worker), "state": .string(isFiring ? "firing" : "resolved"),
      "severity": .string(standing.rule.severity.rawValue),
      "condition": .string(standing.rule.description), "value": .string(value),
      "at_ms": .integer(WallClock.milliseconds),
      "text": .string(
        "\(settings.plan.title): \(standing.worker) \(isFiring ? "" : "no longer ")\(standing.rule.description)"
          + (isFiring && showsValue ? ", now \(value)" : "")),
    ]
  }

  /// Waits until a helper has ended; nil when its time was over, and it was killed.
  private func end(of helper: WorkerProcess) async -> ProcessEnd? {
    paging.started(helper.identity.pid)
    defer {
      helper.reapWhenEnded()
      paging.ended(helper.identity.pid)
    }
    let deadline = ContinuousClock.now + Self.pageTimeLimit
    while helper.end() == nil, .now < deadline, !Task.isCancelled {
      try? await Task.sleep(for: .milliseconds(50))
    }
    let end = helper.end()
    helper.signalGroup(SIGKILL)
    return end
  }

  private func deliver(_ text: [UInt8], by way: PagerCommand, _ name: String) async {
    var trouble = ""
    for pause in [.zero] + Self.pageRetries {
      try? await Task.sleep(for: pause)
      do throws(SystemError) {
        guard let end = await end(of: try way.start(text, environment: settings.environment)) else {
          trouble = "it did not end within \(Self.pageTimeLimit.components.seconds) s"
          continue
        }
        if end.isClean {
          paging.sent(by: way)
          return log("alert \(name): sent by the pager's \(way.name)")
        }
        trouble = "\(end)"
      } catch {
        trouble = "\(error)"
      }
      if Task.isCancelled { break }
    }
    paging.failed(
      by: way, "the pager's \(way.name) failed, and nobody was told of \(name): \(trouble)")
    log(
      "alert \(name): the pager's \(way.name) failed \(Self.pageRetries.count + 1) times: \(trouble)",
      level: .error)
  }
}
