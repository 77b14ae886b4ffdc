import Glibc
import HostContract
import KithManifest
import KithTesting
import Synchronization

/// One run: a product under load from two clients, while its worker and the second client are
/// killed at random.
struct Soak: Sendable {
  private static let callers = 24
  private static let otherCallers = 8
  private static let worker = "odd"

  private struct Seen {
    var worker = MemoryCurve()
    var host = MemoryCurve()
    var client = MemoryCurve()
    var otherClient = MemoryCurve()
    var workerPID: Int32 = 0
    var otherClientPID: Int32 = 0
  }

  /// What is seen of processes from several tasks.
  private final class Watch: Sendable {
    let seen = Mutex(Seen())
  }

  /// The product.
  let product: RunningProduct
  /// What all is drawn from.
  let seed: UInt64
  /// For how long.
  let time: Duration

  private let watch = Watch()
  private let start = ContinuousClock.now

  /// A run that begins now.
  init(product: RunningProduct, seed: UInt64, time: Duration) {
    self.product = product
    self.seed = seed
    self.time = time
  }

  /// Runs it.
  func run() async throws -> Report {
    try await product.settle()
    watch.seen.withLock { $0.workerPID = 0 }
    let load = Load(
      client: product.client(of: Self.worker), journal: try Journal(path: journal(0)), seed: seed,
      name: "0")
    async let workerKills = killWorkers()
    async let clientKills = runOtherClients()
    let watching = Task { await watchMemory() }
    await load.run(callers: Self.callers, for: time)
    let kills = try await (worker: workerKills, client: clientKills)
    watching.cancel()
    await watching.value
    look()
    var tally = Tally()
    for index in 0...kills.client {
      tally.add(TemporaryFolder.text(of: journal(index)) ?? "")
    }
    let seen = watch.seen.withLock { $0 }
    return Report(
      seconds: start.duration(to: .now) / .seconds(1), tally: tally, workerKills: kills.worker,
      clientKills: kills.client - 1,
      memory: [
        ("host", seen.host), ("worker", seen.worker), ("client", seen.client),
        ("killed client", seen.otherClient),
      ])
  }

  private func journal(_ client: Int) -> String { "\(product.folder.path)/journal-\(client)" }

  private var isOver: Bool { start.duration(to: .now) >= time }

  private func part() -> Double { start.duration(to: .now) / time }

  /// Waits for so long, but not past the end.
  private func wait(_ duration: Duration) async throws {
    try await Task.sleep(for: min(duration, max(.zero, time - start.duration(to: .now))))
  }

  // MARK: Killing

  /// Kills the worker again and again; how often.
  private func killWorkers() async throws -> Int {
    var generator = SeededGenerator(seed: seed, stream: 1 << 32)
    var kills = 0
    while true {
      let ready = try await product.waitUntil(Self.worker) { $0.state == .ready }
      watch.seen.withLock { $0.workerPID = ready.pid }
      try await wait(generator.milliseconds(300...4000))
      if isOver { return kills }
      let killed = try await product.kill(Self.worker)
      kills += 1
      try await product.waitUntil(Self.worker) {
        $0.generation > killed.generation || $0.state != .ready
      }
      // Asked for, since the host waits longer from one restart in a row to the next.
      _ = try await product.host.startWorker(StartWorkerRequest(name: Self.worker))
    }
  }

  /// Runs a second client in a process of its own, kills it and runs the next; how many there were.
  private func runOtherClients() async throws -> Int {
    var generator = SeededGenerator(seed: seed, stream: 2 << 32)
    var clients = 0
    while !isOver {
      clients += 1
      let left = max(.zero, time - start.duration(to: .now))
      let client = try Program.built(
        "kith-soak",
        [
          "client", "--control", product.places.controlAddress, "--journal", journal(clients),
          "--seed", "\(generator.next())", "--name", "\(clients)",
          "--callers", "\(Self.otherCallers)",
          "--milliseconds", "\(Int(left / .milliseconds(1)))",
        ]
      ).start(errors: "\(product.folder.path)/client-\(clients).err")
      watch.seen.withLock { $0.otherClientPID = client.pid }
      try await wait(generator.milliseconds(500...8000))
      if isOver {
        // It leaves by itself, and later than its patience only if it is stuck.
        let exitCode = await client.exitCode()
        guard exitCode == 0 else {
          let words = TemporaryFolder.text(of: "\(product.folder.path)/client-\(clients).err")
          throw TestingError("the second client left with \(exitCode): \(words ?? "")")
        }
      } else {
        client.signal(SIGKILL)
        _ = await client.exitCode()
      }
    }
    return clients
  }

  // MARK: Memory

  private func watchMemory() async {
    while !Task.isCancelled {
      look()
      try? await Task.sleep(for: .milliseconds(250))
    }
  }

  private func look() {
    let part = part()
    watch.seen.withLock { seen in
      if let memory = Memory(of: product.program.pid) { seen.host.add(memory, at: part) }
      if let memory = Memory(of: getpid()) { seen.client.add(memory, at: part) }
      if let memory = Memory(of: seen.workerPID) { seen.worker.add(memory, at: part) }
      if let memory = Memory(of: seen.otherClientPID) { seen.otherClient.add(memory, at: part) }
    }
  }
}
