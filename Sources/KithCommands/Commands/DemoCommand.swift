import ArgumentParser
import KithClient
import KithJSON
import KithManifest
import KithRPC
import KithReflection
import KithTerminal
import KithVerbs

/// `kith demo`
struct DemoCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Shows what a running product does, with the examples that it ships with.",
    discussion: """
      The examples lie beside the product's manifest, in NAME.demo.json: requests, and what is expected of the answers. \
      Each is really asked of the running workers. Ends with exit code 70 when an answer is not what is expected.

      EXAMPLES
        kith up boomer-buddy && kith demo boomer-buddy
        kith demo boomer-buddy --json | jq '.[].answer.label'
      """)

  @Argument(help: ArgumentHelp("The product.", valueName: "product"))
  var name: String

  @OptionGroup var plugins: PluginOptions

  @Option(
    help: ArgumentHelp(
      "The one folder of a product that was started with --root.", valueName: "dir"))
  var root: String?

  mutating func validate() throws { root = root ?? Surroundings.standardRoot }

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let surroundings = Surroundings.current
    let demo = try file(try plugins.reader(environment: surroundings.environment))
    let running = try await RunningProduct.find(
      product: name, root: root, workers: [], environment: surroundings.environment)
    defer { running.connection.close() }
    let options = CallOptions(timeout: CallSettings.standardTimeout, waitForReady: true)
    let directory = try await ServiceDirectory.of(running, worker: nil, options: options)
    let (service, method) = try await directory.method(demo.method)
    let call = Call(client: service.client, contracts: service.contracts, method: method)
    var results: [JSONValue] = []
    var surprises = 0
    if !output.json {
      try Output.lines(TextWidth.wrapped(demo.about, width: surroundings.terminal.width) + [""])
    }
    for (number, scene) in demo.scenes.enumerated() {
      let request: DynamicMessage
      do throws(ContractError) {
        request = try service.contracts.message(method.requestType, from: scene.request)
      } catch {
        throw CommandFailure(error, .badInput)
      }
      let answer = try await call.json(request, options: options)
      let report = DemoReport(
        number: number + 1, scene: scene, answer: answer, shown: demo.shown,
        terminal: surroundings.terminal)
      surprises += report.surprises.count
      if output.json {
        results.append([
          "title": .string(scene.title), "request": scene.request, "answer": answer,
          "asExpected": .bool(report.surprises.isEmpty),
        ])
      } else {
        try Output.lines(report.lines + [""])
      }
    }
    if output.json {
      try Output.line(JSONValue.array(results).text(pretty: true))
    }
    guard surprises == 0 else {
      throw CommandFailure(
        .defect,
        "\(surprises) of the values are not what the demo expects: the worker, its rules or its configuration are others "
          + "than those that the demo was written for")
    }
  }

  private func file(_ reader: ManifestReader) throws(CommandFailure) -> DemoFile {
    let shown = reader.searchPath.flatMap { folder in
      Folder.names(in: "\(folder)/products").filter { $0.hasSuffix(".demo.json") }
        .map { (name: String($0.dropLast(".demo.json".count)), path: "\(folder)/products/\($0)") }
    }
    guard let found = shown.first(where: { $0.name == name }) else {
      let names = shown.map(\.name).joined(separator: ", ")
      throw CommandFailure(
        .badInput,
        "the product '\(SafeText.line(name))' has no demo; "
          + (names.isEmpty ? "none of the folders has one" : "there is one of \(names)"))
    }
    return try DemoFile(
      SystemValueReader().bytes(ofFile: found.path), file: found.path)
  }
}
