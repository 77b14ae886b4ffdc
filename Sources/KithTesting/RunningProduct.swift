public import HostContract
import Glibc
public import KithClient
public import KithManifest
public import KithRPC
import Synchronization

/// A product that runs for a test: a real `kithd` with real workers in a folder of its own.
///
/// ```swift
/// try await RunningProduct.run(ProductSetup(product: "boomer-buddy")) { product in
///   try await product.settle()
///   try await product.suffer(.kill("risk-engine"))
///   try await product.waitUntil("risk-engine") { $0.state == .ready && $0.generation == 2 }
/// }
/// ```
/// Nothing waits by sleeping: states are waited for on the host's own log, events in the logs of
/// workers, answers by calls that are held. Works from Swift Testing and XCTest alike: what is
/// wrong is thrown.
public final class RunningProduct: Sendable {
  /// How long anything may take before the test gives up; far above what it takes on a machine with
  /// much to do.
  public static let patience = Duration.seconds(60)

  /// The folder of everything: `r` is the product's root, `plugins` what was written for the test.
  public let folder: TemporaryFolder
  /// Where the product's files and sockets are.
  public let places: ProductPlaces
  /// The way in: the control service and every worker.
  public let connection: HostConnection
  /// The host's process.
  public let program: RunningProgram
  /// What all chance of the test comes from.
  public let seed: Seed

  /// What stands between workers and their callers; nil where nothing does.
  let relays: Relays?
  let disks: [String: SmallDisk]
  let logs = EventLogs()
  let calls = CallsInProgress()
  let troubles = Mutex(Troubles())
  let isVirtual: Bool
  /// The pipe at which the host says that it listens.
  private let reading: Int32

  /// The control service.
  public var host: HostClient { connection.host }

  private init(
    folder: TemporaryFolder, places: ProductPlaces, program: RunningProgram, reading: Int32,
    setup: ProductSetup, relays: Relays?, disks: [String: SmallDisk]
  ) {
    self.reading = reading
    self.folder = folder
    self.places = places
    self.program = program
    seed = setup.seed
    isVirtual = setup.start != nil
    self.relays = relays
    self.disks = disks
    connection = HostConnection(
      product: places.product, address: places.controlAddress, interceptors: [calls])
  }

  // MARK: Life

  /// Boots a product, hands it to `body`, checks what must hold of any product whatever it suffered
  /// (see ``checkAll()``), ends it and checks that no process is left.
  ///
  /// - Throws: what `body` throws, and `TestingError` if a check fails. Errors of the kit carry the
  ///   last log lines; before any other error those lines are written to standard error.
  public static func run(
    _ setup: ProductSetup, fileID: String = #fileID, line: Int = #line,
    _ body: (RunningProduct) async throws -> Void
  ) async throws {
    let product = try await start(setup, fileID: fileID, line: line)
    do {
      try await body(product)
      try await product.step(fileID, line) { try await product.checkAll() }
    } catch {
      if !(error is TestingError) { await product.tellLastLogLines() }
      product.abandon()
      throw error
    }
    try await product.stop(fileID: fileID, line: line)
  }

  /// Boots a product; returns when its control service answers. End it with `stop`.
  ///
  /// - Parameter folder: one that an earlier host of this setup ran in; nil makes a new one.
  /// - Throws: `TestingError` with what the host said when it did not start.
  public static func start(
    _ setup: ProductSetup, in folder: TemporaryFolder? = nil,
    fileID: String = #fileID, line: Int = #line
  ) async throws -> RunningProduct {
    do {
      let product = try launch(setup, in: try folder ?? TemporaryFolder())
      try await product.listens()
      return product
    } catch let error as TestingError {
      throw error.at(fileID, line)
    }
  }

  /// Waits until the host has said that it listens.
  private func listens() async throws {
    let notice = await BlockingThread.value { [reading] () -> String in
      defer { close(reading) }
      var bytes: [UInt8] = []
      var byte: UInt8 = 0
      while read(reading, &byte, 1) == 1 { bytes.append(byte) }
      return String(decoding: bytes, as: UTF8.self)
    }
    guard notice != "listening\n" else { return }
    relays?.close()
    let exitCode = await program.exitCode()
    let errors = TemporaryFolder.text(of: "\(folder.path)/kithd.err") ?? ""
    throw TestingError("kithd left with exit code \(exitCode): \(errors)")
  }

  private static func smallDisks(
    _ setup: ProductSetup, in folder: TemporaryFolder
  ) throws -> [String: SmallDisk] {
    var disks: [String: SmallDisk] = [:]
    for (worker, size) in setup.smallDisks {
      disks[worker] = try SmallDisk(at: "r/workers/\(worker)", in: folder, mebibytes: size)
    }
    return disks
  }

  /// Starts the host.
  private static func launch(
    _ setup: ProductSetup, in folder: TemporaryFolder
  ) throws -> RunningProduct {
    let disks = try smallDisks(setup, in: folder)
    let relays = setup.relaysConnections ? try Relays(in: folder, seed: setup.seed) : nil
    var environment = ["KITH_NOTIFY_FD": "3"]
    if relays != nil { environment["KITH_RELAY_PID"] = "\(getpid())" }
    let host = try Program.built(
      "kithd", try setup.launchArguments(writingTo: folder),
      environment: setup.environment.merging(environment) { _, new in new })
    var pipe: [Int32] = [-1, -1]
    guard Glibc.pipe(&pipe) == 0 else { throw TestingError("no pipe can be created") }
    let (reading, writing) = (pipe[0], pipe[1])
    // Neither end may reach another program that a test starts at the same time.
    _ = fcntl(reading, F_SETFD, FD_CLOEXEC)
    _ = fcntl(writing, F_SETFD, FD_CLOEXEC)
    defer { close(writing) }
    let program = try host.start(errors: "\(folder.path)/kithd.err", inherited: [writing])
    // A manifest that is wrong has no name; the host says what is wrong with it.
    let places = try ProductPlaces(
      product: (try? setup.name(in: folder)) ?? "none", root: "\(folder.path)/r", environment: [:])
    return RunningProduct(
      folder: folder, places: places, program: program, reading: reading, setup: setup,
      relays: relays, disks: disks)
  }

  /// Ends the product as SIGTERM does and checks that nothing is left of it.
  ///
  /// - Throws: `TestingError` when the host did not leave with exit code 0, or a process of the
  ///   product still runs.
  public func stop(fileID: String = #fileID, line: Int = #line) async throws {
    connection.close()
    program.signal(SIGTERM)
    let exitCode = await program.exitCode()
    let orphans = processes()
    abandon()
    guard exitCode == 0 else {
      throw TestingError("kithd left with exit code \(exitCode); \(hostWords)").at(fileID, line)
    }
    guard orphans.isEmpty else {
      throw TestingError("left running: \(orphans)").at(fileID, line)
    }
  }

  /// Ends the product by force, whatever state it is in.
  public func abandon() {
    connection.close()
    program.signal(SIGKILL)
    for pid in processes() { Glibc.kill(pid, SIGKILL) }
    relays?.close()
  }

  /// The pids of all processes that run in the product's folder, the host's apart.
  public func processes() -> [Int32] {
    TemporaryFolder.names(in: "/proc").compactMap(Int32.init).filter { pid in
      guard pid != program.pid, let link = realpath("/proc/\(pid)/cwd", nil) else { return false }
      defer { free(link) }
      return String(cString: link).hasPrefix(folder.path + "/")
    }
  }

  /// Kills the host, which takes no worker along; returns when it is gone. Start the next one in
  /// the same folder.
  public func killHost() async {
    program.signal(SIGKILL)
    _ = await program.exitCode()
  }

  // MARK: Driving

  /// The host and its workers now.
  public func status() async throws(RPCError) -> GetStatusResponse {
    try await host.getStatus(GetStatusRequest(), options: Self.options)
  }

  /// Waits until every worker that should run is ready or has failed for good.
  ///
  /// - Parameter allowsFailures: whether workers may have failed. Defaults to false.
  /// - Throws: `TestingError` with what `kith why` says of each worker that could not start.
  @discardableResult
  public func settle(
    allowsFailures: Bool = false, fileID: String = #fileID, line: Int = #line
  ) async throws -> GetStatusResponse {
    try await step(fileID, line) {
      let status = try await host.getStatus(
        GetStatusRequest(waitUntilSettled: true), options: Self.options)
      let failed = status.workers.filter(\.hasFailed)
      guard !allowsFailures, !failed.isEmpty else { return status }
      var explanations: [String] = []
      for worker in failed { explanations.append(await explanation(of: worker)) }
      throw TestingError(explanations.joined(separator: "\n"))
    }
  }

  /// A worker now.
  ///
  /// - Throws: `TestingError` if the product has no worker of that name.
  public func worker(
    _ name: String, fileID: String = #fileID, line: Int = #line
  ) async throws -> WorkerStatus {
    try await step(fileID, line) {
      let workers = try await status().workers
      guard let worker = workers.first(where: { $0.name == name }) else {
        let names = workers.map(\.name).joined(separator: ", ")
        throw TestingError("the product has no worker \(name); it has \(names)")
      }
      return worker
    }
  }

  /// Waits until a worker is as wanted: looks at it whenever the host logs something.
  ///
  /// - Throws: `TestingError` with how the worker is, if it did not come to be so within
  ///   ``patience``.
  @discardableResult
  public func waitUntil(
    _ name: String, fileID: String = #fileID, line: Int = #line,
    _ condition: (WorkerStatus) -> Bool
  ) async throws -> WorkerStatus {
    try await step(fileID, line) { try await wait(for: name, until: condition) }
  }

  private func wait(
    for name: String, until condition: (WorkerStatus) -> Bool
  ) async throws -> WorkerStatus {
    // The place in the log first: what is logged after the look wakes the next read.
    var cursor = try await hostLog(after: nil)
    while true {
      let worker = try await self.worker(name)
      if condition(worker) { return worker }
      do throws(RPCError) {
        cursor = try await hostLog(after: cursor)
      } catch {
        throw TestingError("\(name) did not come to be as wanted (\(error)); it is \(worker)")
      }
    }
  }

  /// The end of the host's log; with a cursor, once something stands behind it.
  private func hostLog(after cursor: String?) async throws(RPCError) -> String {
    let request = ReadLogRequest(
      names: ["kithd"], cursor: cursor ?? "", waitForLines: cursor != nil)
    let response = try await host.readLog(request, options: Self.options)
    return response.cursor
  }

  /// Sends a signal to the process of a worker and returns how the worker was before.
  @discardableResult
  public func kill(_ name: String, signal: Int32 = 9) async throws -> WorkerStatus {
    let worker = try await self.worker(name)
    guard worker.pid > 1 else { throw TestingError("\(name) has no process: \(worker.reason)") }
    Glibc.kill(worker.pid, signal)
    return worker
  }

  /// A client of a worker, always of the generation that serves.
  public func client(of name: String) -> RPCClient {
    connection.worker(named: name)
  }

  /// The last lines of a worker's log, or of the host's as `kithd`.
  public func log(of name: String, last count: UInt32 = 1000) async throws(RPCError) -> [LogLine] {
    try await host.readLog(
      ReadLogRequest(names: [name], lastLines: count), options: Self.options
    ).lines
  }

  static var options: CallOptions { CallOptions(timeout: patience) }

  private var hostWords: String {
    "it said: \(TemporaryFolder.text(of: "\(folder.path)/kithd.err") ?? "")"
  }
}

extension WorkerStatus {
  /// Whether the worker will not become ready by itself: it is in quarantine, waits for one that
  /// is, or has ended with an error.
  fileprivate var hasFailed: Bool {
    switch state {
    case .quarantined, .waiting: true
    case .finished: lastExit.map { $0.cause != .exitCode(0) } ?? false
    default: false
    }
  }
}
