import Glibc
import HostContract
import KithClient
import KithJSON
import KithManifest
import KithTesting
import Testing

/// What a person sees and can do while the workers of a product have no host, and files of the host
/// are damaged.
@Suite struct HostLossTests {
  /// Boots a product of the worker `odd`, kills its host, and ends what is left at the end.
  private func lost(_ body: (RunningProduct, _ odd: Int32) async throws -> Void) async throws {
    let product = try await RunningProduct.start(Setups.odd())
    do {
      let odd = try #require(try await product.settle().workers.first).pid
      await product.killHost()
      try await body(product, odd)
      let down = try await kith(product, "down")
      #expect(down.exitCode == 0, "\(down)")
      #expect(product.processes() == [])
      #expect(TemporaryFolder.names(in: product.places.runtimeDirectory) == [])
    } catch {
      product.abandon()
      for pid in hosts(of: product) { kill(pid, SIGKILL) }
      throw error
    }
    product.connection.close()
  }

  private func kith(
    _ product: RunningProduct, _ arguments: String...
  ) async throws -> Program.Outcome {
    try await Program.built("kith", arguments + ["--root", root(product)]).run()
  }

  private func up(_ product: RunningProduct) async throws -> Program.Outcome {
    try await kith(product, "up", manifest(product), "--plugins", "\(product.folder.path)/plugins")
  }

  private func root(_ product: RunningProduct) -> String { "\(product.folder.path)/r" }

  private func manifest(_ product: RunningProduct) -> String {
    "\(product.folder.path)/plugins/products/product.yaml"
  }

  private func hosts(of product: RunningProduct) -> [Int32] {
    TemporaryFolder.text(of: product.places.lockFile)
      .flatMap { Int32($0.prefix { $0 != "\n" }) }.map { [$0] } ?? []
  }

  private func status(_ product: RunningProduct) async throws -> GetStatusResponse {
    let connection = HostConnection(product: "test", address: product.places.controlAddress)
    defer { connection.close() }
    return try await connection.host.getStatus(GetStatusRequest(waitUntilSettled: true))
  }

  @Test func whatStillRunsIsSaidWithTheCommandThatTakesItOver() async throws {
    try await lost { product, odd in
      let remedy =
        "kith up \(manifest(product)) --plugins \(product.folder.path)/plugins --root \(root(product))"
      for arguments in [["status"], ["why", "odd"], ["restart", "odd"], ["top", "--count", "1"]] {
        let outcome = try await Program.built("kith", arguments + ["--root", root(product)]).run()
        #expect(outcome.exitCode == 69, "\(outcome)")
        #expect(outcome.errors.contains("its worker runs on: odd (pid \(odd))"), "\(outcome)")
        #expect(outcome.errors.contains("`\(remedy)`"), "\(outcome)")
      }
      let logs = try await kith(product, "logs", "odd")
      #expect(logs.exitCode == 0 && logs.errors.contains("runs on: odd"), "\(logs)")
      let plan = try await kith(
        product, "plan", manifest(product), "--plugins", "\(product.folder.path)/plugins", "--json")
      let left = try JSONValue(parsing: plan.output).objectValue?["left"]?.objectValue
      #expect(left?["takeOver"] == .string(remedy), "\(plan)")

      let up = try await Program(
        "/bin/sh", ["-c", "exec \(Program.built("kith").path)\(remedy.dropFirst(4))"]
      ).run()
      #expect(up.exitCode == 0, "\(up)")
      #expect(try await status(product).workers.first?.pid == odd)
      let why = try await kith(product, "why", "odd")
      #expect(why.output.contains("was taken over from an earlier host"), "\(why)")
    }
  }

  @Test func aProductWithoutAHostCanBeEnded() async throws {
    // `lost` ends with `kith down`.
    try await lost { _, _ in }
  }

  @Test func aManifestThatIsWrongKeepsNoHostFromLeadingWhatRuns() async throws {
    try await lost { product, odd in
      let path = manifest(product)
      let text = try #require(TemporaryFolder.text(of: path))
      try product.folder.write("product: test\nworkers: [", to: "plugins/products/product.yaml")
      let up = try await up(product)
      #expect(up.exitCode == 65, "\(up)")
      #expect(up.output.contains("what runs is as the manifest was"), "\(up)")
      var status = try await status(product)
      #expect(status.workers.first?.pid == odd)
      #expect(
        status.degradations.contains { $0.contains("product.yaml:3:") }, "\(status.degradations)")
      #expect(try await kith(product, "apply").exitCode == 65)
      // Not even its folder need be there: the next host does as well.
      let programs = "\(product.folder.path)/plugins"
      #expect(rename(programs, programs + ".away") == 0)
      for pid in hosts(of: product) { kill(pid, SIGKILL) }
      let again = try await self.up(product)
      #expect(again.exitCode == 65, "\(again)")
      #expect(try await self.status(product).workers.first?.pid == odd)

      #expect(rename(programs + ".away", programs) == 0)
      try product.folder.write(text, to: "plugins/products/product.yaml")
      let apply = try await kith(product, "apply")
      #expect(apply.exitCode == 0, "\(apply)")
      status = try await self.status(product)
      #expect(status.workers.first?.pid == odd)
      #expect(!status.degradations.contains { $0.contains("manifest") })
    }
  }

  @Test func aWrongManifestAndNothingThatRunsIsRefused() async throws {
    try await lost { product, odd in
      kill(odd, SIGKILL)
      try await waitUntil("the process has ended") { product.processes().isEmpty }
      let path = manifest(product)
      let text = try #require(TemporaryFolder.text(of: path))
      try product.folder.write("product: test\nworkers: [", to: "plugins/products/product.yaml")
      let refused = try await up(product)
      #expect(refused.exitCode == 65 && refused.output.isEmpty, "\(refused)")
      try product.folder.write(text, to: "plugins/products/product.yaml")
      #expect(try await up(product).exitCode == 0)
    }
  }

  @Test func damagedCountsAreSetAsideAndCountedOn() async throws {
    try await lost { product, odd in
      try product.folder.write("rubbish", to: "r/generations.json", mode: 0o600)
      let up = try await up(product)
      #expect(up.exitCode == 0, "\(up)")
      #expect(try await status(product).workers.first?.pid == odd)
      let restart = try await kith(product, "restart", "odd", "--json")
      #expect(restart.exitCode == 0, "\(restart)")
      #expect(try #require(try await status(product).workers.first).generation > 1)
      #expect(TemporaryFolder.text(of: "\(root(product))/generations.json.damaged") == "rubbish")
      let log = try await kith(product, "logs", "kithd", "-n", "100")
      #expect(log.output.contains("generations.json.damaged"), "\(log)")
    }
  }

  @Test func aDamagedRecordOfAProcessIsSaid() async throws {
    try await lost { product, odd in
      try product.folder.write("rubbish", to: "r/run/host/odd.1.process", mode: 0o600)
      let up = try await up(product)
      #expect(up.exitCode == 0, "\(up)")
      let worker = try #require(try await status(product).workers.first)
      #expect(worker.pid != odd && worker.state == .ready)
      let log = try await kith(product, "logs", "kithd", "-n", "100")
      #expect(log.output.contains("odd.1.process does not tell of a process"), "\(log)")
    }
  }

  @Test(arguments: ["r/run/host/odd.1.process", "r/running.json"])
  func whatIsDamagedKeepsNobodyFromEndingWhatRuns(file: String) async throws {
    let product = try await RunningProduct.start(Setups.odd())
    do {
      try await product.settle()
      await product.killHost()
      try product.folder.write("rubbish", to: file, mode: 0o600)
      let status = try await kith(product, "status")
      #expect(status.exitCode == 69, "\(status)")
      #expect(status.errors.contains("is gone"), "\(status)")
      let down = try await kith(product, "down")
      #expect(down.exitCode == 0, "\(down)")
      #expect(product.processes() == [])
    } catch {
      product.abandon()
      throw error
    }
    product.connection.close()
  }

  @Test func damagedWishesAreSetAsideAndSaid() async throws {
    try await lost { product, odd in
      try product.folder.write("rubbish", to: "r/run/host/wishes.json", mode: 0o600)
      let up = try await up(product)
      #expect(up.exitCode == 0, "\(up)")
      let log = try await kith(product, "logs", "kithd", "-n", "100")
      #expect(log.output.contains("wishes.json.damaged"), "\(log)")
      unlink("\(product.places.hostDirectory)/wishes.json.damaged")
    }
  }

  @Test func howAWorkerEndedIsKnownToTheNextHost() async throws {
    try await lost { product, odd in
      #expect(try await up(product).exitCode == 0)
      #expect(try await kith(product, "stop", "odd").exitCode == 0)
      for pid in hosts(of: product) { kill(pid, SIGKILL) }
      #expect(try await up(product).exitCode == 0)
      let worker = try #require(try await status(product).workers.first)
      #expect(worker.state == .stopped)
      #expect(worker.lastExit?.cause == .exitCode(0))
      #expect(worker.lastExit?.atMs == worker.sinceMs)
      let why = try await kith(product, "why", "odd")
      #expect(why.output.contains("`kith stop` was asked for it"), "\(why)")
      #expect(why.output.contains("`kith start odd --root \(root(product))`"), "\(why)")
    }
  }

  @Test func aHostThatIsStoppedIsNotTakenForOneThatIsGone() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    do {
      try await product.settle()
      product.program.signal(SIGSTOP)
      for arguments in [["status"], ["logs", "odd"]] {
        let outcome = try await Program.built("kith", arguments + ["--root", root(product)]).run()
        #expect(outcome.errors.contains("is there and does not answer"), "\(outcome)")
        #expect(outcome.errors.contains("kill -CONT \(product.program.pid)"), "\(outcome)")
        #expect(outcome.exitCode == (arguments == ["status"] ? 69 : 0), "\(outcome)")
      }
      product.program.signal(SIGCONT)
      #expect(try await kith(product, "status").exitCode == 0)
    } catch {
      product.program.signal(SIGCONT)
      product.abandon()
      throw error
    }
    product.connection.close()
    try await product.stop()
  }

  @Test func whoFollowsALogGoesOnWithTheNextHost() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    do {
      try await product.settle()
      let output = "\(product.folder.path)/followed"
      let follower = try Program.built(
        "kith", ["logs", "odd", "-f", "--root", root(product)]
      ).start(output: output, errors: output + ".err")
      try await waitUntil("the first process is said to be ready") {
        TemporaryFolder.text(of: output)?.contains("ready") == true
      }
      let upgrade = try await kith(product, "upgrade", "--host")
      #expect(upgrade.exitCode == 0, "\(upgrade)")
      let restart = try await kith(product, "restart", "odd")
      #expect(restart.exitCode == 0, "\(restart)")
      try await waitUntil("the second process is said to be ready") {
        try #require(!follower.hasEnded)
        return TemporaryFolder.text(of: output)?.ranges(of: "ready").count ?? 0 >= 2
      }
      follower.signal(SIGINT)
    } catch {
      product.abandon()
      throw error
    }
    product.connection.close()
    try await product.stop()
  }
}
