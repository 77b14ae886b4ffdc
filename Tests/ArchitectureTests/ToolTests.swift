import Foundation
import Testing

/// The tools that a new user calls first.
@Suite struct ToolTests {
  /// What a tool says and how it ends, where `swift` and the setup's programs are traps.
  private func run(
    _ tool: String, _ arguments: String..., build: String = "exit 99"
  ) throws -> (exitCode: Int32, output: String) {
    let traps = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: traps, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: traps) }
    for name in ["swift", "apt-get", "dpkg-query", "sudo", "protoc", "pip", "pip3"] {
      let trap = traps.appending(path: name)
      try "#!/bin/sh\n\(build)\n".write(to: trap, atomically: true, encoding: .utf8)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: trap.path)
    }
    let process = Process()
    process.executableURL = SourceTree.root.appending(path: tool)
    process.arguments = arguments
    process.currentDirectoryURL = traps
    process.environment = ["PATH": "\(traps.path):/usr/bin:/bin", "HOME": traps.path]
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }

  @Test(arguments: ["bomer-buddy", "./nowhere.yaml", "/nowhere/x.yml"])
  func upKnowsBeforeItBuildsThatThereIsNoSuchProduct(_ product: String) throws {
    let outcome = try run("tools/up", product)
    #expect(outcome.exitCode == 65, "\(outcome)")
    #expect(outcome.output.contains("up: there is no"), "\(outcome)")
  }

  /// Every tool, whatever it is.
  private static let tools = ((try? SourceTree.names(in: "tools")) ?? []).map { "tools/\($0)" }
    .filter { !SourceTree.isFolder($0) }

  @Test(arguments: tools, ["-h", "--help"])
  func helpIsShownAndNothingIsDone(_ tool: String, _ option: String) throws {
    let before = try SourceTree.changes()
    let outcome = try run(tool, option)
    #expect(outcome.exitCode == 0, "\(outcome)")
    #expect(outcome.output.contains("\(tool)"), "\(outcome)")
    for step in ["setup: ", "building ", "error: "] {
      #expect(
        !outcome.output.contains("\n\(step)") && !outcome.output.hasPrefix(step), "\(outcome)")
    }
    #expect(try SourceTree.changes() == before)
  }

  @Test func aBuildThatNobodyWatchesIsALineForEachTenth() throws {
    let steps = "for step in $(seq 100); do echo \"[$step/100] Compiling\"; done"
    let outcome = try run("tools/build", build: steps)
    #expect(outcome.exitCode == 0, "\(outcome)")
    let lines = outcome.output.split(separator: "\n")
    #expect(lines.first?.hasPrefix("building kith, kithd, ") == true, "\(outcome)")
    #expect(lines.last?.wholeMatch(of: /built in \d+ s/) != nil, "\(outcome)")
    let between = lines.dropFirst().dropLast().map { $0.prefix { $0 != "," } }
    #expect(between == stride(from: 10, through: 100, by: 10).map { "\($0) of 100 steps" })
    let failed = try run("tools/build", build: "echo the reason; exit 1")
    #expect(failed.exitCode == 1 && failed.output.contains("the reason"), "\(failed)")
  }

  @Test(arguments: [
    ("boomer-buddy", "kith kithd reminders-worker risk-engine-worker"),
    ("lockr", "kith kithd usage-lock-worker"),
    (
      "milo",
      """
      kith kithd delivery-worker entitlements-worker fall-detector-worker family-alerts-worker family-links-worker \
      personal-data-worker reminders-worker risk-engine-worker
      """
    ),
  ])
  func onlyTheProgramsOfAProductAreBuilt(_ product: String, _ programs: String) throws {
    let outcome = try run("tools/build", product, build: "echo \"<$KITH_BUILD>\"; exit 1")
    #expect(outcome.output.contains("<\(programs)>"), "\(outcome)")
  }
}
