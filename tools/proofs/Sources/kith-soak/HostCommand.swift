import ArgumentParser
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithTesting
import RiskContract
import Synchronization

/// `tools/soak host`.
struct HostCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "host",
    abstract: "Kills the host again and again while its workers are called, started and stopped.")

  @Option(help: "How often.") var times = 200
  @Option(help: "What the moments are drawn from.") var seed = UInt64.random(in: 0...9999)

  /// Workers that nobody touches: no death of a host may restart them.
  private static let steady = ["steady-0", "steady-1", "steady-2"]
  /// One that is started, stopped and restarted all the time, so that hosts die in the middle of
  /// that.
  private static let restless = "restless"

  /// What the callers have seen.
  private final class Counts: Sendable {
    let made = Atomic(0)
    let failures = Mutex<[String]>([])
    /// What each worker has said it wrote to its output, in order.
    let written = Mutex<[String: [String]]>([:])
    let isOver = Atomic(false)

    var goesOn: Bool { !isOver.load(ordering: .relaxed) }
  }

  func validate() throws {
    guard times > 0 else { throw ValidationError("--times is above 0") }
  }

  func run() async throws {
    print("seed                    \(seed)")
    let product = try await RunningProduct.start(Self.setup)
    var last = product
    do {
      let before = try await product.settle()
      // Who has found its way to a worker needs no host to call it.
      for name in Self.steady {
        _ = try await RiskEngineClient(product.client(of: name)).analyze(
          AnalyzeRequest(text: "hello"))
      }
      let counts = Counts()
      var early = 0
      try await withThrowingTaskGroup { group in
        for name in Self.steady {
          for caller in 0..<2 { group.addTask { await load(product, name, caller, counts) } }
        }
        group.addTask { await disturb(product, counts) }
        group.addTask { await newcomers(product, counts) }
        early = try await killHosts(product)
        counts.isOver.store(true, ordering: .relaxed)
        last = try await RunningProduct.start(Self.setup, in: product.folder)
        try await group.waitForAll()
      }
      let after = try await last.settle()
      let led = after.workers.map(\.pid).filter { $0 != 0 }.sorted()
      let orphans = last.processes().filter { !led.contains($0) }
      let outcome = Outcome(
        restarted: Self.restarts(before, after), early: early, orphans: orphans.count,
        lines: try await loggedLines(of: last, having: counts.written.withLock { $0 }))
      product.connection.close()
      // Also proves that no process of the product is left.
      try await last.stop()
      try judge(counts, outcome)
    } catch {
      product.abandon()
      last.abandon()
      throw error
    }
  }

  private struct Outcome {
    var restarted: Int
    var early: Int
    var orphans: Int
    var lines: [String: [String]]
  }

  private static func restarts(_ before: GetStatusResponse, _ after: GetStatusResponse) -> Int {
    steady.count { name in
      let (old, new) = (
        before.workers.first { $0.name == name }, after.workers.first { $0.name == name }
      )
      return old?.pid != new?.pid || old?.generation != new?.generation || new?.state != .ready
    }
  }

  private func judge(_ counts: Counts, _ outcome: Outcome) throws {
    var (written, lost, doubled, lostBytes, doubledBytes, disordered) = (0, 0, 0, 0, 0, 0)
    for (name, lines) in counts.written.withLock({ $0 }) {
      var times: [String: Int] = [:]
      for line in outcome.lines[name] ?? [] { times[line, default: 0] += 1 }
      for line in lines {
        written += 1
        switch times[line] ?? 0 {
        case 0: (lost, lostBytes) = (lost + 1, lostBytes + line.utf8.count + 1)
        case 1: break
        case let count:
          doubled += count - 1
          doubledBytes += (count - 1) * (line.utf8.count + 1)
        }
      }
      // Each caller's lines of a stream stand in the order in which it had them written.
      for caller in 0..<2 {
        for stream in 0..<2 {
          let numbers = (outcome.lines[name] ?? []).compactMap { line -> Int? in
            let words = line.split(separator: " ")
            guard words.first == "\(caller)", let number = Int(words[1]) else { return nil }
            return number % 2 == stream ? number : nil
          }
          disordered += zip(numbers, numbers.dropFirst()).count { $0 > $1 }
        }
      }
    }
    let failures = counts.failures.withLock { $0 }
    print("host killed             \(times) times, \(outcome.early) before it listened")
    print("workers restarted by it \(outcome.restarted)")
    print("calls made              \(counts.made.load(ordering: .relaxed))")
    print("calls failed            \(failures.count)")
    for failure in failures.prefix(5) { print("    \(failure)") }
    print("log lines written       \(written)")
    print("log bytes lost          \(lostBytes), in \(lost) lines")
    print("log bytes doubled       \(doubledBytes), in \(doubled) lines")
    print("lines out of order      \(disordered)")
    print("orphans                 \(outcome.orphans)")
    guard outcome.restarted == 0, failures.isEmpty, lost == 0, doubled == 0, disordered == 0,
      outcome.orphans == 0, written > 0
    else { throw ExitCode(1) }
  }

  // MARK: Killing

  /// Kills the host and starts the next one, again and again; how many died before they listened.
  private func killHosts(_ product: RunningProduct) async throws -> Int {
    var generator = SeededGenerator(seed: seed)
    var early = 0
    await product.killHost()
    let arguments = try Self.setup.launchArguments(writingTo: product.folder)
    let errors = "\(product.folder.path)/kithd.err"
    for _ in 1..<times {
      let socket = identity(of: product.places.controlSocket)
      let host = try Program.built("kithd", arguments).start(errors: errors)
      // Half of them while they start and take over, the others in the midst of life.
      let isYoung = generator.chance(percent: 50)
      try await Task.sleep(for: generator.milliseconds(isYoung ? 0...120 : 120...600))
      guard !host.hasEnded else {
        let words = TemporaryFolder.text(of: errors) ?? ""
        throw TestingError("a host left by itself with \(await host.exitCode()): \(words)")
      }
      // The next host that listens makes another file of it.
      if identity(of: product.places.controlSocket) == socket { early += 1 }
      host.signal(SIGKILL)
      _ = await host.exitCode()
    }
    return early
  }

  private func identity(of path: String) -> [Int] {
    var status = stat()
    guard stat(path, &status) == 0 else { return [] }
    return [Int(status.st_ino), status.st_ctim.tv_sec, status.st_ctim.tv_nsec]
  }

  /// Has the restless worker started, stopped and restarted by whichever host lives.
  private func disturb(_ product: RunningProduct, _ counts: Counts) async {
    var generator = SeededGenerator(seed: seed, stream: 1)
    while counts.goesOn, !Task.isCancelled {
      let options = CallOptions(timeout: .seconds(5))
      switch Int.random(in: 0..<3, using: &generator) {
      case 0:
        _ = try? await product.host.stopWorker(
          StopWorkerRequest(name: Self.restless), options: options)
      case 1:
        _ = try? await product.host.restartWorkers(
          RestartWorkersRequest(names: [Self.restless]), options: options)
      default: break
      }
      _ = try? await product.host.startWorker(
        StartWorkerRequest(name: Self.restless), options: options)
      try? await Task.sleep(for: generator.milliseconds(0...30))
    }
  }

  // MARK: Calling

  /// Calls a worker over and over by a way that was found once, and has it write.
  private func load(
    _ product: RunningProduct, _ name: String, _ caller: Int, _ counts: Counts
  ) async {
    let engine = RiskEngineClient(product.client(of: name))
    let filler = String(repeating: "x", count: 100)
    var number = 0
    while counts.goesOn, !Task.isCancelled {
      number += 1
      let line = "\(caller) \(number) \(filler)"
      // Both streams in turn.
      let order = number % 2 == 0 ? "print" : "log info"
      counts.made.add(1, ordering: .relaxed)
      do throws(RPCError) {
        _ = try await engine.analyze(
          AnalyzeRequest(text: "\(order) \(line)"),
          options: CallOptions(timeout: .seconds(10), retry: .never))
        counts.written.withLock { $0[name, default: []].append(line) }
      } catch {
        counts.failures.withLock { $0.append("\(name): \(error)") }
      }
      try? await Task.sleep(for: .milliseconds(5))
    }
  }

  /// Callers who come anew and ask whichever host lives for the way, or wait for one.
  private func newcomers(_ product: RunningProduct, _ counts: Counts) async {
    while counts.goesOn, !Task.isCancelled {
      for name in Self.steady {
        let connection = HostConnection(
          product: "soak", address: product.places.controlAddress)
        defer { connection.close() }
        counts.made.add(1, ordering: .relaxed)
        do throws(RPCError) {
          _ = try await RiskEngineClient(connection.worker(named: name)).analyze(
            AnalyzeRequest(text: "hello"),
            options: CallOptions(timeout: .seconds(30), waitForReady: true))
        } catch {
          counts.failures.withLock { $0.append("a newcomer to \(name): \(error)") }
        }
      }
      try? await Task.sleep(for: .milliseconds(20))
    }
  }

  /// How long the logs may take to catch up with what was written.
  private static let timeToLog = Duration.seconds(30)

  /// All that the steady workers have in their logs, once they have what was written or their time
  /// is over: a line waits in its spool until personal data have been looked for in it.
  private func loggedLines(
    of product: RunningProduct, having written: [String: [String]]
  ) async throws -> [String: [String]] {
    let deadline = ContinuousClock.now + Self.timeToLog
    while true {
      let lines = try await loggedLines(of: product)
      let isComplete = written.allSatisfy { name, written in
        Set(lines[name] ?? []).isSuperset(of: written)
      }
      if isComplete || .now > deadline { return lines }
      try await Task.sleep(for: .milliseconds(100))
    }
  }

  private func loggedLines(of product: RunningProduct) async throws -> [String: [String]] {
    var lines: [String: [String]] = [:]
    for name in Self.steady {
      // From the oldest line that is left.
      var request = ReadLogRequest(names: [name], cursor: "\(name)@0")
      while true {
        let page = try await product.host.readLog(request)
        if page.lines.isEmpty { break }
        lines[name, default: []] += page.lines.map(\.text)
        request.cursor = page.cursor
      }
    }
    return lines
  }

  private static var setup: ProductSetup {
    ProductSetup(
      product: """
        product: soak
        title: Soak
        posture: ephemeral
        workers:
        \(steady.map { "  \($0): {}" }.joined(separator: "\n"))
          \(restless): {}

        """,
      plugins: (steady + [restless]).map { name in
        .soak(
          name, provides: name == steady[0] ? "kith.risk.v1.RiskEngine" : "",
          "postures: [ephemeral]", "stop_timeout: 1s")
      })
  }
}
