import KithManifest
import KithPlanning
import Testing

@testable import KithCommands
@testable import KithExport

@Suite struct SystemdUnitTests {
  private static func unit(
    _ manager: SystemdUnit.Manager, arguments: [String] = ["run", "--product", "milo"]
  ) throws -> SystemdUnit {
    let plugin = CataloguedPlugin(
      manifest: try PluginManifest(
        parsing: """
          plugin: a
          version: 1.0.0
          executable: a-worker
          provides: []
          requires: []
          stop_timeout: 7s
          """, file: "a/plugin.yaml"),
      directory: "/a", executablePath: "/a/bin/a-worker", executableCandidates: [])
    let product = try ProductManifest(
      parsing: "product: milo\ntitle: Milo 100%\nworkers: { a: {} }", file: "milo.yaml")
    return SystemdUnit(
      plan: try Plan(product: product, catalogue: PluginCatalogue(plugins: [plugin])),
      manager: manager, program: "/opt/kith/bin/kithd", arguments: arguments)
  }

  @Test func aUnitOfTheMachineLetsWorkersOutliveTheirHost() throws {
    let unit = try Self.unit(.system(user: "kith"))
    let lines = unit.text.split(separator: "\n").map(String.init)
    #expect(unit.fileName == "kith-milo.service")
    for line in [
      "Description=Milo 100%% (Kith)", "Type=notify", "WatchdogSec=30s", "KillMode=process",
      "ExecStart=/opt/kith/bin/kithd run --product milo", "Restart=on-failure", "Delegate=yes",
      "OOMPolicy=continue", "TimeoutStopSec=18s", "User=kith", "StateDirectory=kith/milo",
      "RuntimeDirectoryPreserve=restart", "NoNewPrivileges=yes", "ProtectSystem=strict",
      "WantedBy=multi-user.target",
      // Workers have a private root, which takes these two and no others.
      "RestrictNamespaces=user mnt",
    ] {
      #expect(lines.contains(line), "\(line)")
    }
    #expect(!lines.contains { $0.hasPrefix("ProtectControlGroups") })
  }

  @Test func aUnitOfAPersonHasOnlyWhatTheirManagerCanDo() throws {
    let text = try Self.unit(.user).text
    #expect(text.contains("\nKillMode=process\n") && text.contains("\nNoNewPrivileges=yes\n"))
    #expect(text.contains("\nWantedBy=default.target\n"))
    for name in ["User=", "StateDirectory", "ProtectSystem", "CapabilityBoundingSet"] {
      #expect(!text.contains("\n\(name)"), "\(name)")
    }
  }

  @Test(
    arguments: [
      ("plain-1.2/x_y", "plain-1.2/x_y"), ("a b", "\"a b\""), ("", "\"\""), ("50%", "50%%"),
      ("$HOME", "\"$$HOME\""), ("a\"b\\c", "\"a\\\"b\\\\c\""), ("a;b", "\"a;b\""),
    ])
  func wordsAreWhatTheyAre(word: String, quoted: String) {
    #expect(SystemdUnit.quoted(word) == quoted)
  }
}
