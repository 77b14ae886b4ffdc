import ArgumentParser
import KithJSON

/// `kith plugin new`
struct PluginNewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Writes a plugin that builds, passes its tests and answers.",
    discussion: """
      Writes the contract, the plugin's folder and its tests, adds its line to Package.swift and runs \
      tools/generate-contracts. All of it is written, or nothing.

      EXAMPLES
        kith plugin new pill-box
        kith plugin new pill-box --directory ~/kith
      """)

  @Argument(
    help: ArgumentHelp(
      "Its name: small letters and digits, with hyphens between words.", valueName: "name"))
  var name: String

  @Option(
    help: ArgumentHelp("The checkout. By default the one that this folder is in.", valueName: "dir")
  )
  var directory: String?

  @OptionGroup var output: OutputOptions

  func run() async throws {
    let start = ContinuousClock.now
    let name = try PluginName(name)
    let folder = try Surroundings.folder(directory ?? ".", option: "--directory")
    let checkout = try Checkout.containing(folder)
    try NewPlugin(checkout: checkout, name: name).write { step in
      if !output.json { try Output.line(step) }
    }
    let elapsed = start.duration(to: .now)
    let milliseconds =
      elapsed.components.seconds * 1000 + elapsed.components.attoseconds / 1_000_000_000_000_000
    if output.json {
      let result: JSONValue = [
        "plugin": .string(name.kebab), "checkout": .string(checkout.root),
        "elapsedMs": .string(String(milliseconds)),
        "written": .array(places(name).map { .string($0.path) }),
        "next": .array(nextSteps(name).map { .string($0) }),
      ]
      try Output.line(result.text(pretty: true))
      return
    }
    let terminal = Surroundings.current.terminal
    let width = places(name).map { TextWidth.columns($0.path) }.max() ?? 0
    try Output.line("Wrote \(name.kebab) in \(Quantities.elapsed(milliseconds: milliseconds)):")
    try Output.lines(
      places(name).map {
        "  " + TextWidth.padded($0.path, to: width) + "  " + terminal.text($0.holds, .faint)
      })
    try Output.line()
    try Output.line(terminal.text("Next, in \(checkout.root):", .bold))
    try Output.lines(nextSteps(name).map { "  \($0)" })
  }

  private func places(_ name: PluginName) -> [(path: String, holds: String)] {
    [
      ("proto/kith/\(name.snake)/v1/\(name.snake).proto", "what it can be asked"),
      ("Plugins/\(name.type)/", "plugin.yaml, its rules, its service, its program"),
      ("Tests/\(name.type)Tests/", "their tests"),
      ("Sources/KithContracts/\(name.contractArea)/", "generated from the contract, as is the C beside it"),
      ("Package.swift", "a line: the contract, the plugin, its program and its tests"),
    ]
  }

  private func nextSteps(_ name: PluginName) -> [String] {
    // Programs are found beside kithd, so that what is built next must be of the same kind as this program.
    let isRelease = Surroundings.programDirectory.hasSuffix("/release")
    let kind = isRelease ? " -c release" : ""
    let kith = isRelease ? ".build/release/kith" : ".build/debug/kith"
    return [
      "swift build\(kind) --product \(name.executable)",
      "swift test --filter \(name.type)Tests",
      "\(kith) up Plugins/\(name.type)/demo.yaml",
      "\(kith) \(name.kebab) greet --name Ana --part-of-day morning --plans \"take a walk\"",
    ]
  }
}
