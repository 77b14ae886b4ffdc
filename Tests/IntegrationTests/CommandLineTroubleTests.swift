import Glibc
import KithJSON
import KithTesting
import Testing

/// What a person reads when something is not as it should be.
@Suite struct CommandLineTroubleTests {
  /// A product of a worker that never says that it is ready.
  private static func silentProduct(in home: Home) throws -> String {
    try home.folder.write(
      """
      plugin: silent
      version: 1.0.0
      executable: silent-worker
      start_timeout: 1m
      stop_timeout: 100ms

      """, to: "p/Silent/plugin.yaml")
    try home.folder.write(
      "#!/bin/sh\nexec sleep 1000\n", to: "p/Silent/bin/silent-worker", mode: 0o755)
    try home.folder.write("product: quiet\nworkers:\n  silent: {}\n", to: "p/products/quiet.yaml")
    return "\(home.folder.path)/p"
  }

  @Test(
    arguments: [
      ["status"], ["down"], ["start", "x"], ["stop", "x"], ["restart", "x"], ["logs"],
      ["call", "a.B/C"], ["describe"], ["up", "boomer-buddy"], ["risk-engine", "analyze"],
    ])
  func anEmptyRootIsNotTheFolderAtHand(_ command: [String]) async throws {
    let home = try Home()
    let words = command.map { "'\($0)'" }.joined(separator: " ")
    let outcome = try await home.bash(
      "kith \(words) --root \"$UNSET\"; echo $?; kith --root= \(words) 2>/dev/null; echo $?")
    #expect(outcome.output == "64\n64\n", "\(outcome)")
    #expect(outcome.errors.contains("--root needs a folder"), "\(outcome)")
    #expect(TemporaryFolder.names(in: home.folder.path) == [])
  }

  @Test func aFullDeviceIsNamed() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let outcome = try await home.bash(
      """
      for command in status 'status --json' --help 'completion bash' 'plan boomer-buddy' \
        'risk-engine get-model' 'risk-engine --help' 'logs' 'describe'; do
        kith $command >/dev/full; echo $?
      done
      kith status | true
      """)
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    #expect(outcome.output == String(repeating: "73\n", count: 9), "\(outcome)")
    let message = "cannot write standard output: No space left on device"
    let lines = outcome.errors.split(separator: "\n")
    #expect(lines.count == 9 && lines.allSatisfy { $0.contains(message) }, "\(outcome)")
  }

  @Test(arguments: [["status", "--jsn"], ["up"], ["logs", "-n", "20000"], ["risk", "--x"]])
  func anErrorIsJSONWhereJSONIsAskedFor(_ words: [String]) async throws {
    let home = try Home()
    let outcome = try await home.bash("kith \(words.joined(separator: " ")) --json")
    let error = try JSONValue(parsing: outcome.errors)["error"]
    #expect(error?["exitCode"]?.integerValue == Int64(outcome.exitCode))
    #expect(error?["code"]?.stringValue == "INVALID_ARGUMENT")
    #expect(error?["message"]?.stringValue?.isEmpty == false)
    let plain = try await home.bash("kith \(words.joined(separator: " "))")
    #expect(plain.errors.hasPrefix("kith: "), "\(plain)")
    #expect(plain.exitCode == outcome.exitCode)
  }

  @Test func whoIsNotReadyInTimeIsNamed() async throws {
    let home = try Home()
    let plugins = try Self.silentProduct(in: home)
    let up = try await home.kith("up", "quiet", "--plugins", plugins, "--timeout", "200ms")
    #expect(up.exitCode == 124, "\(up)")
    #expect(up.output.contains("WORKER"), "\(up)")
    #expect(up.errors.contains("not ready after 200ms: silent"), "\(up)")
    let restart = try await home.kith("restart", "silent", "--timeout", "200ms")
    #expect(restart.exitCode == 124, "\(restart)")
    #expect(
      restart.errors.contains("the host is still restarting silent after 200ms"), "\(restart)")
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }

  @Test func aServiceThatEveryWorkerHasNeedsAWorkerUnlessThereIsOne() async throws {
    let home = try Home()
    try await RunningProduct.run(Setups.odd()) { product in
      _ = try await product.settle()
      let root = "\(product.folder.path)/r"
      for words in [["Health/Check"], ["/kith.health.v1.Health/Check", "--worker", "odd"]] {
        let check = try await home.kith(["call", "--root", root] + words)
        #expect(check.exitCode == 0 && check.output.lowercased().contains("serving"), "\(check)")
      }
    }
    let two = Setups.two()
    try await RunningProduct.run(two) { product in
      _ = try await product.settle()
      let root = "\(product.folder.path)/r"
      let check = try await home.kith("call", "Health/Check", "--root", root)
      #expect(check.exitCode == 64, "\(check)")
      #expect(check.errors.contains("--worker NAME: odd, even"), "\(check)")
    }
  }

  @Test func whatIsDescribedMayBeNamedInManyWays() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    for name in [
      "kith.risk.v1", ".kith.risk.v1.AnalyzeRequest", "AnalyzeRequest.text",
      "kith.risk.v1.AnalyzeRequest.channel",
    ] {
      let described = try await home.kith("describe", name)
      #expect(described.exitCode == 0, "\(described)")
      #expect(described.output.contains("message AnalyzeRequest {"), "\(name): \(described)")
    }
    let wrong = try await home.kith("describe", "AnalyzeRequest.txt")
    #expect(wrong.exitCode == 64, "\(wrong)")
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }

  @Test func logsAreReadWhereNoHostRuns() async throws {
    let home = try Home()
    let none = try await home.kith("logs")
    #expect(none.exitCode == 69, "\(none)")
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let live = try await home.kith("logs", "risk-engine", "--json")
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")

    let left = try await home.kith("logs", "risk-engine", "--json", "-n", "1000")
    #expect(left.exitCode == 0, "\(left)")
    #expect(left.output.hasPrefix(live.output) && !live.output.isEmpty, "\(left) \(live)")
    let one = try await home.kith("logs", "risk-engine", "-n", "1")
    #expect(one.output.split(separator: "\n").count == 1, "\(one)")
    #expect(one.errors.contains("no host is running"), "\(one)")
    let host = try await home.kith("--product", "boomer-buddy", "logs", "kithd")
    #expect(host.exitCode == 0 && !host.output.isEmpty, "\(host)")
    let follow = try await home.kith("logs", "-f")
    #expect(follow.exitCode == 69 && !follow.output.isEmpty, "\(follow)")
    let unknown = try await home.kith("logs", "risk-engin")
    #expect(unknown.exitCode == 64, "\(unknown)")
    #expect(unknown.errors.contains("did you mean 'risk-engine'?"), "\(unknown)")

    let other = try await home.bash(
      "cp -r $XDG_STATE_HOME/kith/boomer-buddy $XDG_STATE_HOME/kith/milo; kith logs")
    #expect(other.exitCode == 64, "\(other)")
    #expect(other.errors.contains("boomer-buddy, milo"), "\(other)")
  }

  @Test(.enabled(if: geteuid() == 0, "only root can be somebody else"))
  func somebodyElsesHostIsSaidToBe() async throws {
    let home = try Home()
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let outcome = try await home.bash(
      """
      chmod 755 $HOME $XDG_STATE_HOME $XDG_RUNTIME_DIR $XDG_RUNTIME_DIR/kith
      cp $(command -v kith) $HOME/kith
      nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups $HOME/kith "$@"; }
      nobody --version >/dev/null 2>&1 || { echo no other user; exit; }
      for words in 'status' 'status --product boomer-buddy' 'risk-engine get-model'; do
        nobody $words; echo $?
      done
      """)
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    // A toolchain in somebody's home cannot be used by others.
    guard outcome.output != "no other user\n" else { return }
    #expect(outcome.output == "77\n77\n77\n", "\(outcome)")
    for line in outcome.errors.split(separator: "\n") {
      #expect(line.contains("belongs to user root, and user nobody may not"), "\(outcome)")
      #expect(line.contains("sudo -u root kith"), "\(outcome)")
    }
  }
}
