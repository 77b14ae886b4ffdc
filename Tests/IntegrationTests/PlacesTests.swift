import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithTesting
import KithTransportNng
import Testing
import TestingContract

/// What becomes of a host whose folders and files are moved, removed, full or not as it wrote them.
@Suite struct PlacesTests {
  private func words(of product: RunningProduct) -> String {
    TemporaryFolder.text(of: "\(product.folder.path)/kithd.err") ?? ""
  }

  private func remove(_ path: String) async throws {
    let outcome = try await Program("rm", ["-r", path]).run()
    #expect(outcome.exitCode == 0, "\(outcome.errors)")
  }

  private func lines(_ path: String) -> String { TemporaryFolder.text(of: path) ?? "" }

  // MARK: The root

  @Test func aHostWhoseRootWasMovedEndsItsWorkersAndSaysWhy() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    try await product.settle()
    let root = "\(product.folder.path)/r"
    try #require(rename(root, root + ".moved") == 0)
    #expect(await product.program.exitCode() == 73)
    #expect(words(of: product).contains("\(root) was moved or removed"), "\(words(of: product))")
    #expect(lines("\(root).moved/logs/kithd.log").contains("was moved or removed"))
    #expect(product.processes() == [])
    // Nothing of the root is made again, so that whoever looks for it sees that it is gone.
    #expect(access(root, F_OK) != 0)
    product.abandon()
  }

  @Test func aRootThatWasMovedIsNotMadeAgainForWhatItsWorkersStored() async throws {
    let product = try await RunningProduct.start(Setups.diary)
    try await product.settle()
    // Stored since the host last recorded how far the store has come.
    let call = CallOptions(idempotencyKey: .random())
    let diary = OnceClient(product.client(of: "diary"))
    _ = try await diary.append(AppendRequest(entry: "Saturday"), options: call)
    let root = "\(product.folder.path)/r"
    try #require(rename(root, root + ".moved") == 0)
    #expect(await product.program.exitCode() == 73)
    #expect(product.processes() == [])
    #expect(access(root, F_OK) != 0)
    product.abandon()
  }

  @Test func twoHostsNeverLeadOneState() async throws {
    let first = try await RunningProduct.start(Setups.odd())
    try await first.settle()
    let root = "\(first.folder.path)/r"
    try #require(rename(root, root + ".moved") == 0)
    let second = try await RunningProduct.start(Setups.odd(), in: first.folder)
    do {
      let before = try #require(try await second.settle().workers.first)
      #expect(await first.program.exitCode() == 73)
      // What the first one leaves takes nothing of the second one along: neither its sockets nor
      // its files.
      let connection = HostConnection(product: "test", address: second.places.controlAddress)
      defer { connection.close() }
      let status = try await connection.host.getStatus(
        GetStatusRequest(waitUntilSettled: true),
        options: CallOptions(timeout: RunningProduct.patience))
      let after = try #require(status.workers.first)
      #expect(after.state == .ready && after.restarts == 0 && before.state == .ready)
      #expect(try await second.tellUntilHeard("hello") >= 1)
      #expect(second.processes() == [try await second.worker("odd").pid])
      #expect(lines("\(root)/generations.json").contains("odd"))
    } catch {
      second.abandon()
      throw error
    }
    first.connection.close()
    try await second.stop()
  }

  @Test func aHostWhoseRootWasRemovedEndsItsWorkersAndSaysWhy() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    try await product.settle()
    let root = "\(product.folder.path)/r"
    try await remove(root)
    #expect(await product.program.exitCode() == 73)
    #expect(words(of: product).contains("\(root) was moved or removed"), "\(words(of: product))")
    #expect(product.processes() == [])
    #expect(access(root, F_OK) != 0)
    product.abandon()
  }

  @Test func whoRemovesTheLockFileDoesNotGetTheRoot() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      unlink(product.places.lockFile)
      await #expect(throws: TestingError.self) {
        _ = try await RunningProduct.start(Setups.odd(), in: product.folder)
      }
      #expect(words(of: product).contains("another host (pid \(product.program.pid))"))
      try await product.waitForLine(of: "kithd", "host.lock was removed or replaced")
      #expect(lines(product.places.lockFile) == "\(product.program.pid)\n")
      await #expect(throws: TestingError.self) {
        _ = try await RunningProduct.start(Setups.odd(), in: product.folder)
      }
      #expect(try await product.tell("hello") == 1)
    }
  }

  // MARK: Sockets

  @Test func aHostWhoseRuntimeFolderWasRemovedListensAgainAndReplacesItsWorkers() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    do {
      let before = try #require(try await product.settle().workers.first)
      try await remove(product.places.runtimeDirectory)
      // The first worker's socket is gone with the folder; the second one's is in the new one.
      try await product.waitUntil("odd") { $0.state == .ready && $0.generation > before.generation }
      let status = try await Program.built(
        "kith", ["status", "--root", "\(product.folder.path)/r"]
      ).run()
      #expect(status.exitCode == 0, "\(status)")
      // Who was never connected reaches it.
      let connection = HostConnection(product: "test", address: product.places.controlAddress)
      defer { connection.close() }
      let after = try #require(
        try await connection.host.getStatus(GetStatusRequest(waitUntilSettled: true)).workers.first)
      #expect(after.state == .ready && after.pid != before.pid && after.restarts == 0)
      #expect(product.processes() == [after.pid])
      try await product.tell("print after")
      try await product.waitForLine(of: "odd", "after")
      // A host that follows finds what it must know.
      await product.killHost()
      let next = try await RunningProduct.start(Setups.odd(), in: product.folder)
      let adopted = try #require(try await next.settle().workers.first)
      #expect(adopted.pid == after.pid)
      product.connection.close()
      try await next.stop()
    } catch {
      product.abandon()
      throw error
    }
  }

  @Test func aControlSocketThatIsNotTheHostsIsReplaced() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      let before = try #require(try await product.settle().workers.first)
      unlink(product.places.controlSocket)
      // It listens for as long as this process lives: to close it would remove what has its name by
      // then.
      try NngListener(address: product.places.controlAddress).start { $0.close() }
      try await product.waitForLine(of: "kithd", "host.sock was removed or replaced")
      let status = try await Program.built(
        "kith", ["status", "--root", "\(product.folder.path)/r"]
      ).run()
      #expect(status.exitCode == 0, "\(status)")
      // No worker has a part in it.
      #expect(try await product.worker("odd").pid == before.pid)
    }
  }

  @Test func aRuntimeFolderThatCannotBeMadeAgainEndsTheHost() async throws {
    let product = try await RunningProduct.start(Setups.odd())
    try await product.settle()
    let path = product.places.runtimeDirectory
    try await remove(path)
    try product.folder.write("in the way", to: "r/run")
    #expect(await product.program.exitCode() == 73)
    #expect(
      words(of: product).contains("\(path) was removed while this host ran"),
      "\(words(of: product))")
    #expect(product.processes() == [])
    product.abandon()
  }

  // MARK: Files

  @Test(arguments: ["18446744073709551615", "18446744073709551610", "4611686018427387905"])
  func generationsThatNoHostCountedAreKeptAsideAndCountedAnew(count: String) async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("r", mode: 0o700)
    try folder.write("{\"odd\":\(count)}\n", to: "r/generations.json", mode: 0o600)
    let product = try await RunningProduct.start(Setups.odd(), in: folder)
    do {
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready && worker.generation == 1)
      let said = try await product.log(of: "kithd").map(\.text)
      #expect(said.contains { $0.contains("is kept as") && $0.contains("generations.json") })
      #expect(lines("\(folder.path)/r/generations.json.damaged").contains(count))
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
  }

  @Test func filesThatNameAGenerationThatNoHostCountedAreNoTrap() async throws {
    let folder = try TemporaryFolder()
    try folder.makeFolder("r/run", mode: 0o700)
    for name in ["odd.18446744073709551615.out", "odd.18446744073709551615.err"] {
      try folder.write("", to: "r/run/\(name)", mode: 0o600)
    }
    let product = try await RunningProduct.start(Setups.odd(), in: folder)
    do {
      let worker = try #require(try await product.settle().workers.first)
      #expect(worker.state == .ready && worker.generation == 1)
      unlink("\(folder.path)/r/run/odd.18446744073709551615.out")
      unlink("\(folder.path)/r/run/odd.18446744073709551615.err")
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
  }

  @Test func aFolderOfLogsThatIsRemovedIsMadeAgain() async throws {
    try await RunningProduct.run(Setups.odd()) { product in
      try await product.settle()
      try await remove(product.places.logsDirectory)
      try await product.tell("print here again")
      try await product.waitForLine(of: "odd", "here again")
      try await product.waitForLine(of: "kithd", "odd.log was removed while it was written")
      #expect(lines(product.places.logFile(worker: "odd")).contains("here again"))
    }
  }

  private static let mayMount = geteuid() == 0

  @Test(.enabled(if: mayMount, "only root may mount a small disk"))
  func aFullDiskIsSaidAtTheStart() async throws {
    let folder = try TemporaryFolder()
    let root = "\(folder.path)/r"
    try folder.makeFolder("r", mode: 0o700)
    try #require(mount("tmpfs", root, "tmpfs", 0, "size=1m,mode=700") == 0)
    defer { umount2(root, Int32(MNT_DETACH)) }
    let ballast = fopen("\(root)/ballast", "w")
    let block = [UInt8](repeating: 0, count: 4096)
    while fwrite(block, 1, block.count, ballast) == block.count, fflush(ballast) == 0 {}
    fclose(ballast)
    let error = await #expect(throws: TestingError.self) {
      _ = try await RunningProduct.start(Setups.odd(), in: folder)
    }
    let words = "\(try #require(error))"
    #expect(words.contains("exit code 73"), "\(words)")
    #expect(words.contains("No space left on device; make room there"), "\(words)")
    #expect(words.contains(root), "\(words)")
    unlink("\(root)/ballast")
    let product = try await RunningProduct.start(Setups.odd(), in: folder)
    do {
      #expect(try await product.settle().workers.first?.state == .ready)
    } catch {
      product.abandon()
      throw error
    }
    try await product.stop()
  }
}
