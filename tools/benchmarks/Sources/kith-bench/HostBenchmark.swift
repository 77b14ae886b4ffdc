import BenchmarkKit
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC

/// A host of twenty workers: how long the next one takes to lead them all when it is killed, what
/// it weighs and uses, and how fast it says how they are.
struct HostBenchmark {
  var options: Options

  private let product = "twenty"
  private let workers = 20
  private let rounds = 5

  /// The figures, each with what is asked of it.
  func figures() async throws -> [(String, Floor, Double)] {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    let manifest = try writeProduct(in: folder)
    let root = "\(folder)/r"
    let places = try ProductPlaces(product: product, root: root, environment: [:])
    try run("up", manifest, "--plugins", folder, root: root)
    var adoptions: [Double] = []
    for _ in 0..<rounds { adoptions.append(try await adoption(manifest, folder, root, places)) }
    let connection = try await HostConnection.open(
      product: product, address: places.controlAddress)
    let pid = try await connection.host.getStatus(GetStatusRequest()).hostPid
    // Once the work of the start is over.
    try await Task.sleep(for: .seconds(2))
    let clock = ContinuousClock()
    let (begin, used) = (clock.now, ticks(of: pid))
    try await Task.sleep(for: .seconds(10))
    let share =
      Double(ticks(of: pid) - used) / Double(sysconf(Int32(_SC_CLK_TCK)))
      / ((clock.now - begin) / .seconds(1)) * 100
    let weight = Double(kibibytes("VmRSS", of: pid) ?? 0) / 1024
    var answers: [Double] = []
    for _ in 0..<50 {
      let asked = clock.now
      _ = try await connection.host.getStatus(GetStatusRequest())
      answers.append((clock.now - asked) / .milliseconds(1))
    }
    connection.close()
    try run("down", root: root)
    return [
      ("adoption of 20 workers, ms", .below(250), adoptions.median),
      ("host with 20 workers, RSS MiB", .below(32), weight),
      ("host with 20 workers, idle, % of a core", .below(0.2), share),
      ("status of 20 workers, p50 ms", .below(20), answers.median),
    ]
  }

  /// Kills the host and starts the next one: the milliseconds from its start until it leads all
  /// workers.
  private func adoption(
    _ manifest: String, _ folder: String, _ root: String, _ places: ProductPlaces
  ) async throws -> Double {
    let before = try await status(places)
    kill(before.hostPid, SIGKILL)
    while kill(before.hostPid, 0) == 0, !hasEnded(before.hostPid) { usleep(1000) }
    var pipe: [Int32] = [-1, -1]
    guard Glibc.pipe(&pipe) == 0 else { throw BenchmarkError("pipe") }
    for end in pipe { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
    let clock = ContinuousClock()
    let begin = clock.now
    let host = try ChildProcess(
      "\(options.programs)/kithd",
      ["run", "--product", manifest, "--plugins", folder, "--root", root],
      environment: ["KITH_NOTIFY_FD": "3"], inherited: pipe[1])
    close(pipe[1])
    var byte: UInt8 = 0
    guard read(pipe[0], &byte, 1) == 1 else { throw BenchmarkError("kithd did not start") }
    close(pipe[0])
    let after = try await status(places)
    let time = (clock.now - begin) / .milliseconds(1)
    guard after.workers.map(\.pid) == before.workers.map(\.pid), after.hostPid == host.pid else {
      throw BenchmarkError("not all workers were adopted")
    }
    return time
  }

  private func status(_ places: ProductPlaces) async throws -> GetStatusResponse {
    let connection = try await HostConnection.open(
      product: product, address: places.controlAddress)
    defer { connection.close() }
    return try await connection.host.getStatus(GetStatusRequest(waitUntilSettled: true))
  }

  /// Whether all threads of a process have ended: until then it holds its files, and its locks.
  private func hasEnded(_ pid: Int32) -> Bool {
    guard readFile("/proc/\(pid)/stat")?.contains(") Z ") == true else { return false }
    return readFile("/proc/\(pid)/status")?.contains("\nThreads:\t1\n") ?? true
  }

  /// The processor time that a process has used, in clock ticks.
  private func ticks(of pid: Int32) -> Int {
    let fields =
      (readFile("/proc/\(pid)/stat") ?? "").split(separator: ")").last?
      .split(separator: " ").compactMap { Int($0) } ?? []
    // Fields 14 and 15 of proc(5), counted without the program's name and the state.
    return fields.count > 11 ? fields[10] + fields[11] : 0
  }

  /// Writes a product of twenty workers of one program, each a plugin of its own.
  private func writeProduct(in folder: String) throws -> String {
    let engine = "\(options.programs)/risk-engine-worker"
    guard let program = realpath(engine, nil) else { throw BenchmarkError("no \(engine)") }
    defer { free(program) }
    guard let plugin = readFile("Plugins/RiskEngine/plugin.yaml"),
      let resources = realpath("Plugins/RiskEngine/Resources", nil)
    else { throw BenchmarkError("Plugins/RiskEngine is not below the working folder") }
    defer { free(resources) }
    var product = "product: \(self.product)\ntitle: Twenty\nposture: ephemeral\nworkers:\n"
    for number in 0..<workers {
      let name = "worker-\(number)"
      let place = "\(folder)/\(name)"
      mkdir(place, 0o755)
      mkdir("\(place)/bin", 0o755)
      // A hard link where that is possible: what a worker may read is told by where its program
      // lies.
      if link(String(cString: program), "\(place)/bin/risk-engine-worker") != 0 {
        try ChildProcess("/bin/cp", [String(cString: program), "\(place)/bin/"]).wait()
      }
      try ChildProcess("/bin/cp", ["-r", String(cString: resources), place]).wait()
      let lines = plugin.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        line.hasPrefix("plugin:")
          ? "plugin: \(name)" : line.hasPrefix("provides:") ? "provides: []" : String(line)
      }
      try write(lines.joined(separator: "\n"), to: "\(place)/plugin.yaml")
      product += "  \(name): {}\n"
    }
    mkdir("\(folder)/products", 0o755)
    let manifest = "\(folder)/products/\(self.product).yaml"
    try write(product, to: manifest)
    return manifest
  }

  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw BenchmarkError("cannot write \(path)") }
    defer { fclose(file) }
    fputs(text, file)
  }

  private func run(_ arguments: String..., root: String) throws {
    let process = try ChildProcess(
      "\(options.programs)/kith", arguments + ["--root", root], silent: true)
    let code = process.wait()
    guard code == 0 else {
      throw BenchmarkError("kith \(arguments.joined(separator: " ")) ended with \(code)")
    }
  }
}
