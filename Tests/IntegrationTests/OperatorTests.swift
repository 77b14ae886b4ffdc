import Glibc
import KithJSON
import KithTesting
import Testing

/// An operator's evening: commands in the wrong order, twice at once, in the wrong folder.
@Suite struct OperatorTests {
  /// The pid of the host that a status as JSON tells of.
  private func hostPID(_ outcome: Program.Outcome) throws -> Int64? {
    try JSONValue(parsing: outcome.output)["hostPid"]?.integerValue
  }

  @Test(arguments: [2, 3])
  func startingAtOnceEndsInOneHostAndTheSameSuccess(_ count: Int) async throws {
    let home = try Home()
    let outcomes = try await withThrowingTaskGroup(of: Program.Outcome.self) { group in
      for _ in 0..<count { group.addTask { try await home.kith("up", "boomer-buddy", "--json") } }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    #expect(outcomes.map(\.exitCode) == Array(repeating: 0, count: count), "\(outcomes)")
    let hosts = try outcomes.map(hostPID)
    #expect(Set(hosts).count == 1 && hosts[0] != nil, "\(outcomes)")
    for outcome in outcomes {
      let states = try JSONValue(parsing: outcome.output)["workers"]?.arrayValue?
        .compactMap { $0["state"]?.stringValue }
      #expect(states?.isEmpty == false && states?.allSatisfy { $0 == "READY" } == true)
    }
  }

  @Test func aHostThatHoldsTheRootAndNeverListensIsToldFromNone() async throws {
    let home = try Home()
    let root = "\(home.folder.path)/r"
    try home.folder.makeFolder("r", mode: 0o700)
    // What another host does before it listens: hold the lock.
    let holder = try Program(
      "flock", ["-x", "\(root)/host.lock", "sh", "-c", "echo held > \(root)/held; exec sleep 600"]
    ).start()
    // What it has started holds the lock too.
    defer { kill(-holder.pid, SIGKILL) }
    try await waitUntil("the lock is held") { TemporaryFolder.text(of: "\(root)/held") == "held\n" }
    let up = try await home.kith("up", "boomer-buddy", "--root", root, "--timeout", "300ms")
    #expect(up.exitCode == 75, "\(up)")
    #expect(up.errors.contains("another host holds \(root)"), "\(up)")
  }

  @Test func aRootThatHoldsAnotherProductIsRefused() async throws {
    let home = try Home()
    let root = "\(home.folder.path)/r"
    for name in ["one", "two"] {
      try home.folder.write(
        """
        product: \(name)
        posture: personal
        workers: { reminders: { config: { person: me, zone: UTC } } }

        """, to: "\(name).yaml")
    }
    let (one, two) = ("\(home.folder.path)/one.yaml", "\(home.folder.path)/two.yaml")
    let up = try await home.kith("up", one, "--root", root)
    try #require(up.exitCode == 0, "\(up)")
    for arguments in [
      ["up", two, "--root", root], ["plan", two, "--root", root], ["apply", two, "--root", root],
      ["status", "--product", "two", "--root", root],
    ] {
      let outcome = try await home.kith(arguments)
      #expect(outcome.exitCode == 65, "\(arguments): \(outcome)")
      #expect(
        outcome.errors.contains("\(root) holds the product one, which runs, and not two"),
        "\(outcome)")
    }
    let down = try await home.kith("down", "--root", root)
    #expect(down.exitCode == 0, "\(down)")
    // What the product keeps is still there.
    let left = try await home.kith("up", two, "--root", root)
    #expect(left.exitCode == 65, "\(left)")
    #expect(left.errors.contains("\(root) holds the product one, and not two"), "\(left)")
    let again = try await home.kith("up", one, "--root", root)
    #expect(again.exitCode == 0, "\(again)")
    _ = try await home.kith("down", "--root", root)
    let erased = try await home.kith("erase", "--yes", "--product", "one", "--root", root)
    #expect(erased.exitCode == 0, "\(erased)")
    let other = try await home.kith("up", two, "--root", root)
    #expect(other.exitCode == 0, "\(other)")
    _ = try await home.kith("down", "--root", root)
  }

  /// Each exit code that `kith up --help` documents, by what leads to it; 75 and the other product
  /// have tests of their own, and for 77 another user is needed.
  @Test func upEndsWithTheCodesOfItsHelp() async throws {
    let home = try Home()
    try home.folder.write("product: wrong\nwrokers: {}\n", to: "wrong.yaml")
    for (name, program) in [("never", "exec sleep 600"), ("ends", "exit 4")] {
      try home.folder.write(
        """
        plugin: \(name)
        version: 1.0.0
        executable: \(name)-worker
        start_timeout: 1m
        stop_timeout: 100ms
        restart: { intensity: 0, period: 30s }

        """, to: "p/\(name)/plugin.yaml")
      try home.folder.write(
        "#!/bin/sh\n\(program)\n", to: "p/\(name)/bin/\(name)-worker", mode: 0o755)
      try home.folder.write(
        "product: \(name)\nworkers:\n  \(name): {}\n", to: "p/products/\(name).yaml")
    }
    let plugins = "\(home.folder.path)/p"
    let cases: [(Int32, [String])] = [
      (0, ["boomer-buddy"]), (64, []), (64, ["boomer-buddy", "--no-such-flag"]),
      (65, ["\(home.folder.path)/wrong.yaml"]), (65, ["no-such-product"]),
      (69, ["ends", "--plugins", plugins]), (73, ["boomer-buddy", "--root", "/dev/null/x"]),
      (73, ["boomer-buddy", "--root", "/tmp/" + String(repeating: "x", count: 120)]),
      (124, ["never", "--plugins", plugins, "--timeout", "200ms"]),
    ]
    for (code, arguments) in cases {
      let outcome = try await home.kith(["up"] + arguments)
      #expect(outcome.exitCode == code, "up \(arguments): \(outcome)")
      #expect(outcome.errors.isEmpty == (code == 0), "up \(arguments): \(outcome)")
    }
    let help = try await home.kith("up", "--help")
    for code in Set(cases.map(\.0)).union([75, 77]) {
      #expect(help.output.contains("\n  \(code) "), "\(code) is not in the help: \(help)")
    }
    for name in ["boomer-buddy", "ends", "never"] {
      let down = try await home.kith("down", "--product", name)
      #expect(down.exitCode == 0, "\(down)")
    }
  }

  @Test func aProductThatRunsIsReportedTheSameWay() async throws {
    let home = try Home()
    let first = try await home.kith("up", "boomer-buddy")
    try #require(first.exitCode == 0, "\(first)")
    let second = try await home.kith("up", "boomer-buddy")
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    #expect(second.errors == "kith: Boomer Buddy is running already; nothing was started\n")
    func shape(_ text: String) -> [Substring] {
      // Times and memory differ from moment to moment, and columns are as wide as they.
      text.split(separator: "\n").compactMap { $0.split(separator: " ").first }
    }
    #expect(shape(first.output) == shape(second.output))
  }

  @Test func aRootThatTheEnvironmentNamesIsTheOneWithoutAnother() async throws {
    let home = try Home()
    let root = "\(home.folder.path)/root"
    let script = """
      kith up milo > /dev/null || exit 1
      kith reminders add 'water at 9 every day' --as ada > /dev/null || exit 2
      kith logs kithd --since 1h | grep -q started || exit 3
      test -z "$(kith logs kithd --until 1h)" || exit 4
      kith events --type ReminderDone > /dev/null || exit 5
      kith events --type ReminderDnoe 2>&1 | grep -q "did you mean 'ReminderDone'" || exit 6
      kith status --root "$HOME/elsewhere" > /dev/null 2>&1 && exit 7
      kith up milo --virtual-time now 2>&1 | grep -q 'runs already' || exit 8
      kith down > /dev/null || exit 9
      test -e "$KITH_ROOT/workers/reminders/store.sqlite" || exit 10
      """
    let outcome = try await home.bash(script, ["KITH_ROOT": root])
    #expect(outcome.exitCode == 0, "\(outcome)")
  }

  @Test func aDoctorFindsWhatIsWrongAndSaysSoInItsExitCode() async throws {
    let home = try Home()
    let none = try await home.kith("doctor", "--json")
    #expect(none.exitCode == 3, "\(none)")
    #expect(try JSONValue(parsing: none.output)["needsAction"] == true)

    let up = try await home.kith("up", "milo")
    try #require(up.exitCode == 0, "\(up)")
    let well = try await home.kith("doctor")
    #expect(well.exitCode == 0, "\(well)")
    #expect(well.output.contains("Nothing needs action"), "\(well)")
    for check in ["host", "workers", "disk", "permissions", "clock", "sandbox"] {
      #expect(well.output.contains(" \(check) "), "\(check): \(well)")
    }

    let stop = try await home.kith("stop", "reminders")
    #expect(stop.exitCode == 0, "\(stop)")
    let keys = "\(home.folder.path)/s/kith/milo/keys"
    try #require(chmod(keys, 0o755) == 0)
    let ill = try await home.kith("doctor", "--json")
    #expect(ill.exitCode == 3, "\(ill)")
    let findings = try JSONValue(parsing: ill.output)["findings"]?.arrayValue ?? []
    #expect(
      findings.contains {
        $0["check"] == "permissions" && $0["state"] == "action"
          && $0["remedy"]?.stringValue == "`chmod 700 \(keys)`"
      }, "\(ill)")
    #expect(
      findings.contains {
        $0["state"] == "notice"
          && $0["text"]?.stringValue?.hasPrefix("reminders was stopped") == true
      }, "\(ill)")
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }

  @Test func helpIsJSONWhereJSONIsAskedFor() async throws {
    let home = try Home()
    for arguments in [["--help"], ["up", "--help"], ["help", "clock"], ["clock", "set", "-h"]] {
      let help = try await home.kith(arguments + ["--json"])
      #expect(help.exitCode == 0, "\(help)")
      #expect(try JSONValue(parsing: help.output)["commandName"]?.stringValue != nil, "\(help)")
    }
    let up = try await home.kith("up", "boomer-buddy")
    try #require(up.exitCode == 0, "\(up)")
    let worker = try await home.kith("risk-engine", "--help", "--json")
    #expect(worker.exitCode == 0, "\(worker)")
    let verbs = try JSONValue(parsing: worker.output)["verbs"]?.arrayValue ?? []
    #expect(verbs.contains { $0["verb"]?.stringValue == "analyze" }, "\(worker)")
    let verb = try await home.kith("risk-engine", "analyze", "--json", "--help")
    #expect(verb.exitCode == 0, "\(verb)")
    let flags = try JSONValue(parsing: verb.output)["flags"]?.arrayValue ?? []
    let channel = try #require(flags.first { $0["name"]?.stringValue == "--channel" }, "\(verb)")
    #expect(channel["values"]?.arrayValue?.contains("sms") == true)
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }

  /// The folder says whose data they are, whatever name is given with it.
  @Test func nothingOfAnotherProductIsErasedSealedAnewOrCopied() async throws {
    let home = try Home()
    let root = "\(home.folder.path)/r"
    let up = try await home.kith("up", "milo", "--root", root)
    try #require(up.exitCode == 0, "\(up)")
    let down = try await home.kith("down", "--root", root)
    #expect(down.exitCode == 0, "\(down)")
    let keys = try #require(TemporaryFolder.text(of: "\(root)/keys/sealing.keys"))
    let backup = "\(home.folder.path)/copy.backup"
    for command in [["erase", "--yes"], ["rotate-key"], ["backup", "--to", backup]] {
      let wrong = try await home.kith(command + ["--root", root, "--product", "boomer-buddy"])
      #expect(wrong.exitCode == 65, "\(command): \(wrong)")
      #expect(wrong.errors.contains("holds the product milo"), "\(command): \(wrong)")
      #expect(TemporaryFolder.text(of: "\(root)/keys/sealing.keys") == keys)
    }
    // The folder alone is enough.
    let copied = try await home.kith("backup", "--root", root, "--to", backup)
    #expect(copied.exitCode == 0, "\(copied)")
    let restored = try await home.kith("restore", backup, "--root", root)
    #expect(restored.exitCode == 0, "\(restored)")
    let erased = try await home.kith("erase", "--yes", "--root", root)
    #expect(erased.exitCode == 0, "\(erased)")
    #expect(TemporaryFolder.text(of: "\(root)/keys/sealing.keys") == nil)
  }

  @Test func aBackupReplacesAFileOnlyWhenItIsTold() async throws {
    let home = try Home()
    let up = try await home.kith("up", "milo")
    try #require(up.exitCode == 0, "\(up)")
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
    let file = "\(home.folder.path)/milo.backup"
    try home.folder.write("somebody's thesis", to: "milo.backup")
    let refused = try await home.kith("backup", "--product", "milo", "--to", file)
    #expect(refused.exitCode == 73, "\(refused)")
    #expect(refused.errors.contains("--force"), "\(refused)")
    #expect(TemporaryFolder.text(of: file) == "somebody's thesis")
    let forced = try await home.kith("backup", "--product", "milo", "--to", file, "--force")
    #expect(forced.exitCode == 0, "\(forced)")
    #expect(TemporaryFolder.text(of: file)?.hasPrefix("SQLite format 3") == true)
  }
}
