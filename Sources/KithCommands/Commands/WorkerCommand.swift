import HostContract
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// `kith WORKER [VERB [FLAGS]]`: what a worker can do, from the worker itself.
struct WorkerCommand {
  /// Kith's own options in front of the worker's name.
  let leading: [String]
  let worker: String
  /// What stands behind the worker's name.
  let arguments: [String]

  func run() async throws {
    let surroundings = Surroundings.current
    let command = "kith \(worker)"
    var settings = CallSettings()
    _ = try VerbArguments.leadingOptions(leading, settings: &settings, command: "kith")
    let (rest, helpComesFirst) = try VerbArguments.leadingOptions(
      arguments, settings: &settings, command: command)
    // What stands behind the verb counts too. It can be read for certain only with the verb's
    // flags, and the worker must be found in order to ask for these.
    let place = Self.place(in: rest, settings)

    let (connection, client, described) = try await connect(place, surroundings)
    defer { connection.close() }
    let services = described.ownServices
    let verbs = Verb.verbs(of: services)
    let help = VerbHelp(
      contracts: described.contracts, worker: worker, terminal: surroundings.terminal)
    // Help ends the reading of the arguments: what stands behind it is looked for here.
    let isJSON = (leading + arguments).prefix { $0 != "--" }.contains("--json")
    guard !helpComesFirst, let name = rest.first else {
      try Output.line(
        isJSON
          ? help.json(services: services, verbs: verbs).text(pretty: true)
          : help.text(services: services, verbs: verbs))
      return
    }
    let verb = try Verb.verb(named: name, among: verbs, worker: worker)
    guard let type = described.contracts.message(named: verb.method.requestType) else {
      throw CommandFailure(.defect, "\(verb.method.fullName) has a request without a contract")
    }
    let parsed = try VerbArguments(
      Array(rest.dropFirst()), request: type,
      answer: described.contracts.message(named: verb.method.responseType),
      contracts: described.contracts,
      command: "\(command) \(verb.name)", settings: settings, reader: SystemValueReader())
    if parsed.wantsHelp {
      try Output.line(isJSON ? help.json(verb).text(pretty: true) : help.text(verb))
      return
    }
    let readsLines = verb.method.isClientStreaming && parsed.request.encoded().isEmpty
    try await Call(client: client, contracts: described.contracts, method: verb.method).run(
      readsLines ? .lines : .one(parsed.request), settings: parsed.settings, files: parsed.files,
      terminal: surroundings.terminal)
  }

  // MARK: Finding the worker

  /// The way to the worker, and what it can do.
  private func connect(
    _ place: CallSettings, _ surroundings: Surroundings
  ) async throws -> (HostConnection, RPCClient, WorkerContracts) {
    if let (places, connection, client, address) = await locate(place, surroundings) {
      let kept = KeptContracts(places, worker: worker, address: address)
      if let contracts = kept.read() { return (connection, client, contracts) }
      let contracts = try await WorkerContracts.of(
        client, options: CallOptions(timeout: place.timeLimit, waitForReady: true))
      kept.keep(contracts)
      return (connection, client, contracts)
    }
    let running = try await product(place, surroundings)
    try await check(running, place)
    let client = running.connection.worker(named: worker)
    let contracts = try await WorkerContracts.of(
      client, options: CallOptions(timeout: place.timeLimit, waitForReady: true))
    return (running.connection, client, contracts)
  }

  /// The worker, where one question to the host finds it: it is clear which product is meant, and
  /// the worker is ready. Nil otherwise; the longer way then waits, or says what is wrong.
  private func locate(
    _ place: CallSettings, _ surroundings: Surroundings
  ) async -> (ProductPlaces, HostConnection, RPCClient, address: String)? {
    let environment = surroundings.environment
    guard
      let places = RunningProduct.onlyPlaces(
        product: place.product, root: place.root ?? Surroundings.standardRoot,
        environment: environment),
      let connection = try? await HostConnection.open(
        product: places.product, address: places.controlAddress)
    else { return nil }
    do throws(RPCError) {
      let (client, address) = try await connection.locate(
        worker: worker, options: CallOptions(timeout: .seconds(3)))
      return (places, connection, client, address)
    } catch {
      connection.close()
      return nil
    }
  }

  private func product(
    _ place: CallSettings, _ surroundings: Surroundings
  ) async throws -> RunningProduct {
    do {
      return try await RunningProduct.find(
        product: place.product, root: place.root ?? Surroundings.standardRoot, workers: [worker],
        environment: surroundings.environment)
    } catch {
      guard let failure = CommandFailure(known: error), failure.status == .unavailable else {
        throw error
      }
      // Whoever mistypes a command should not be told to start a host.
      guard let command = nearestName(to: worker, among: KithCommand.shownNames) else {
        throw failure
      }
      throw CommandFailure(
        .usage, "there is no command '\(SafeText.line(worker))'; did you mean 'kith \(command)'?")
    }
  }

  /// Refuses a name that no worker has, and a worker that will not become ready by waiting.
  private func check(_ running: RunningProduct, _ settings: CallSettings) async throws {
    let status = try await running.status(within: settings.timeLimit)
    guard let found = status.workers.first(where: { $0.name == worker }) else {
      let names = status.workers.map(\.name)
      let shown = SafeText.line(String(worker.prefix(60)))
      let hint =
        nearestName(to: worker, among: names + KithCommand.shownNames)
        .map { "did you mean '\($0)'?" }
        ?? "workers: \(names.isEmpty ? "none" : names.joined(separator: ", ")); "
        + "`kith --help` lists the commands"
      throw CommandFailure(.usage, "there is no command or worker '\(shown)'; \(hint)")
    }
    try WorkerReadiness.check(found, in: running.places)
  }

  /// `--product`, `--root` and `--timeout` behind the verb. A request that has a field of that name
  /// gets it too; whoever wants the field and not the option gives the option in front of the
  /// worker's name.
  private static func place(in rest: [String], _ settings: CallSettings) -> CallSettings {
    var place = settings
    for (position, argument) in rest.enumerated() where argument.hasPrefix("--") {
      let (name, inline) = OptionSyntax.split(argument)
      let value = inline ?? (position + 1 < rest.count ? rest[position + 1] : nil)
      switch name {
      case "product": place.product = place.product ?? value
      case "root": place.root = place.root ?? value
      case "timeout":
        if let limit = value.flatMap(TimeLimit.init(argument:)) { place.timeout = limit.duration }
      default: break
      }
    }
    return place
  }
}
