import BenchmarkKit
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import RiskContract

/// A product as a person starts it: how long until it is ready, how long until a killed worker
/// answers again, what it weighs.
struct ProductBenchmark {
  var options: Options

  private let product = "boomer-buddy"
  private let rounds = 15

  func run() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    var starts: [Double] = []
    var recoveries: [Double] = []
    var weights = Table("process", "RSS MiB, idle", "program MiB")

    // A new product for each round: a worker killed again and again would be held back, as it
    // should be.
    for round in 0..<rounds {
      let root = "\(folder)/\(round)"
      starts.append(try up(root: root))
      let places = try ProductPlaces(product: product, root: root, environment: [:])
      let connection = try await HostConnection.open(
        product: places.product, address: places.controlAddress)
      let status = try await connection.host.getStatus(GetStatusRequest())
      if round == 0 {
        try await Task.sleep(for: .seconds(1))
        weights.add("kithd", weight(of: status.hostPid), size(of: "kithd"))
        for worker in status.workers {
          weights.add(worker.name, weight(of: worker.pid), size(of: "\(worker.name)-worker"))
        }
        weights.add("kith", "-", size(of: "kith"))
      }
      if let engine = status.workers.first(where: { $0.name == "risk-engine" }) {
        recoveries.append(try await recovery(of: engine, over: connection))
      }
      connection.close()
      try run("down", root: root)
    }

    print("A product of one worker, \(rounds) rounds")
    var table = Table("", "p50 ms", "p99 ms", "max ms")
    for (name, figures) in [
      ("kith up to all ready", starts), ("kill -9 to first good call", recoveries),
    ] {
      table.add(
        name, figures.median.formatted(decimals: 1),
        figures.sorted().percentile(99).formatted(decimals: 1),
        (figures.max() ?? .nan).formatted(decimals: 1))
    }
    print(table.text + "\n")
    print(weights.text + "\n")
    let recovered = recoveries.sorted()
    var floors = Table("floors", "asked", "kith", "")
    for (name, floor, figure) in [
      ("kill -9 to first good call, p50 ms", Floor.below(25), recoveries.median),
      ("kill -9 to first good call, p99 ms", .below(100), recovered.percentile(99)),
    ] + (try await HostBenchmark(options: options).figures()) {
      floors.add([name, floor.text] + floor.cells(for: figure))
    }
    print(floors.text + "\n")
  }

  /// Kills a worker that has just answered and calls it until it answers again, in milliseconds.
  private func recovery(of worker: WorkerStatus, over connection: HostConnection) async throws
    -> Double
  {
    let engine = RiskEngineClient(connection.worker(named: worker.name))
    let request = AnalyzeRequest(text: SharedHandler.text, channel: .sms)
    let options = CallOptions(timeout: .seconds(10), waitForReady: true)
    _ = try await engine.analyze(request, options: options)
    let clock = ContinuousClock()
    let begin = clock.now
    kill(worker.pid, SIGKILL)
    while true {
      do throws(RPCError) {
        // The first calls may still meet the old process's pipe; they fail, and are made again by
        // this caller, since a call is never resent behind its back.
        _ = try await engine.analyze(request, options: options)
        return (clock.now - begin) / .milliseconds(1)
      } catch {
        guard error.code == .unavailable else { throw error }
      }
    }
  }

  /// Starts the product and gives the milliseconds until `kith up` has said that all is ready.
  private func up(root: String) throws -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try run("up", product, root: root)
    return (clock.now - begin) / .milliseconds(1)
  }

  private func run(_ arguments: String..., root: String) throws {
    let process = try ChildProcess(
      "\(options.programs)/kith", arguments + ["--root", root], silent: true)
    let code = process.wait()
    guard code == 0 else {
      throw BenchmarkError("kith \(arguments.joined(separator: " ")) ended with \(code)")
    }
  }

  private func weight(of pid: Int32) -> String {
    (Double(kibibytes("VmRSS", of: pid) ?? 0) / 1024).formatted(decimals: 1)
  }

  private func size(of program: String) -> String {
    (Double(fileSize("\(options.programs)/\(program)") ?? 0) / 1_048_576).formatted(decimals: 1)
  }
}
