import ArgumentParser
import KithJSON
import KithScaffold
import KithTerminal

/// `kith plugin new`
struct PluginNewCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "new",
    abstract: "Writes a plugin that builds, passes its tests and answers.",
    discussion: """
      In a checkout of Kith it writes the contract, the plugin's folder and its tests, adds a line to Package.swift and runs \
      tools/generate-contracts. With --package it writes the same as a package of its own, into a new folder of the plugin's \
      name. All of it is written, or nothing.

      The plugin greets people and has no data. With --stateful it keeps notes: a record with an encrypted column, a write that \
      happens once per idempotency key, an event, work that runs when it is due, and tests over a store in memory.

      EXAMPLES
        kith plugin new pill-box
        kith plugin new pill-box --stateful
        kith plugin new pill-box --stateful --package --kith ~/kith
      """)

  @Argument(
    help: ArgumentHelp(
      "Its name: small letters and digits, with hyphens between words.", valueName: "name"))
  var name: String

  @Flag(help: "With a store, events and due work.")
  var stateful = false

  @Flag(help: "As a package of its own, outside a checkout of Kith.")
  var package = false

  @Option(
    help: ArgumentHelp(
      "Of the package: the path of a checkout of Kith, or its address for git. By default the checkout that this kith was "
        + "built in.", valueName: "place"))
  var kith: String?

  @Option(
    help: ArgumentHelp(
      "The checkout, by default the one that this folder is in; with --package the folder to write into, by default this one.",
      valueName: "dir"))
  var directory: String?

  @OptionGroup var output: OutputOptions

  func validate() throws {
    guard kith == nil || package else { throw ValidationError("--kith goes with --package.") }
  }

  func run() async throws {
    let start = ContinuousClock.now
    let name = try PluginName(name)
    let folder = try Surroundings.folder(directory ?? ".", option: "--directory")
    func report(_ step: String) throws {
      if !output.json { try Output.line("\(step) ...") }
    }
    let root: String
    var template = PluginTemplate(name: name, keepsData: stateful)
    if package {
      let place = try PluginPackage(kith: placeOfKith())
      template.package = place
      try NewPackage(folder: Checkout(root: folder), template: template, package: place)
        .write(report: report)
      root = "\(folder)/\(name.kebab)"
    } else {
      let checkout = try Checkout.containing(folder)
      try NewPlugin(checkout: checkout, template: template).write(report: report)
      root = checkout.root
    }
    let elapsed = start.duration(to: .now)
    try show(
      template, in: root,
      milliseconds: elapsed.components.seconds * 1000
        + elapsed.components.attoseconds / 1_000_000_000_000_000)
  }

  /// Where Kith is for a package of its own.
  private func placeOfKith() throws -> String {
    if let kith, kith.contains(":") { return kith }
    guard let kith else {
      do {
        return try Checkout.containing(Surroundings.programDirectory).root
      } catch {
        throw CommandFailure(
          .usage, "this kith was not built in a checkout of Kith; name one with --kith")
      }
    }
    return try Checkout.containing(Surroundings.folder(kith, option: "--kith")).root
  }

  private func show(_ template: PluginTemplate, in root: String, milliseconds: Int64) throws {
    let name = template.name
    let places = places(template)
    let next = nextSteps(template)
    if output.json {
      let result: JSONValue = [
        "plugin": .string(name.kebab), (package ? "package" : "checkout"): .string(root),
        "elapsedMs": .string(String(milliseconds)),
        "written": .array(places.map { .string($0.path) }),
        "next": .array(next.map { .string($0) }),
      ]
      try Output.line(result.text(pretty: true))
      return
    }
    let terminal = Surroundings.current.terminal
    let width = places.map { TextWidth.columns($0.path) }.max() ?? 0
    try Output.line("Wrote \(name.kebab) in \(Quantities.elapsed(milliseconds: milliseconds)):")
    try Output.lines(
      places.map {
        "  " + TextWidth.padded($0.path, to: width) + "  " + terminal.text($0.holds, .faint)
      })
    try Output.line()
    try Output.line(terminal.text("Next, in \(root):", .bold))
    try Output.lines(next.map { "  \($0)" })
  }

  private func places(_ template: PluginTemplate) -> [(path: String, holds: String)] {
    let name = template.name
    let generated = package ? "Sources/Contracts" : "Sources/KithContracts"
    return [
      (template.contract.path, "what it can be asked"),
      ("Plugins/\(name.type)/", "plugin.yaml, its rules, its service, its program"),
      ("Tests/\(name.type)Tests/", "their tests"),
      ("\(generated)/\(name.contractArea)/", "generated from the contract"),
      ("\(generated)C/\(name.contractArea)/", "the C that it stands on"),
      ("Package.swift", package ? "of a package of its own" : "a line for all of it"),
    ]
  }

  private func nextSteps(_ template: PluginTemplate) -> [String] {
    let name = template.name
    if package {
      let bin = "Plugins/\(name.type)/bin"
      return [
        "swift build --product \(name.executable)",
        "swift test",
        "mkdir -p \(bin) && cp .build/debug/\(name.executable) \(bin)",
        template.up, template.trial,
      ]
    }
    // Programs are found beside kithd, so that what is built next must be of the same kind as this
    // program.
    let isRelease = Surroundings.programDirectory.hasSuffix("/release")
    let kind = isRelease ? " -c release" : ""
    func here(_ command: String) -> String {
      isRelease ? command.replacing(".build/debug/", with: ".build/release/") : command
    }
    return [
      "swift build\(kind) --product \(name.executable)",
      "swift test --filter \(name.type)Tests",
      here(template.up), here(template.trial),
    ]
  }
}
