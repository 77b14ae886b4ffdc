import ArgumentParser
import Glibc
import HostContract
import KithManifest
import KithRPC
import KithTesting
import Synchronization
import TestingContract

/// `tools/soak restart`.
struct RestartCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "restart", abstract: "Restarts a worker again and again under a steady load.")

  @Option(help: "How often.") var times = 1000
  @Option(help: "How many calls a second are made.") var rate = 4000
  @Flag(help: "A worker that allows no overlap: its callers wait for ready, and are held.")
  var held = false

  private static let callers = 32

  /// What the callers have seen.
  private final class Counts: Sendable {
    let made = Atomic(0)
    let acknowledged = Atomic(0)
    let failures = Mutex<[String]>([])
    let isOver = Atomic(false)
  }

  func validate() throws {
    guard times > 0, rate > 0 else { throw ValidationError("--times and --rate are above 0") }
  }

  func run() async throws {
    let product = try await RunningProduct.start(setup)
    do {
      try await product.settle()
      let counts = Counts()
      let clock = ContinuousClock()
      let start = clock.now
      var slowest = Duration.zero
      var report = (served: UInt64(0), held: UInt64(0), failed: UInt64(0))
      try await withThrowingTaskGroup { group in
        for caller in 0..<Self.callers {
          group.addTask { await load(product.client(of: "odd"), caller, counts) }
        }
        for _ in 0..<times {
          let began = clock.now
          let outcome = try await Program.built(
            "kith", ["restart", "odd", "--root", "\(product.folder.path)/r", "--timeout", "60s"]
          ).run()
          slowest = max(slowest, clock.now - began)
          guard outcome.exitCode == 0 else {
            throw TestingError("kith restart: \(outcome.errors)\(outcome.output)")
          }
          let words =
            outcome.output.split(separator: "\n").last?.split { !$0.isNumber }
            .compactMap { UInt64($0) } ?? []
          guard words.count == 5 else { throw TestingError("not understood: \(outcome.output)") }
          report.served += words[2]
          report.held += words[3]
          report.failed += words[4]
        }
        counts.isOver.store(true, ordering: .relaxed)
        try await group.waitForAll()
      }
      let seconds = (clock.now - start) / .seconds(1)
      let generation = try await product.worker("odd").generation
      // Also proves that no process of the product is left.
      try await product.stop()
      let list =
        TemporaryFolder.text(of: "\(product.places.stateDirectory(worker: "odd"))/entries") ?? ""
      try judge(counts, list, seconds, slowest, generation, report)
    } catch {
      product.abandon()
      throw error
    }
  }

  private func judge(
    _ counts: Counts, _ list: String, _ seconds: Double, _ slowest: Duration, _ generation: UInt64,
    _ report: (served: UInt64, held: UInt64, failed: UInt64)
  ) throws {
    let entries = Entries(list, acknowledged: [])
    let made = counts.made.load(ordering: .relaxed)
    let acknowledged = counts.acknowledged.load(ordering: .relaxed)
    let failures = counts.failures.withLock { $0 }
    print("restarts                \(times), now generation \(generation)")
    print("took                    \(Int(seconds)) s, the slowest restart \(slowest)")
    print("calls made              \(made), \(Int(Double(made) / seconds)) a second")
    print("calls failed            \(failures.count)")
    for failure in failures.prefix(5) { print("    \(failure)") }
    print("executed twice          \(entries.doubled.count)")
    print("answered and not done   \(acknowledged - (entries.count - entries.doubled.count))")
    print(
      "as kith restart counts  served \(report.served), held \(report.held), failed \(report.failed)"
    )
    guard failures.isEmpty, entries.doubled.isEmpty, acknowledged == entries.count,
      made == acknowledged, report.failed == 0
    else { throw ExitCode(1) }
  }

  /// Makes calls that change something and carry no key, at a steady pace, each once.
  private func load(_ client: RPCClient, _ caller: Int, _ counts: Counts) async {
    let once = OnceClient(client)
    let clock = ContinuousClock()
    let pace = Duration.seconds(1) * Self.callers / rate
    var next = clock.now
    var number = 0
    while !counts.isOver.load(ordering: .relaxed) {
      number += 1
      counts.made.add(1, ordering: .relaxed)
      do throws(RPCError) {
        _ = try await once.append(
          AppendRequest(entry: "\(caller)-\(number)"),
          options: CallOptions(timeout: .seconds(60), waitForReady: held))
        counts.acknowledged.add(1, ordering: .relaxed)
      } catch {
        counts.failures.withLock { $0.append("\(error)") }
      }
      next = max(next + pace, clock.now - pace)
      try? await clock.sleep(until: next)
    }
  }

  private var setup: ProductSetup { .soak(.soak("odd", "overlap: \(!held)")) }
}
