import Glibc
import HostContract
import KithRPC
import KithTesting
import RiskContract
import SupervisionSimulation
import Synchronization
import Testing

/// Random orders of what can go wrong, drawn from a seed, against a real host and real processes:
/// the same promises that the supervisor's decisions are held to in `SupervisionSimulation`. When
/// and how fast things happen is the machine's.
@Suite struct RealScheduleTests {
  /// Something that happens to a worker.
  private enum Move: String, CaseIterable {
    case start, stop, restart, crash, kill, freeze, stay, escape, leak, fillLog, call
    /// The manifest changes: how it starts, what it says, or whether it is there.
    case slowStart, neverReady, refuse, startWell, mood, remove
  }

  private static let workers = ["base", "caller", "lone"]
  private static let length = 14

  /// The seed that is in `KITH_SCHEDULE_SEED`, to play one again, or some.
  private static let seeds: [UInt64] =
    getenv("KITH_SCHEDULE_SEED").flatMap { UInt64(String(cString: $0)) }.map { [$0] }
    ?? Array(1...6)

  @Test(arguments: seeds)
  func keepsItsPromises(seed: UInt64) async throws {
    try await RunningProduct.run(Self.setup) { product in
      let status = try await product.settle()
      let schedule = RealSchedule(product)
      // What leaves its environment behind is found by control groups alone.
      let canEscape = !status.degradations.contains { $0.hasPrefix("no cgroup") }
      var dice = Dice(seed: seed)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<Self.length {
          let name = Self.workers[Int.random(in: 0..<3, using: &dice)]
          let drawn = Move.allCases[Int.random(in: 0..<Move.allCases.count, using: &dice)]
          let goesOn = Bool.random(using: &dice)
          let move = drawn == .escape && !canEscape ? .call : drawn
          schedule.note("\(move) \(name)\(goesOn ? "" : ", awaited")")
          try schedule.change(move, name)
          if goesOn {
            group.addTask { await schedule.play(move, name) }
          } else {
            await schedule.play(move, name)
          }
          try await schedule.checkPromises()
        }
        try await group.waitForAll()
      }
      try await schedule.checkPromises()
      // Whatever happened, who asks for all to be well gets that.
      do {
        try schedule.mend()
        _ = try await product.host.applyChanges(
          ApplyChangesRequest(), options: CallOptions(timeout: RunningProduct.patience))
        for name in Self.workers {
          _ = try await product.host.startWorker(
            StartWorkerRequest(name: name), options: CallOptions(timeout: RunningProduct.patience))
        }
      } catch {
        let workers = try await product.status().workers.map {
          "\($0.name) is \($0.state): \($0.reason)"
        }
        Issue.record("seed \(seed): \(error); \(workers); \(schedule.story)")
      }
      let unready = try await product.status().workers.filter { $0.state != .ready }
      #expect(unready.isEmpty, "seed \(seed): \(schedule.story)")
      try await schedule.checkPromises()
      #expect(schedule.broken.isEmpty, "seed \(seed): \(schedule.broken); \(schedule.story)")
    }
  }

  private static var setup: ProductSetup {
    let more = """
      watchdog: 500ms
      limits: { memory: 64MiB }
      """
    let restart =
      "{ intensity: 2, period: 1m, backoff: { shortest: 20ms, longest: 100ms, healthy_after: 1m } }"
    func plugin(_ name: String, _ provides: String, _ requires: String) -> ProductSetup.Plugin {
      Setups.plugin(
        name: name, executable: "misbehaving-worker", provides: provides, requires: requires,
        restart: restart, startTimeout: "1500ms", stopTimeout: "1s",
        more: name == "lone" ? "overlap: true\n\(more)" : more)
    }
    return ProductSetup(
      product: RealSchedule.manifest([:]),
      plugins: [
        plugin("base", "kith.testing.v1.Streams", ""),
        plugin(
          "caller", "kith.risk.v1.RiskEngine",
          "{ service: kith.testing.v1.Streams, health: live, on_loss: hold }"),
        plugin("lone", "", ""),
      ])
  }

  /// A product under a schedule.
  private final class RealSchedule: Sendable {
    private struct State {
      var configurations: [String: String] = [:]
      var missing: Set<String> = []
      var story: [String] = []
      var broken: [String] = []
    }

    private let product: RunningProduct
    private let state = Mutex(State())

    init(_ product: RunningProduct) { self.product = product }

    var story: String { state.withLock { $0.story.joined(separator: "; ") } }
    var broken: [String] { state.withLock { $0.broken } }

    func note(_ text: String) { state.withLock { $0.story.append(text) } }

    /// The manifest with these configurations.
    static func manifest(
      _ configurations: [String: String], without missing: Set<String> = []
    ) -> String {
      "product: test\ntitle: Test\nposture: ephemeral\nworkers:\n"
        + workers.filter { !missing.contains($0) }
        .map { "  \($0): { config: { \(configurations[$0] ?? "") } }\n" }.joined()
    }

    /// Changes the manifest as the move says.
    func change(_ move: Move, _ name: String) throws {
      let text = state.withLock { state -> String in
        switch move {
        case .slowStart: state.configurations[name] = "at_start: slow"
        case .neverReady: state.configurations[name] = "at_start: hang"
        case .refuse: state.configurations[name] = "at_start: refuse"
        case .startWell: state.configurations[name] = nil
        case .mood: state.configurations[name] = "mood: merry"
        // What the others require stays, else the manifest is wrong.
        case .remove: state.missing = name == "base" ? [] : [name]
        default: break
        }
        return Self.manifest(state.configurations, without: state.missing)
      }
      try product.folder.write(text, to: "plugins/products/product.yaml")
    }

    /// Leaves nothing wrong in the manifest.
    func mend() throws {
      state.withLock {
        $0.configurations = [:]
        $0.missing = []
      }
      try product.folder.write(Self.manifest([:]), to: "plugins/products/product.yaml")
    }

    /// Has it happen. What is refused is refused: another order came first, or the worker is not
    /// there.
    func play(_ move: Move, _ name: String) async {
      let options = CallOptions(timeout: .seconds(20))
      switch move {
      case .start:
        _ = try? await product.host.startWorker(StartWorkerRequest(name: name), options: options)
      case .stop:
        _ = try? await product.host.stopWorker(StopWorkerRequest(name: name), options: options)
      case .restart:
        _ = try? await product.host.restartWorkers(
          RestartWorkersRequest(names: [name]), options: options)
      case .kill: _ = try? await product.kill(name)
      case .crash: await tell(name, "exit 3")
      case .freeze: await tell(name, "freeze")
      case .stay: await tell(name, "stay")
      case .escape: await tell(name, "escape")
      case .leak: await tell(name, "leak")
      case .fillLog: await tell(name, "write 200 4000")
      case .call: await tell(name, "hello")
      case .slowStart, .neverReady, .refuse, .startWell, .mood, .remove:
        _ = try? await product.host.applyChanges(ApplyChangesRequest(), options: options)
      }
    }

    private func tell(_ name: String, _ text: String) async {
      _ = try? await RiskEngineClient(product.client(of: name)).analyze(
        AnalyzeRequest(text: text), options: CallOptions(timeout: .seconds(10), retry: .never))
    }

    /// What must hold at any moment.
    func checkPromises() async throws {
      let status = try await product.status()
      var broken: [String] = []
      for worker in status.workers {
        if worker.generations.count > 2 {
          broken.append("\(worker.name) has the generations \(worker.generations)")
        }
        if let budget = worker.budget, budget.used > budget.allowed {
          broken.append("\(worker.name) was restarted \(budget.used) of \(budget.allowed) times")
        }
      }
      let running = leaders()
      for (mark, pids) in running where pids.count > 1 {
        broken.append("\(mark) is there twice: \(pids)")
      }
      let byWorker = Dictionary(grouping: running.keys) { mark in
        mark.split(separator: "/").last.map { String($0.prefix { $0 != "." && $0 != "#" }) } ?? ""
      }
      for (name, marks) in byWorker where marks.count > 2 {
        broken.append("\(name) has three processes: \(marks.sorted())")
      }
      state.withLock { $0.broken += broken }
    }

    /// The processes that the host started itself, by their marks: of an incarnation there may be
    /// one.
    private func leaders() -> [String: [Int32]] {
      var found: [String: [Int32]] = [:]
      for name in TemporaryFolder.names(in: "/proc") {
        guard let pid = Int32(name),
          let parent = TemporaryFolder.text(of: "/proc/\(pid)/stat")?
            .split(separator: ")").last?.split(separator: " ").dropFirst().first,
          Int32(parent) == product.program.pid,
          let environment = TemporaryFolder.text(of: "/proc/\(pid)/environ"),
          let mark = environment.split(separator: "\0").first(where: {
            $0.hasPrefix("KITH_INCARNATION=\(product.folder.path)/")
          }),
          let program = realpath("/proc/\(pid)/exe", nil)
        else { continue }
        defer { free(program) }
        guard String(cString: program).hasSuffix("/misbehaving-worker") else { continue }
        found[String(mark), default: []].append(pid)
      }
      return found
    }
  }
}
