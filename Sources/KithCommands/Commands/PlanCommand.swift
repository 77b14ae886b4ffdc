import ArgumentParser
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithPlanning
import KithRPC
import KithTerminal
import KithVerbs

/// `kith plan`
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Checks a product's manifest, and shows what would run and what would change.",
    discussion: """
      Nothing is started or changed. When the product runs, what runs is compared with the manifest: + is started, \
      - is stopped, ~ gets a new process, ≈ takes over its new configuration while it runs, · is no matter of any process. \
      `kith apply` does just that.

      All that is wrong with the manifests is shown with file, line and column, and what a worker refuses of its \
      configuration: its program is asked in the worker's sandbox, without a start. The exit code is 65 then. With --exit-code \
      it is 2 when something would change. `kith help manifest` lists every key.

      EXAMPLES
        kith plan boomer-buddy
        kith plan ./my-product.yaml --plugins ./my-plugins
      """)

  @Argument(help: "The product: its name, or the path of its manifest.")
  var product: String

  @OptionGroup var plugins: PluginOptions

  @Option(
    help: ArgumentHelp(
      "The one folder of a product that was started with --root.", valueName: "dir"))
  var root: String?

  mutating func validate() throws { root = root ?? Surroundings.standardRoot }

  @Flag(help: "Leave with exit code 2 when something would change.")
  var exitCode = false

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let plan = try plugins.reader(environment: surroundings.environment).checkedPlan(product)
    try plan.checkCredentials()
    let root = try Surroundings.root(root)
    let notes = try plan.checkConfiguration(
      product: product, folders: plugins.folders, root: root,
      environment: surroundings.environment)
    let places = try ProductPlaces(
      product: plan.product, root: root, environment: surroundings.environment)
    let changes: [KithPlanning.PlannedChange]
    let running = try await RunningProduct.openIfRunning(places)
    if let running {
      let response = try await running.connection.host.planChanges(
        PlanChangesRequest(
          manifest: Surroundings.productArgument(product),
          pluginDirectories: try plugins.absoluteFolders()),
        options: CallOptions(timeout: CallSettings.standardTimeout))
      changes = response.changes.map(KithPlanning.PlannedChange.init)
    } else {
      changes = PlannedChanges(starting: plan).changes
    }
    let report = ChangesReport(terminal: surroundings.terminal)
    let status = try await running?.connection.host.getStatus(
      GetStatusRequest(), options: CallOptions(timeout: CallSettings.standardTimeout))
    let stopped = status.map(report.lines(stoppedIn:)) ?? []
    let left =
      running == nil
      ? OrphanedProduct.find(
        product: plan.product, root: root, environment: surroundings.environment) : nil
    if output.json {
      var object = plan.json.objectValue ?? JSONObject()
      object["notes"] = .array(notes.map { .string($0) })
      object["running"] = .bool(running != nil)
      object["left"] = left?.json ?? .null
      object["changes"] = .array(changes.map(\.json))
      try Output.line(JSONValue.object(object).text(pretty: true))
    } else {
      try Output.lines(Self.lines(of: plan, surroundings.terminal))
      try Output.lines(
        notes.flatMap { TextWidth.hanging("note: \($0)", width: surroundings.terminal.width) })
      try Output.line()
      try Output.lines(
        left.map { Self.words($0, surroundings.terminal) }
          ?? Self.heading(changes, places, isRunning: running != nil)
          + report.lines(changes) + stopped)
    }
    if exitCode, !changes.isEmpty { throw ExitCode(ExitStatus.changes.number) }
  }

  /// The plan, its lines broken behind their labels.
  static func lines(of plan: Plan, _ terminal: Terminal) -> [String] {
    plan.description.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
      let text = SafeText.line(String(line))
      return TextWidth.hanging(
        text, width: terminal.width, indentation: text.hasPrefix("     ") ? 15 : 2)
    }
  }

  private static func words(_ left: OrphanedProduct, _ terminal: Terminal) -> [String] {
    let text =
      "\(left.description). `kith up` takes over what is as the manifest says, and starts anew what is not."
    guard left.isLeft else { return TextWidth.wrapped(left.failure.message, width: terminal.width) }
    return TextWidth.wrapped(text.prefix(1).uppercased() + text.dropFirst(), width: terminal.width)
  }

  private static func heading(
    _ changes: [KithPlanning.PlannedChange], _ places: ProductPlaces, isRunning: Bool
  ) -> [String] {
    guard isRunning else {
      return ["It does not run in \(places.stateDirectory); `kith up` would start it there:"]
    }
    guard !changes.isEmpty else { return ["Nothing to do: what runs is as the manifest says."] }
    return ["To be as the manifest says, \(ChangesReport.summary(changes)):"]
  }
}

/// Where plugins are looked for.
struct PluginOptions: ParsableArguments {
  @Option(
    name: .customLong("plugins"), parsing: .singleValue,
    help: ArgumentHelp(
      "A folder with plugins, searched before all others. May be repeated.", valueName: "dir"))
  var folders: [String] = []

  /// The folders as paths from the root of the file system.
  /// - Throws: ``CommandFailure`` with exit code 64 when a folder is empty.
  func absoluteFolders() throws(CommandFailure) -> [String] {
    var paths: [String] = []
    for folder in folders { paths.append(try Surroundings.folder(folder, option: "--plugins")) }
    return paths
  }

  /// What reads the manifests.
  /// - Throws: ``CommandFailure`` with exit code 64 when a folder is empty.
  func reader(environment: [String: String]) throws(CommandFailure) -> ManifestReader {
    ManifestReader(folders: try absoluteFolders(), environment: environment)
  }
}
