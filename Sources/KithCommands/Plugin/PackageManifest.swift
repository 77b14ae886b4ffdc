/// `Package.swift` as text, and the lines that a new plugin adds to it.
struct PackageManifest {
  let text: String

  /// The manifest with the plugin's contract, its targets and its program.
  /// - Throws: ``CommandFailure`` when a place where a line belongs is not there.
  func adding(_ name: PluginName) throws(CommandFailure) -> String {
    var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)

    guard let contract = lines.lastIndex(where: { $0.hasPrefix("  contract(\"") }) else {
      throw Self.unexpected("a line `  contract(\"...\"),`")
    }
    lines.insert("  contract(\"\(name.contractArea)\"),", at: contract + 1)

    guard let list = lines.firstIndex(where: { $0.hasPrefix("let plugins: [Target] =") }),
      let end = lines[list...].firstIndex(where: \.isEmpty)
    else { throw Self.unexpected("`let plugins: [Target] =` and an empty line behind the list") }
    lines.insert(contentsOf: Self.targets(name), at: end)

    guard let product = lines.lastIndex(where: { $0.hasPrefix("    .executable(name:") }) else {
      throw Self.unexpected("a line `    .executable(name: ...),`")
    }
    lines.insert(
      contentsOf: Self.fitting(
        "    .executable(name: \"\(name.executable)\", targets: [\"\(name.executable)\"]),",
        else: [
          "    .executable(",
          "      name: \"\(name.executable)\", targets: [\"\(name.executable)\"]),",
        ]), at: product + 1)
    return lines.joined(separator: "\n")
  }

  private static func targets(_ name: PluginName) -> [String] {
    let arguments =
      "\"\(name.type)\", executable: \"\(name.executable)\", contract: \"\(name.contract)\")"
    return fitting(
      "  + workerPlugin(\(arguments)", else: ["  + workerPlugin(", "    \(arguments)"])
  }

  /// A line, or the same on several where it is too long for the formatter.
  private static func fitting(_ line: String, else lines: [String]) -> [String] {
    let longestLine = 100
    return line.count <= longestLine ? [line] : lines
  }

  private static func unexpected(_ what: String) -> CommandFailure {
    CommandFailure(
      .badInput,
      "Package.swift is not as `kith plugin new` knows it: expected \(what); nothing "
        + "was written")
  }
}
