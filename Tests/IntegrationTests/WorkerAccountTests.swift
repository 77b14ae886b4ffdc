import Glibc
import KithJSON
import KithTesting
import Testing

/// Workers of a host that runs as root, as an account of their own.
@Suite struct WorkerAccountTests {
  /// An account that every Linux has.
  private static let account = "nobody"

  @Test(.enabled(if: geteuid() == 0, "only root can start a process as another account"))
  func workersOfRootRunAsTheAccountThatIsConfigured() async throws {
    let home = try Home()
    let state = "\(home.folder.path)/s/kith/milo"
    let up = try await home.kith("up", "milo", "--worker-account", Self.account)
    try #require(up.exitCode == 0, "\(up)")
    try await expectNothingOfRoot(home)
    let made = try await home.kith("reminders", "add", "water at 9 every day", "--as", "ada")
    #expect(made.exitCode == 0, "\(made)")
    // The host's own stays root's, out of reach.
    for path in ["keys/sealing.keys", "logs", "generations.json"] {
      #expect(owner("\(state)/\(path)") == 0, "\(path)")
    }
    let rotated = try await home.kith("rotate-key")
    #expect(rotated.exitCode == 0, "\(rotated)")
    let backup = "\(home.folder.path)/milo.backup"
    let saved = try await home.kith("backup", "--to", backup)
    #expect(saved.exitCode == 0, "\(saved)")
    let doctor = try await home.kith("doctor")
    #expect(doctor.exitCode == 0, "\(doctor)")
    try await expectDown(home)

    // What commands of root have written in the meantime is the account's again.
    let restored = try await home.kith("restore", backup)
    #expect(restored.exitCode == 0, "\(restored)")
    #expect(owner("\(state)/workers/reminders/store.sqlite") == 0)
    let again = try await home.kith("up", "milo", "--worker-account", Self.account)
    try #require(again.exitCode == 0, "\(again)")
    try await expectNothingOfRoot(home)
    let list = try await home.kith("reminders", "list", "--as", "ada")
    #expect(list.output.contains("water"), "\(list)")
    try await expectDown(home)

    // Without it a worker would be root where it was not.
    let without = try await home.kith("up", "milo")
    #expect(without.exitCode == 69, "\(without)")
    let words = without.output.split { $0 == " " || $0 == "\n" }.joined(separator: " ")
    #expect(words.contains("start the product with --worker-account \(Self.account)"), "\(without)")
    try await expectDown(home)
  }

  @Test(.enabled(if: geteuid() == 0))
  func anAccountThatCannotBeUsedIsRefused() async throws {
    let home = try Home()
    for (name, words) in [
      ("no-such-account", "no account of that name"), ("root", "which is root"),
    ] {
      let up = try await home.kith("up", "milo", "--worker-account", name)
      #expect(up.exitCode == 65 && up.errors.contains(words), "\(up)")
    }
  }

  @Test(.enabled(if: geteuid() != 0))
  func onlyRootStartsWorkersAsAnother() async throws {
    let home = try Home()
    let up = try await home.kith("up", "milo", "--worker-account", Self.account)
    #expect(up.exitCode == 65 && up.errors.contains("only a host that runs as root"), "\(up)")
  }

  private func owner(_ path: String) -> uid_t? {
    var status = stat()
    return lstat(path, &status) == 0 ? status.st_uid : nil
  }

  /// No process of a worker has an identity, a group or a capability of root's.
  private func expectNothingOfRoot(_ home: Home) async throws {
    let status = try await home.kith("status", "--json")
    let workers = try JSONValue(parsing: status.output)["workers"]?.arrayValue ?? []
    #expect(workers.count > 1, "\(status)")
    for worker in workers {
      let pid = try #require(worker["pid"]?.integerValue, "\(status)")
      let lines = (TemporaryFolder.text(of: "/proc/\(pid)/status") ?? "").split(separator: "\n")
      for name in ["Uid:", "Gid:"] {
        let ids = lines.first { $0.hasPrefix(name) }?.split(separator: "\t").dropFirst() ?? []
        #expect(ids.count == 4 && !ids.contains("0"), "\(lines)")
      }
      for name in ["CapPrm:", "CapEff:", "CapBnd:", "CapAmb:"] {
        #expect(lines.contains("\(name)\t0000000000000000"), "\(lines)")
      }
      let groups = lines.first { $0.hasPrefix("Groups:") }?.dropFirst("Groups:".count) ?? ""
      #expect(groups.allSatisfy { $0 == " " || $0 == "\t" }, "\(lines)")
    }
  }

  private func expectDown(_ home: Home) async throws {
    let down = try await home.kith("down")
    #expect(down.exitCode == 0, "\(down)")
  }
}
