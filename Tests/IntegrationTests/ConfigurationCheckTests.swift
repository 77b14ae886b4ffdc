import Glibc
import HostContract
import KithTesting
import Testing

/// `kith plan` and `kith up` with configuration that only the worker itself can judge.
@Suite struct ConfigurationCheckTests {
  private func product(_ workers: String, in home: Home) throws -> String {
    try home.folder.write("product: mine\nextends: milo\nworkers:\n\(workers)\n", to: "mine.yaml")
    return "\(home.folder.path)/mine.yaml"
  }

  @Test(arguments: [
    (
      "  reminders: { config: { zone: Europe/Atlantis } }",
      "mine.yaml:4:32: reminders refuses 'zone'",
      "Europe/Atlantis"
    ),
    (
      "  risk-engine: { config: { label_medium: 0.8, label_high: 0.6 } }",
      "mine.yaml:4:59: risk-engine refuses 'label_high'", "above label_medium"
    ),
  ])
  func whatAWorkerRefusesIsShownAtItsLine(
    _ workers: String, _ place: String, _ reason: String
  ) async throws {
    let home = try Home()
    let file = try product(workers, in: home)
    for command in ["plan", "up"] {
      let outcome = try await home.kith(command, file)
      #expect(outcome.exitCode == 65, "\(outcome)")
      #expect(outcome.errors.contains(place), "\(outcome)")
      #expect(outcome.errors.contains(reason), "\(outcome)")
    }
    let status = try await home.kith("status")
    #expect(status.exitCode == 69, "\(status)")
  }

  @Test func aReloadAsksTheWorkersFirst() async throws {
    let setup = ProductSetup(product: "product: test\nextends: boomer-buddy\n")
    try await RunningProduct.run(setup) { product in
      let before = try await product.settle().workers
      try product.folder.write(
        """
        product: test
        extends: boomer-buddy
        workers:
          risk-engine: { config: { label_medium: 0.8, label_high: 0.6 } }

        """, to: "plugins/products/product.yaml")
      product.program.signal(SIGHUP)
      try await product.waitForLine(of: "kithd", "risk-engine refuses 'label_high'")
      let after = try await product.status().workers
      #expect(after.map(\.pid) == before.map(\.pid))
      #expect(after.allSatisfy { $0.state == .ready })
    }
  }

  @Test func whatAllWorkersTakeIsPlannedWithoutANote() async throws {
    let home = try Home()
    let file = try product("  reminders: { config: { zone: Europe/Berlin } }", in: home)
    let outcome = try await home.kith("plan", file, "--json")
    #expect(outcome.exitCode == 0 && outcome.output.contains("\"notes\": []"), "\(outcome)")
  }
}
