import GRDB
import Glibc
import HostContract
import KithJSON
import KithManifest
import KithRPC
import KithTesting
import Testing
import TestingContract

/// What workers keep, told of, copied, brought back and destroyed, with real processes.
@Suite(.timeLimit(.minutes(4)))
struct KeptDataTests {
  private let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)

  /// Runs `kith` on the product in a folder.
  private func kith(
    _ folder: String, _ arguments: String..., exitCode: Int32 = 0
  ) async throws -> String {
    let outcome = try await Program.built(
      "kith", arguments + ["--root", folder, "--product", "test"],
      environment: ["NO_COLOR": "1", "COLUMNS": "200"]
    ).run()
    #expect(outcome.exitCode == exitCode, "\(outcome)")
    return outcome.output
  }

  private func followed(_ product: RunningProduct) async throws -> [String] {
    let path = product.places.stateDirectory(worker: "even") + "/store.sqlite"
    var configuration = Configuration()
    configuration.readonly = true
    configuration.busyMode = .timeout(10)
    let queue = try DatabaseQueue(path: path, configuration: configuration)
    let entries: [String] = try await queue.read { database in
      guard try database.tableExists("followed") else { return [] }
      return try String.fetchAll(database, sql: "SELECT entry FROM followed ORDER BY rowid")
    }
    try queue.close()
    return entries
  }

  private func waitUntilFollowed(_ count: Int, _ product: RunningProduct) async throws -> [String] {
    var entries: [String] = []
    try await waitUntil("\(count) events were followed") {
      entries = try await followed(product)
      return entries.count >= count
    }
    return entries
  }

  @Test func whateverIsKilledEveryEventTakesEffectOnceAndInOrder() async throws {
    try await RunningProduct.run(Setups.follower()) { product in
      try await product.settle()
      var told: [String] = []
      let once = OnceClient(product.client(of: "odd"))
      for round in 0..<12 {
        for number in 0..<10 {
          let entry = "\(round).\(number)"
          var call = options
          call.idempotencyKey = .random()
          while true {
            do throws(RPCError) {
              _ = try await once.append(AppendRequest(entry: entry), options: call)
              told.append(entry)
            } catch {
              // Whether it was carried out is not known when its process died with it: then nobody
              // may try again.
              if error.code == .unavailable, !Task.isCancelled { continue }
              #expect(error.code == .aborted, "\(error)")
            }
            break
          }
          if number == 4 {
            for name in round.isMultiple(of: 3) ? ["odd"] : ["even"] {
              let pid = try await product.worker(name).pid
              if pid > 0 { Glibc.kill(pid, SIGKILL) }
            }
          }
        }
      }
      let entries = try await waitUntilFollowed(told.count, product)
      #expect(Set(entries).count == entries.count, "some were taken twice")
      let known = Set(told)
      #expect(entries.filter(known.contains) == told)
    }
  }

  @Test func eventsAreShownWithoutWhatIsPersonal() async throws {
    try await RunningProduct.run(Setups.follower()) { product in
      try await product.settle()
      let folder = product.places.stateDirectory
      for entry in ["milk", "bread"] {
        _ = try await OnceClient(product.client(of: "odd")).append(
          AppendRequest(entry: entry), options: options)
      }
      let lines = try await kith(folder, "events").split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines[0].contains("odd  #1 kith.testing.v1.AppendRequest ada"))
      let json = try await kith(folder, "events", "odd", "--json", "-n", "1")
      let event = try JSONValue(parsing: Array(json.utf8)).objectValue
      #expect(event?["sequence"] == "2" && event?["userId"] == "ada")
      #expect(event?["type"] == "kith.testing.v1.AppendRequest")
      let none = try await kith(folder, "events", "--type", "Other", exitCode: 64)
      #expect(none.isEmpty)
      let some = try await kith(folder, "events", "--type", "AppendRequest", "-n", "1")
      #expect(some.contains("#2"))
      // Another worker's service is none that the product's own ones are mixed up with.
      let described = try await kith(folder, "describe", "odd")
      #expect(!described.contains("kith.events.v1"))
    }
  }

  @Test func filesAreTheOwnersAloneAndTheKeyIsTheHosts() async throws {
    try await RunningProduct.run(Setups.follower()) { product in
      try await product.settle()
      func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
      }
      let folder = product.places.stateDirectory
      #expect(mode("\(folder)/keys") == 0o700 && mode("\(folder)/keys/sealing.keys") == 0o600)
      for worker in ["odd", "even"] {
        let state = product.places.stateDirectory(worker: worker)
        #expect(mode(state) == 0o700 && mode("\(state)/store.sqlite") == 0o600)
      }
    }
  }

  @Test func whatIsKeptIsCopiedChangedToAnotherKeyRestoredAndErased() async throws {
    let copies = try TemporaryFolder()
    let backup = "\(copies.path)/test.backup"
    let product = try await RunningProduct.start(Setups.follower())
    let folder = product.places.stateDirectory
    let once = OnceClient(product.client(of: "odd"))
    _ = try await product.settle()
    _ = try await once.append(AppendRequest(entry: "milk"), options: options)
    _ = try await waitUntilFollowed(1, product)

    // What a worker in another language keeps.
    let other = "\(folder)/workers/python"
    mkdir(other, 0o700)
    try #require(close(creat("\(other)/notes.txt", 0o600)) == 0)
    // While it runs: copied, and sealed with another key.
    let made = try await kith(folder, "backup", "--to", backup)
    #expect(
      made.contains("even") && made.contains("odd") && made.contains("The sealing key is not in it")
    )
    #expect(made.contains("Not in it: the files of python") && made.contains(other))
    let rotated = try await kith(folder, "rotate-key")
    #expect(rotated.contains("odd: ") && rotated.contains("the old one is destroyed"))
    _ = try await once.append(AppendRequest(entry: "bread"), options: options)
    _ = try await waitUntilFollowed(2, product)
    let later = "\(copies.path)/later.backup"
    _ = try await kith(folder, "backup", "--to", later)
    // Nothing is replaced or destroyed under a running product.
    _ = try await kith(folder, "restore", later, exitCode: 75)
    _ = try await kith(folder, "erase", "--yes", exitCode: 75)
    try await product.stop()

    let refused = try await kith(folder, "restore", backup, exitCode: 65)
    #expect(refused.isEmpty)
    let restored = try await kith(folder, "restore", later)
    #expect(restored.contains("Restored even, odd of test."))
    let word = try await Program.built(
      "kith", ["erase", "--root", folder, "--product", "test"]
    ).run()
    #expect(word.exitCode == 64 && word.errors.contains("even, odd, python"), "\(word)")
    let erased = try await kith(folder, "erase", "--yes")
    #expect(erased.contains("sealing.keys") && erased.contains("store.sqlite"))
    #expect(erased.contains("notes.txt") && !erased.contains("NO "))
    #expect(TemporaryFolder.names(in: "\(folder)/workers").isEmpty)
    withExtendedLifetime(product) {}
  }

  @Test func aDamagedStoreIsRefusedAndSaidToBe() async throws {
    for salvages in [false, true] {
      let more = salvages ? "store: { when_damaged: salvage }" : ""
      try await RunningProduct.run(
        Setups.oddWithState(restart: "{ intensity: 0, period: 30s }", more: more)
      ) { product in
        _ = try await product.settle()
        _ = try await OnceClient(product.client(of: "odd")).append(
          AppendRequest(entry: "milk"), options: options)
        _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"), options: options)
        let path = product.places.stateDirectory(worker: "odd") + "/store.sqlite"
        // Out of the write-ahead log, which would hide the damage.
        try await DatabaseQueue(path: path).writeWithoutTransaction {
          _ = try $0.checkpoint(.truncate)
        }
        let file = open(path, O_WRONLY)
        pwrite(file, [UInt8](repeating: 0xFF, count: 4096), 4096, 3 * 4096)
        close(file)
        let folder = product.places.stateDirectory
        if salvages {
          _ = try await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
          try await product.waitUntil("odd") { $0.state == .ready }
          let status = try await kith(folder, "status")
          #expect(status.contains("its store was damaged"), "\(status)")
          // The new file is as closed as the one before it, by a worker that may not change a mode.
          var kind = stat()
          #expect(stat(path, &kind) == 0 && kind.st_mode & 0o777 == 0o600)
        } else {
          _ = try? await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
          let why = try await kith(folder, "why", "odd")
          #expect(why.contains("is damaged") && why.contains("kith restore"), "\(why)")
        }
      }
    }
  }

  // MARK: Nothing lost in silence

  /// What may become of a store between two lives of its worker.
  enum Loss: CaseIterable, Sendable {
    case emptied, removed, cut, folderRemoved, olderFile, olderFolder

    /// What the worker says that comes next.
    var words: String {
      switch self {
      case .emptied: "is empty"
      case .removed, .folderRemoved: "is missing"
      case .cut: "is damaged"
      case .olderFile, .olderFolder: "replaced by an older copy"
      }
    }

    func befall(_ folder: String, older: [String: [UInt8]]) throws {
      let path = "\(folder)/store.sqlite"
      switch self {
      case .emptied: truncate(path, 0)
      case .removed: unlink(path)
      case .cut: truncate(path, 3 * 4096)
      case .folderRemoved:
        for name in TemporaryFolder.names(in: folder) { unlink("\(folder)/\(name)") }
        rmdir(folder)
      case .olderFile: try put(older["store.sqlite"], at: path)
      case .olderFolder:
        for name in TemporaryFolder.names(in: folder) { unlink("\(folder)/\(name)") }
        for (name, bytes) in older { try put(bytes, at: "\(folder)/\(name)") }
      }
    }

    private func put(_ bytes: [UInt8]?, at path: String) throws {
      let bytes = try #require(bytes)
      let file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
      defer { close(file) }
      try #require(write(file, bytes, bytes.count) == bytes.count)
    }
  }

  private func files(of folder: String) -> [String: [UInt8]] {
    var files: [String: [UInt8]] = [:]
    for name in TemporaryFolder.names(in: folder) {
      let file = open("\(folder)/\(name)", O_RDONLY)
      defer { close(file) }
      var bytes = [UInt8](repeating: 0, count: 1 << 20)
      bytes.removeLast(bytes.count - max(0, read(file, &bytes, bytes.count)))
      files[name] = bytes
    }
    return files
  }

  @Test(arguments: Loss.allCases)
  func aStoreThatIsNotWhatItWasIsRefusedWithWhatToDo(_ loss: Loss) async throws {
    try await RunningProduct.run(
      Setups.oddWithState(restart: "{ intensity: 1, period: 30s }")
    ) { product in
      _ = try await product.settle()
      let folder = product.places.stateDirectory(worker: "odd")
      func live(_ entry: String) async throws {
        _ = try await OnceClient(product.client(of: "odd")).append(
          AppendRequest(entry: entry), options: options)
        _ = try await product.host.stopWorker(StopWorkerRequest(name: "odd"), options: options)
      }
      try await live("milk")
      // Ended, it has all in the file.
      let older = files(of: folder)
      #expect(older["store.sqlite-wal"]?.isEmpty ?? true)
      _ = try await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
      try await product.waitUntil("odd") { $0.state == .ready }
      try await live("bread")
      try loss.befall(folder, older: older)
      _ = try? await product.host.startWorker(StartWorkerRequest(name: "odd"), options: options)
      try await product.waitUntil("odd") { $0.state == .quarantined }
      let why = try await kith(product.places.stateDirectory, "why", "odd")
      #expect(why.contains(loss.words) && why.contains("kith restore"), "\(loss): \(why)")
      #expect(!why.contains("Fatal error") && !why.contains(" at /"), "\(why)")
    }
  }

  @Test func whatIsWrittenToFilesThatAreGoneIsRefusedAndSaid() async throws {
    try await RunningProduct.run(Setups.oddWithState()) { product in
      _ = try await product.settle()
      let once = OnceClient(product.client(of: "odd"))
      _ = try await once.append(AppendRequest(entry: "milk"), options: options)
      let path = product.places.stateDirectory(worker: "odd") + "/store.sqlite"
      try #require(rename(path, "\(path).away") == 0)
      let error = await #expect(throws: RPCError.self) {
        _ = try await once.append(AppendRequest(entry: "bread"), options: options)
      }
      #expect(error?.code == .dataLoss, "\(error as Any)")
      let gone = "removed or replaced"
      try await product.waitUntil("odd") { $0.health?.degradation.contains(gone) == true }
      let status = try await kith(product.places.stateDirectory, "status")
      #expect(status.contains(gone), "\(status)")
      // Back in its place all goes on, also without a write.
      try #require(rename("\(path).away", path) == 0)
      try await product.waitUntil("odd") { $0.health?.degradation == "" }
      _ = try await once.append(AppendRequest(entry: "bread"), options: options)
    }
  }
}
