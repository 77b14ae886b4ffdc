import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithPlanning
import KithRPC
import KithTime
import KithTerminal
import KithVerbs

/// `kith up`
struct UpCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "up",
    abstract: "Starts a product in the background, and waits until its workers are ready.",
    discussion: """
      A product that runs is left alone; workers that run on after their host died are taken over as they are. However \
      often it is called at once, one host is started and each call ends the same.

      EXIT CODES
        0    the product runs, and each worker that is wanted is ready
        64   wrong usage
        65   a manifest is wrong, or the folder of --root holds another product
        69   a worker failed: the host keeps running and keeps trying; or a host is
             there and does not answer
        73   a folder or socket cannot be created
        75   another host holds the folder and did not listen within --timeout
        77   the product is another user's
        124  a worker was not ready within --timeout; the host keeps trying

      EXAMPLES
        kith up boomer-buddy
        kith up ./my-product.yaml --plugins ./my-plugins --root /tmp/demo
        kith up milo --virtual-time 2026-03-07T12:00:00Z
      """)

  @Argument(
    help: ArgumentHelp(
      "The product: its name, or the path of its manifest.", valueName: "product|file"))
  var product: String

  @OptionGroup var plugins: PluginOptions

  @Option(
    help: ArgumentHelp(
      "One folder for state, logs and sockets. By default KITH_ROOT, else the XDG folders.",
      valueName: "dir"))
  var root: String?

  mutating func validate() throws { root = root ?? Surroundings.standardRoot }

  @Option(
    help: ArgumentHelp(
      "The account that workers run as, when root starts the product. By default KITH_WORKER_ACCOUNT, else root.",
      valueName: "name"))
  var workerAccount: String?

  @Option(
    help: ArgumentHelp(
      "Go by clocks that stand still until `kith clock` moves them, and show this first: now, or an instant.",
      valueName: "instant"),
    transform: UpCommand.virtualStart)
  var virtualTime: Int64?

  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let root = try Surroundings.root(root)
    let reader = try plugins.reader(environment: surroundings.environment)
    let plan: Plan
    do throws(ManifestErrors) {
      plan = try reader.checkedPlan(product)
    } catch {
      try await takeOver(surroundings, root: root)
      throw error
    }
    let places = try ProductPlaces(
      product: plan.product, root: root, environment: surroundings.environment)

    if let running = try await RunningProduct.openIfRunning(places, mayBeStarting: true) {
      if virtualTime != nil { try await checkIsVirtual(running) }
      // Beside the report, which is the same whoever started the product.
      if !output.json {
        Output.errorLine("kith: \(plan.title) is running already; nothing was started")
      }
      return try await show(running.connection, surroundings)
    }
    try plan.checkCredentials()
    try checkConfiguration(of: plan, surroundings, root: root)
    try await show(started(surroundings, places: places, root: root).connection, surroundings)
  }

  /// Refuses what the workers refuse of their configuration, and says which could not be asked.
  private func checkConfiguration(
    of plan: Plan, _ surroundings: Surroundings, root: String?
  ) throws {
    var environment = surroundings.environment
    if let workerAccount { environment["KITH_WORKER_ACCOUNT"] = workerAccount }
    for note in try plan.checkConfiguration(
      product: product, folders: plugins.folders, root: root, environment: environment)
    {
      Output.errorLine("kith: \(note)")
    }
  }

  /// Checks that a product that runs already goes by virtual clocks, as was asked for.
  private func checkIsVirtual(_ running: RunningProduct) async throws {
    do throws(RPCError) {
      _ = try await running.connection.host.getClock(
        GetClockRequest(), options: time.callOptions)
      return
    } catch {
      guard error.code == .failedPrecondition else { throw error }
    }
    throw CommandFailure(
      .usage,
      "\(running.places.product) runs already, by the machine's clock; end it with `kith down`, then start it with "
        + "--virtual-time, or give this one a folder of its own with --root DIR")
  }

  /// The product, with a host that this command started, or another that was faster.
  ///
  /// A host that another command has just started, or that is about to end, holds the root and does
  /// not listen. This one is then tried again: it comes to listen, or the root comes free.
  private func started(
    _ surroundings: Surroundings, places: ProductPlaces, root: String?
  ) async throws -> RunningProduct {
    let end = ContinuousClock.now + time.timeout.duration
    while true {
      let isOurs = try start(surroundings, places: places, root: root)
      if let running = try await RunningProduct.openIfRunning(places, mayBeStarting: !isOurs) {
        return running
      }
      guard !isOurs else {
        throw CommandFailure(
          .unavailable, "the host listened and has ended since; see `kith logs kithd`")
      }
      guard .now < end else {
        throw CommandFailure(
          .tryAgain,
          "another host holds \(places.stateDirectory) and did not listen within \(time.timeout); see "
            + "\(places.logFile(worker: "kithd")), or wait longer with --timeout")
      }
      try await Task.sleep(for: .milliseconds(20))
    }
  }

  /// What virtual clocks show first, in milliseconds since 1970.
  @Sendable private static func virtualStart(_ text: String) throws(CommandFailure) -> Int64 {
    text == "now" ? Surroundings.now : Int64(try ClockCommand.instant(text).milliseconds)
  }

  /// Has a host lead the workers that an earlier one left, although the manifest is wrong by now:
  /// they run on as they are.
  private func takeOver(_ surroundings: Surroundings, root: String?) async throws {
    let manifest = Surroundings.productArgument(product)
    let left = OrphanedProduct.all(product: nil, root: root, environment: surroundings.environment)
      .first { $0.isLeft && $0.manifest == manifest }
    guard let left else { return }
    try left.takeOver(environment: surroundings.environment)
    let running = try await RunningProduct.open(
      left.places(environment: surroundings.environment))
    try await show(running.connection, surroundings)
  }

  /// Starts a host. Answers whether it listens; false when another one holds the root.
  private func start(
    _ surroundings: Surroundings, places: ProductPlaces, root: String?
  ) throws(CommandFailure) -> Bool {
    var arguments = ["run", "--product", Surroundings.productArgument(product)]
    for folder in plugins.folders {
      arguments += ["--plugins", Surroundings.absolutePath(folder)]
    }
    if let root { arguments += ["--root", root] }
    if let virtualTime { arguments += ["--virtual-time", String(virtualTime)] }
    var environment = surroundings.environment
    if let workerAccount { environment["KITH_WORKER_ACCOUNT"] = workerAccount }
    return try HostProcess.find().launch(
      arguments, environment: Surroundings.environmentOfHost(environment))
  }

  /// Waits until all workers are ready or have failed, and shows them.
  private func show(
    _ connection: HostConnection, _ surroundings: Surroundings
  ) async throws {
    let status: GetStatusResponse
    do throws(RPCError) {
      status = try await connection.host.getStatus(
        GetStatusRequest(waitUntilSettled: true), options: time.callOptions)
    } catch {
      guard error.code == .deadlineExceeded else { throw error }
      try await showUnsettled(connection, surroundings)
      return
    }
    try write(status, surroundings)
    if !output.json {
      try Output.line()
      try Output.lines(await suggestions(status, surroundings))
    }
    let failed = Self.unready(status)
    guard let first = failed.first else { return }
    let names = failed.map { SafeText.line($0.name) }.joined(separator: ", ")
    let options = root.map { " --root \($0)" } ?? ""
    throw CommandFailure(
      .unavailable,
      "not ready: \(names). The host keeps running; `kith why \(first.name)\(options)` "
        + "says why, `kith down\(options)` ends it")
  }

  /// Shows how the workers are when their time is up, and says which are not ready.
  private func showUnsettled(
    _ connection: HostConnection, _ surroundings: Surroundings
  ) async throws {
    let status = try await connection.host.getStatus(
      GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
    try write(status, surroundings)
    let unready = Self.unready(status).map { SafeText.line($0.name) }
    throw CommandFailure(
      .deadline,
      "not ready after \(time.timeout): \(unready.joined(separator: ", ")). The host keeps trying: "
        + "see `kith status`, or wait longer with --timeout")
  }

  private func write(
    _ status: GetStatusResponse, _ surroundings: Surroundings
  ) throws {
    if output.json {
      try Output.line(try HostJSON.json(status).text(pretty: true))
    } else {
      try Output.lines(
        StatusReport(
          status: status, terminal: surroundings.terminal,
          options: root.map { " --root \($0)" } ?? "", now: Surroundings.now
        ).lines)
    }
  }

  private static func unready(_ status: GetStatusResponse) -> [WorkerStatus] {
    status.workers.filter { $0.wanted && $0.state != .ready && $0.state != .finished }
  }

  /// What to try next.
  private func suggestions(
    _ status: GetStatusResponse, _ surroundings: Surroundings
  ) async -> [String] {
    let terminal = surroundings.terminal
    var options = root.map { " --root \($0)" } ?? ""
    if root == nil, await RunningProduct.all(environment: surroundings.environment).count > 1 {
      options = " --product \(status.product)"
    }
    var rows = status.workers.filter { $0.state == .ready && !$0.services.isEmpty }.prefix(3).map {
      ("kith\(options) \($0.name) --help", "what it can do")
    }
    let stopped = status.workers.filter { !$0.wanted && $0.state == .stopped }.map(\.name)
    if !stopped.isEmpty {
      rows.insert(
        ("kith\(options) start \(stopped.joined(separator: " "))", "what is stopped, up again"),
        at: 0)
    }
    rows.append(("kith\(options) status", "how it is"))
    if let worker = status.workers.first {
      rows.append(("kith\(options) logs \(worker.name) -f", "what it says"))
    }
    rows.append(("kith\(options) down", "the end"))
    return [terminal.text("Try next:", .bold)] + Self.lines(of: rows, terminal)
  }

  /// Commands with what they are for: beside each other where there is room, else below, so that no
  /// command is broken.
  static func lines(of rows: [(command: String, purpose: String)], _ terminal: Terminal) -> [String]
  {
    let width = rows.map { TextWidth.columns($0.command) }.max() ?? 0
    let widest = rows.map { TextWidth.columns($0.purpose) }.max() ?? 0
    guard 2 + width + 3 + widest > terminal.width else {
      return rows.map {
        "  " + TextWidth.padded($0.command, to: width) + "   "
          + terminal.text($0.purpose, .faint)
      }
    }
    return rows.flatMap { ["  \($0.command)", "      " + terminal.text($0.purpose, .faint)] }
  }
}
