import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithPlanning
import KithRPC
import KithTerminal
import KithVerbs

/// `kith apply`
struct ApplyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "apply",
    abstract: "Changes a running product to be as its manifest says, and touches nothing else.",
    discussion: """
      Shows what `kith plan` shows, does just that, and tells what became of it. A manifest that is wrong changes nothing, \
      nor does a configuration that a running worker refuses. When what runs has changed since the plan was made, nothing is \
      done and the exit code is 75. Ends with exit code 69 when a worker did not become ready; the host then keeps trying.

      The host runs this manifest from now on, also after it was killed and started again. Without a product it is the \
      manifest that runs, as it stands on disk now. A SIGHUP to kithd does the same; what came of it is in its log.

      EXAMPLES
        kith apply
        kith apply ./my-product.yaml --plugins ./my-plugins
      """)

  @Argument(
    help: ArgumentHelp(
      "The product: its name, or the path of its manifest. By default the one that runs.",
      valueName: "product|file"))
  var product: String?

  @OptionGroup var plugins: PluginOptions

  @Option(
    help: ArgumentHelp(
      "The one folder of a product that was started with --root.", valueName: "dir"))
  var root: String?

  mutating func validate() throws { root = root ?? Surroundings.standardRoot }

  @OptionGroup var time: TimeoutOptions
  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let running = try await running(surroundings)
    let host = running.connection.host
    let manifest = product.map(Surroundings.productArgument) ?? ""
    let folders = try plugins.absoluteFolders()
    let planned = try await host.planChanges(
      PlanChangesRequest(manifest: manifest, pluginDirectories: folders),
      options: CallOptions(timeout: CallSettings.standardTimeout))
    let changes = planned.changes.map(KithPlanning.PlannedChange.init)
    let report = ChangesReport(terminal: surroundings.terminal)
    if !output.json {
      let status = try await host.getStatus(
        GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
      let stopped = report.lines(stoppedIn: status)
      try Output.lines(
        changes.isEmpty
          ? ["Nothing to do: what runs is as the manifest says."] + stopped
          : report.lines(changes) + stopped + [""])
    }
    let outcomes = try await apply(
      ApplyChangesRequest(
        manifest: manifest, pluginDirectories: folders, fingerprint: planned.fingerprint), host)
    if output.json {
      let value: JSONValue = .object([
        "outcomes": .array(
          try outcomes.map { try HostJSON.json($0) })
      ])
      try Output.line(value.text(pretty: true))
    } else {
      try Output.lines(report.lines(outcomes))
    }
    let failed = outcomes.filter { !$0.succeeded }.compactMap(\.change?.worker)
    guard failed.isEmpty else {
      throw CommandFailure(
        .unavailable,
        "not as the manifest says: \(failed.map(SafeText.line).joined(separator: ", ")). The rest is, and the host "
          + "keeps trying: see `kith why \(failed[0])`; mend the manifest and apply it again, or apply the one of before"
      )
    }
  }

  private func running(_ surroundings: Surroundings) async throws -> RunningProduct {
    guard let product else {
      let running = try await RunningProduct.find(
        product: nil, root: root, environment: surroundings.environment)
      let status = try await running.connection.host.getStatus(
        GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
      // A manifest that is found in the host's folders alone, or is wrong, is the host's to judge.
      if let plan = try? plugins.reader(environment: surroundings.environment)
        .checkedPlan(status.manifest)
      {
        try checkConfiguration(of: plan, product: status.manifest, surroundings)
      }
      return running
    }
    let plan = try plugins.reader(environment: surroundings.environment).checkedPlan(product)
    try plan.checkCredentials()
    try checkConfiguration(of: plan, product: product, surroundings)
    let places = try ProductPlaces(
      product: plan.product, root: try Surroundings.root(root),
      environment: surroundings.environment)
    guard let running = try await RunningProduct.openIfRunning(places) else {
      throw CommandFailure(
        .unavailable, "\(plan.product) does not run; start it with `kith up \(product)`")
    }
    return running
  }

  /// Refuses what the workers refuse of their configuration, and says which could not be asked.
  private func checkConfiguration(
    of plan: Plan, product: String, _ surroundings: Surroundings
  ) throws {
    for note in try plan.checkConfiguration(
      product: product, folders: plugins.folders, root: try Surroundings.root(root),
      environment: surroundings.environment)
    {
      Output.errorLine("kith: \(note)")
    }
  }

  private func apply(
    _ request: ApplyChangesRequest, _ host: HostClient
  ) async throws -> [ChangeOutcome] {
    do throws(RPCError) {
      return try await host.applyChanges(request, options: time.callOptions).outcomes
    } catch {
      guard error.code == .deadlineExceeded else { throw error }
      throw CommandFailure(
        .deadline,
        "the host is still applying the manifest after \(time.timeout), and goes on with it; "
          + "see `kith status`, or wait longer with --timeout", code: error.code.name)
    }
  }
}
