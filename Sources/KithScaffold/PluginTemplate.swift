/// The files of a new plugin: a small one that works, with a piece of everything that such a plugin
/// has, to be made into something else.
package struct PluginTemplate {
  /// A file by its path.
  package typealias File = PluginTexts.File

  /// The plugin's name.
  package let name: PluginName
  /// Whether it has a store.
  package var keepsData = false
  /// The package of its own that it is written into; nil for a checkout of Kith.
  package var package: PluginPackage?

  /// The files of a plugin of that name.
  package init(name: PluginName, keepsData: Bool = false, package: PluginPackage? = nil) {
    self.name = name
    self.keepsData = keepsData
    self.package = package
  }

  private var texts: PluginTexts { keepsData ? .notes : .greeter }

  /// The proto package of its contract.
  package var protoPackage: String { package == nil ? "kith.\(name.snake).v1" : "\(name.snake).v1" }

  /// The folder of the contract.
  package var protoFolder: String {
    "proto/" + protoPackage.map { $0 == "." ? "/" : "\($0)" }.joined()
  }

  /// The contract, which the generator must read before the rest can be built.
  package var contract: File {
    file("\(protoFolder)/{{snake}}.proto", texts.proto)
  }

  /// All that is in the plugin's folder.
  package var plugin: [File] { texts.plugin.map { file("Plugins/{{Type}}/\($0.path)", $0.text) } }

  /// All that is in the folder of its tests.
  package var tests: [File] { texts.tests.map { file("Tests/{{Type}}Tests/\($0.path)", $0.text) } }

  /// What to try, as a command.
  package var trial: String { filled("{{kith}} {{kebab}} \(texts.trial)") }

  /// What starts the plugin alone.
  package var up: String { filled("{{up}}") }

  private func file(_ path: String, _ text: String) -> File {
    let path = filled(path)
    let text = filled(text) + "\n"
    return File(path, path.hasSuffix(".swift") ? Self.sortingImports(text) : text)
  }

  /// A Swift file with each run of imports in the order that the formatter wants, which the
  /// plugin's name decides.
  private static func sortingImports(_ text: String) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    func module(_ line: String) -> Substring? {
      let words = line.split(separator: " ")
      return words.dropLast().last == "import" ? words.last : nil
    }
    for run in lines.indices.split(whereSeparator: { module(lines[$0]) == nil }) {
      guard let first = run.first, let last = run.last else { continue }
      lines[first...last].sort { (module($0) ?? "") < (module($1) ?? "") }
    }
    return lines.joined(separator: "\n")
  }

  private func filled(_ text: String) -> String {
    let isOwn = package != nil
    let kith = isOwn ? "kith" : ".build/debug/kith"
    let up =
      isOwn
      ? "kith up Plugins/{{Type}}/demo.yaml --plugins Plugins"
      : "\(kith) up Plugins/{{Type}}/demo.yaml"
    let install =
      isOwn
      ? "\nmkdir -p Plugins/{{Type}}/bin\ncp .build/debug/{{executable}} Plugins/{{Type}}/bin" : ""
    let values = [
      ("{{build}}", "swift build --product {{executable}}\(install)\n{{up}}"),
      ("{{up}}", up), ("{{kith}}", kith),
      ("{{generate}}", isOwn ? "swift package generate-contracts" : "tools/generate-contracts"),
      ("{{package}}", protoPackage), ("{{protoFolder}}", String(protoFolder.dropFirst(6))),
      ("{{kebab}}", name.kebab), ("{{Type}}", name.type), ("{{property}}", name.property),
      ("{{snake}}", name.snake), ("{{Words}}", name.words), ("{{Contract}}", name.contract),
      ("{{executable}}", name.executable),
      // Written so here because the test of the imports would take the template's for this file's
      // own.
      ("{{import}}", "import"),
    ]
    return values.reduce(text) { $0.replacing($1.0, with: $1.1) }
  }
}
