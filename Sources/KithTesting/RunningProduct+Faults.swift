import Glibc
import HostContract
import KithManifest
import KithTime
import Synchronization

/// What a product suffers now.
struct Troubles {
  /// The processes that stand still, by worker.
  var frozen: [String: Int32] = [:]
  var hasToldSeed = false
  var checks: [@Sendable (RunningProduct) async throws -> Void] = []
}

/// What goes wrong, and is put right again.
extension RunningProduct {
  /// Has something go wrong from now on, until ``recover(from:)`` or the end of the test. A worker
  /// that is to be killed or to stand still is ready first.
  ///
  /// Before that the kit notes what stands in the event logs that it has looked at: all of it must
  /// still stand there at the end.
  public func suffer(
    _ fault: Fault, fileID: String = #fileID, line: Int = #line
  ) async throws {
    try await step(fileID, line) { try await inject(fault) }
  }

  private func inject(_ fault: Fault) async throws {
    try await noteLogs()
    if let edge = fault.edge {
      guard let relays else {
        throw TestingError("no fault can act on \(edge): give the setup relayed()")
      }
      tellSeed()
      try relays.add(fault, on: edge)
    }
    switch fault {
    case .kill(let worker):
      try await waitUntil(worker) { $0.state == .ready }
      try await kill(worker)
    case .freeze(let worker):
      try await waitUntil(worker) { $0.state == .ready }
      let pid = try await kill(worker, signal: SIGSTOP).pid
      troubles.withLock { $0.frozen[worker] = pid }
      try await waitUntilStopped(pid)
    case .fullDisk(let worker):
      guard let disk = disks[worker] else {
        throw TestingError("\(worker) has no disk of its own: give the setup smallDisk(of:)")
      }
      try disk.fill()
    case .clockJump(let duration): try await clock.set(to: clock.now + duration)
    case .slow, .drop, .duplicate, .corrupt: break
    }
  }

  /// Waits until every thread of a process stands still: one that runs when the signal is sent may
  /// go on for a moment.
  private func waitUntilStopped(_ pid: Int32) async throws {
    let end = ContinuousClock.now + Self.patience
    while !Self.isStopped(pid) {
      guard .now < end else { throw TestingError("process \(pid) does not stop") }
      try await Task.sleep(for: .milliseconds(1))
    }
  }

  private static func isStopped(_ pid: Int32) -> Bool {
    let threads = TemporaryFolder.names(in: "/proc/\(pid)/task")
    return threads.allSatisfy { thread in
      // proc(5): the state follows the name, which stands in parentheses.
      let line = TemporaryFolder.text(of: "/proc/\(pid)/task/\(thread)/stat") ?? ""
      let state = line.lastIndex(of: ")").map { line[line.index(after: $0)...].drop { $0 == " " } }
      return state?.first.map { $0 == "T" || $0 == "t" || $0 == "Z" } ?? true
    }
  }

  /// Puts right what went wrong.
  public func recover(from fault: Fault) async throws {
    relays?.remove { $0 == fault }
    switch fault {
    case .freeze(let worker): thaw(worker)
    case .fullDisk(let worker): disks[worker]?.empty()
    case .kill, .clockJump, .slow, .drop, .duplicate, .corrupt: break
    }
  }

  /// Has something go wrong while `body` runs.
  public func during<Value>(
    _ fault: Fault, _ body: () async throws -> Value
  ) async throws -> Value {
    try await suffer(fault)
    let value: Value
    do {
      value = try await body()
    } catch {
      try await recover(from: fault)
      throw error
    }
    try await recover(from: fault)
    return value
  }

  /// Some faults out of these, by the seed: the same again with the same seed, which is told on
  /// standard error.
  public func faults(_ count: Int, of choice: [Fault]) -> [Fault] {
    tellSeed()
    var dice = seed.dice(for: "faults")
    return (0..<count).compactMap { _ in choice.randomElement(using: &dice) }
  }

  /// Puts everything right.
  func recoverFromAll() {
    relays?.remove { _ in true }
    for worker in troubles.withLock({ Array($0.frozen.keys) }) { thaw(worker) }
    for disk in disks.values { disk.empty() }
  }

  private func thaw(_ worker: String) {
    let pid = troubles.withLock { $0.frozen.removeValue(forKey: worker) }
    // It may have been replaced meanwhile, and its number be somebody else's.
    if let pid, processes().contains(pid) { Glibc.kill(pid, SIGCONT) }
  }

  /// Says once how to have the same chances again, so that it stands above whatever fails.
  private func tellSeed() {
    let isTold = troubles.withLock { troubles in
      defer { troubles.hasToldSeed = true }
      return troubles.hasToldSeed
    }
    guard !isTold else { return }
    Self.tell("the faults of \(places.product) come from a seed: \(Seed.variable)=\(seed.number)")
  }
}
