package import KithTerminal

/// `Package.swift` of a checkout as text, and the line that a new plugin adds to it.
package struct PackageManifest {
  /// The manifest's text.
  package let text: String

  /// The manifest with the plugin in its list of plugins.
  /// - Throws: ``CommandFailure`` when there is no such list.
  package func adding(_ name: PluginName, keepsData: Bool = false) throws(CommandFailure) -> String
  {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    guard let list = lines.firstIndex(of: "let plugins: [Plugin] = ["),
      let end = lines[list...].firstIndex(of: "]")
    else {
      throw CommandFailure(
        .badInput,
        "Package.swift has no list `let plugins: [Plugin] = [ ... ]`, which `kith plugin new` "
          + "adds a line to; nothing was written")
    }
    lines.insert(contentsOf: Self.line(name, keepsData: keepsData), at: end)
    return lines.joined(separator: "\n")
  }

  private static func line(_ name: PluginName, keepsData: Bool) -> [String] {
    var arguments = ["\"\(name.type)\""]
    if name.contractArea != name.type { arguments.append("area: \"\(name.contractArea)\"") }
    if name.executable != defaultExecutable(of: name.type) {
      arguments.append("executable: \"\(name.executable)\"")
    }
    if keepsData { arguments.append("keepsData: true") }
    let joined = arguments.joined(separator: ", ")
    let longestLine = 100
    let line = "  workerPlugin(\(joined)),"
    // Where it is too long, as the formatter would write it.
    return line.count <= longestLine ? [line] : ["  workerPlugin(", "    \(joined)),"]
  }

  /// The program that `workerPlugin` gives to a plugin of this type: `PillBox` has
  /// `pill-box-worker`.
  private static func defaultExecutable(of type: String) -> String {
    let words = type.map { $0.isUppercase ? "-\($0.lowercased())" : "\($0)" }.joined()
    return "\(words.dropFirst())-worker"
  }
}
