import ArgumentParser
import BenchmarkKit
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import LockContract

/// Measures the usage lock as it ships, in a product of its own.
@main
struct LockBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "lock-bench",
    abstract:
      "Decisions of the usage lock, uses reported durably, idle profiles, the watcher.")

  @Option(help: "How long each measurement lasts, in seconds.")
  var seconds: Double = 5

  @Option(help: "How many profiles are stored.")
  var stored = 100_000

  @Option(help: "The folder of the programs.")
  var programs: String = ".build/release"

  /// How many uses a report has: a second of looks, of a device that reports every ten.
  private static let batch = 10
  private static let people = 1_000

  func run() async throws {
    let folder = try temporaryFolder()
    defer { removeFolder(folder) }
    try await Machine.printHead()
    let game = try startGame(in: folder)
    defer { kill(game.pid, SIGKILL) }
    let manifest = "\(folder)/lock-bench.yaml"
    try write(
      """
      product: lock-bench
      title: Lock
      posture: personal
      workers:
        usage-lock:
          config: { watch_programs: true }
          programs: { user: \(game.user), names: [\(game.path)] }
      """, to: manifest)
    try kith("up", manifest, root: folder)
    // Nothing is left running also where a measurement fails; a product that is down is no error
    // here.
    defer { try? kith("down", root: folder) }
    let places = try ProductPlaces(product: "lock-bench", root: folder, environment: [:])
    let connection = try await HostConnection.open(
      product: places.product, address: places.controlAddress)
    defer { connection.close() }
    let lock = UsageLockClient(connection.worker(named: "usage-lock"))
    let status = try await connection.host.getStatus(GetStatusRequest())
    let worker = status.workers.first { $0.name == "usage-lock" }?.pid ?? 0
    var floors = Table("floors", "asked", "kith", "")
    try await OtherWork.reported {
      try await store(lock, count: Self.people, mode: .hourlyRation)
      try await decide(lock, &floors)
      try await report(lock, &floors)
      try await store(lock, count: stored)
      try await idle([worker, status.hostPid], &floors)
      try await watch(lock, game.path, [worker, status.hostPid], &floors)
      print(floors.text + "\n")
    }
  }

  // MARK: Profiles

  private func store(
    _ lock: UsageLockClient, count: Int, mode: Mode = .dailyBudget
  ) async throws {
    let prefix = mode == .dailyBudget ? "idle" : "user"
    let number = Counter()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<64 {
        group.addTask {
          while true {
            let next = number.next()
            guard next <= count else { return }
            _ = try await lock.setProfile(
              SetProfileRequest(
                userId: "\(prefix)-\(next)",
                profile: Profile(
                  mode: mode,
                  apps: [
                    GuardedApp(appId: "feed", mode: .dailyBudget), GuardedApp(appId: "clips"),
                  ])), options: CallOptions(timeout: .seconds(60)))
          }
        }
      }
      try await group.waitForAll()
    }
  }

  // MARK: Decisions

  private func decide(_ lock: UsageLockClient, _ floors: inout Table) async throws {
    let duration = Duration.microseconds(Int64(seconds * 1_000_000))
    let number = Counter()
    var table = Table("one caller at a time", "calls/s", "p50 ms", "p99 ms")
    let open = try await LoadGenerator.run(inFlight: 1, for: duration) {
      _ = try await lock.openApp(
        OpenAppRequest(userId: "user-\(number.next() % Self.people + 1)", appId: "clips"))
    }
    table.add(
      "may it be used?", open.callsPerSecond.formatted(), milliseconds(open.p50),
      milliseconds(open.p99))
    let unlocks = Counter()
    let unlock = try await LoadGenerator.run(inFlight: 1, for: duration) {
      // Granted the first time, and refused from then on.
      do {
        _ = try await lock.unlock(
          UnlockRequest(userId: "user-\(unlocks.next() % Self.people + 1)"))
      } catch let error as RPCError where error.code == .failedPrecondition {
        return
      }
    }
    table.add(
      "an unlock", unlock.callsPerSecond.formatted(), milliseconds(unlock.p50),
      milliseconds(unlock.p99))
    print("Decisions, with the way to the worker and back:\n\n\(table.text)\n")
    let floor = Floor.below(1)
    floors.add(["an unlock decision, p99 ms", floor.text] + floor.cells(for: open.p99 / 1_000))
  }

  // MARK: Uses

  private func report(_ lock: UsageLockClient, _ floors: inout Table) async throws {
    let duration = Duration.microseconds(Int64(seconds * 1_000_000))
    let number = Counter()
    let make: @Sendable () async throws -> Void = {
      let next = number.next()
      let sent = 1_000_000_000 + Int64(next) * 1_000
      _ = try await lock.reportUse(
        ReportUseRequest(
          userId: "user-\(next % Self.people + 1)", deviceId: "phone", sentMs: sent,
          uses: (0..<Self.batch).map {
            ForegroundUse(
              appId: "feed", startMs: sent - Int64($0 + 1) * 1_000, lengthMs: 1_000,
              measure: .sampled)
          }))
    }
    var table = Table("callers", "reports/s", "uses/s", "p50 ms", "p99 ms")
    var most = 0.0
    for callers in [1, 8, 64] {
      let sample = try await LoadGenerator.run(inFlight: callers, for: duration, make)
      most = sample.callsPerSecond * Double(Self.batch)
      table.add(
        "\(callers)", sample.callsPerSecond.formatted(), most.formatted(),
        milliseconds(sample.p50), milliseconds(sample.p99))
    }
    print(
      "Uses reported, \(Self.batch) at a time, durable before they are answered:\n\n\(table.text)\n"
    )
    let floor = Floor.atLeast(20_000)
    floors.add(["uses/s durable, 64 callers", floor.text] + floor.cells(for: most))
  }

  // MARK: Idle

  private func idle(_ processes: [Int32], _ floors: inout Table) async throws {
    let share = try await share(of: processes)
    print("\(stored) profiles stored, and nobody calls.\n")
    let floor = Floor.below(0.3)
    floors.add(["idle with all profiles, % of a core", floor.text] + floor.cells(for: share))
  }

  private func watch(
    _ lock: UsageLockClient, _ game: String, _ processes: [Int32], _ floors: inout Table
  ) async throws {
    _ = try await lock.setProfile(
      SetProfileRequest(
        profile: Profile(
          mode: .dailyBudget, dailyBudgetMs: 180 * 60_000, apps: [GuardedApp(appId: game)])))
    let share = try await share(of: processes)
    print("A guarded program runs, is looked at each second and charged.\n")
    let floor = Floor.below(0.3)
    floors.add(["the watcher, % of a core", floor.text] + floor.cells(for: share))
  }

  /// The processor time of processes over a while, in percent of one core.
  private func share(of processes: [Int32]) async throws -> Double {
    let clock = ContinuousClock()
    // Until what came before has been put away.
    try await Task.sleep(for: .seconds(5))
    let (before, begin) = (ticks(processes), clock.now)
    try await Task.sleep(for: .microseconds(Int64(seconds * 4_000_000)))
    let passed = (clock.now - begin) / .seconds(1)
    return Double(ticks(processes) - before) / Double(sysconf(Int32(_SC_CLK_TCK))) / passed * 100
  }

  private func ticks(_ processes: [Int32]) -> Int {
    processes.reduce(0) { sum, pid in
      let stat = readFile("/proc/\(pid)/stat") ?? ""
      let fields = stat.split(separator: ")").last?.split(separator: " ") ?? []
      return fields.count > 12 ? sum + (Int(fields[11]) ?? 0) + (Int(fields[12]) ?? 0) : sum
    }
  }

  // MARK: The product

  /// A harmless program of this user; as root, of `nobody`.
  private func startGame(in folder: String) throws -> (path: String, user: String, pid: Int32) {
    let path = "\(folder)/game"
    chmod(folder, 0o755)
    let copy = try ChildProcess("/bin/cp", ["/bin/sleep", path], silent: true)
    guard copy.wait() == 0 else { throw BenchmarkError("cannot copy /bin/sleep") }
    let isRoot = geteuid() == 0
    let words = [path, "3600"]
    let command =
      isRoot
      ? ["/usr/bin/setpriv", "--reuid=nobody", "--regid=nogroup", "--clear-groups"] + words : words
    let process = try ChildProcess(command[0], Array(command.dropFirst()), silent: true)
    let user = isRoot ? "nobody" : String(cString: getpwuid(geteuid()).pointee.pw_name)
    return (path, user, process.pid)
  }

  private func milliseconds(_ microseconds: Double) -> String {
    (microseconds / 1_000).formatted(decimals: 2)
  }

  private func write(_ text: String, to path: String) throws {
    guard let file = fopen(path, "w") else { throw BenchmarkError("cannot write \(path)") }
    defer { fclose(file) }
    fputs(text, file)
  }

  private func kith(_ arguments: String..., root: String) throws {
    let process = try ChildProcess(
      "\(programs)/kith", arguments + ["--root", root], silent: true)
    let code = process.wait()
    guard code == 0 else {
      throw BenchmarkError("kith \(arguments.joined(separator: " ")) ended with \(code)")
    }
  }
}
