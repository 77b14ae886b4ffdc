import KithJSON
import KithTesting
import Testing

/// The commands that README.md and the pages of the catalogues name exist, and have the options
/// that stand there.
@Suite struct PageCommandTests {
  /// A command of a page: its words after `kith`.
  private struct Command: Hashable {
    let page: String
    let words: [String]
  }

  private static let root =
    "/" + #filePath.split(separator: "/").dropLast(3).joined(separator: "/")

  private static func pages() -> [String] {
    let catalogues = ["KithHost", "KithTesting", "KithWorker"].map { "Sources/\($0)/\($0).docc" }
    return ["README.md"]
      + catalogues.flatMap { folder in
        TemporaryFolder.names(in: "\(root)/\(folder)").filter { $0.hasSuffix(".md") }
          .map { "\(folder)/\($0)" }
      }
  }

  /// What stands behind `$ ` in a console, or in code marks, and begins with `kith `.
  private static func commands(of page: String) -> [Command] {
    let text = TemporaryFolder.text(of: "\(root)/\(page)") ?? ""
    var found: [Substring] = []
    for line in text.split(separator: "\n") {
      if line.hasPrefix("$ ") {
        found.append(line.dropFirst(2))
      } else {
        for (index, code) in line.split(separator: "`", omittingEmptySubsequences: false)
          .enumerated() where !index.isMultiple(of: 2)
        {
          found.append(code)
        }
      }
    }
    return found.compactMap { line in
      // What follows a comment, a pipe or a redirection is another program's.
      var words = line.split(separator: " ").map(String.init)
        .prefix { !["#", "|", ">", "&&"].contains($0) }[...]
      guard let program = words.popFirst(), program == "kith" || program.hasSuffix("/kith") else {
        return nil
      }
      return Command(page: page, words: Array(words))
    }
  }

  @Test func theCommandsOfThePagesExist() async throws {
    let top = try await help([])
    let commands = try names(of: top, "subcommands")
    let plugins: Set<String> = [
      "risk-engine", "reminders", "family-links", "personal-data", "pill-box", "WORKER",
    ]
    let all = Set(Self.pages().flatMap(Self.commands))
    #expect(all.count > 40)
    var known: [[String]: Set<String>] = [:]
    for command in all.sorted(by: { "\($0)" < "\($1)" }) {
      var words = command.words
      if words.first == "--as" { words.removeFirst(2) }
      guard let verb = words.first, verb.first?.isLowercase == true, !plugins.contains(verb),
        verb != "help"
      else { continue }
      guard commands.contains(verb) else {
        Issue.record("\(command.page): `kith \(verb)` is no command")
        continue
      }
      var path = [verb]
      if words.count > 1, try await subcommands(of: verb).contains(words[1]) {
        path.append(words[1])
      }
      if known[path] == nil { known[path] = try await options(of: path) }
      for flag in words.dropFirst(path.count) where flag.hasPrefix("-") && flag.count > 1 {
        let name = String(flag.prefix { $0 != "=" && $0 != "," && $0 != "]" })
        #expect(
          known[path]?.contains(name) == true,
          "\(command.page): `kith \(path.joined(separator: " "))` has no \(name)")
      }
    }
  }

  private func help(_ path: [String]) async throws -> JSONValue {
    let shown = try await Program.built("kith", path + ["--help", "--json"]).run()
    #expect(shown.exitCode == 0, "\(path): \(shown)")
    return try JSONValue(parsing: shown.output)
  }

  private func names(of help: JSONValue, _ key: String) throws -> Set<String> {
    Set((help[key]?.arrayValue ?? []).compactMap { $0["commandName"]?.stringValue })
  }

  private func subcommands(of verb: String) async throws -> Set<String> {
    try names(of: try await help([verb]), "subcommands")
  }

  private func options(of path: [String]) async throws -> Set<String> {
    let arguments = try await help(path)["arguments"]?.arrayValue ?? []
    let names = arguments.flatMap { $0["names"]?.arrayValue ?? [] }
    return Set(
      names.compactMap { name in
        name["name"]?.stringValue.map { $0.count == 1 ? "-\($0)" : "--\($0)" }
      } + ["--help", "--json"])
  }
}
