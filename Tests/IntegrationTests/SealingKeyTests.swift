import FoundationEssentials
import GRDB
import Glibc
import HostContract
import KithClient
import KithManifest
import KithRPC
import KithSealing
import KithTesting
import KithTime
import KithWire
import RemindersContract
import Testing
import TestingContract

/// The keys under which a product keeps its data: who has them, and what follows when they or the
/// data are damaged. With real processes.
@Suite(.timeLimit(.minutes(4)))
struct SealingKeyTests {
  private let options = CallOptions(timeout: RunningProduct.patience, waitForReady: true)

  /// Runs `kith` on a product: what it writes, on standard error too.
  private func kith(
    _ product: RunningProduct, _ arguments: String..., exitCode: Int32 = 0
  ) async throws -> String {
    let places = product.places
    let outcome = try await Program.built(
      "kith", arguments + ["--root", places.stateDirectory, "--product", places.product],
      environment: ["NO_COLOR": "1", "COLUMNS": "500"]
    ).run()
    #expect(outcome.exitCode == exitCode, "\(outcome)")
    return outcome.output + outcome.errors
  }

  private func file(_ product: RunningProduct) -> KeyRingFile {
    KeyRingFile(path: product.places.sealingKeyFile)
  }

  private func append(_ entry: String, _ product: RunningProduct, to worker: String) async throws {
    _ = try await OnceClient(product.client(of: worker)).append(
      AppendRequest(entry: entry), options: options)
  }

  @Test func noWorkerReadsOrReplacesTheProductsKeys() async throws {
    let script = """
      #!/bin/sh
      pwd >&2
      keys=../../keys
      (cat $keys/sealing.keys && echo "read") >&2
      (ls $keys 2>/dev/null && echo "listed") >&2
      (echo "mine" > $keys/sealing.keys && echo "wrote") >&2
      (mv $keys/sealing.keys mine 2>/dev/null && echo "moved") >&2
      (ln $keys/sealing.keys mine 2>/dev/null && echo "linked") >&2
      (rm $keys/sealing.keys && echo "removed") >&2
      (touch $keys/another 2>/dev/null && echo "made") >&2
      (chmod 644 $keys/sealing.keys && echo "opened to all") >&2
      (chmod 777 $keys && echo "opened the folder") >&2
      echo "end" >&2
      exit 3

      """
    var setup = Setups.oddWithState()
    setup.plugins = [
      Setups.plugin(
        name: "odd", executable: "script", provides: "",
        restart: "{ intensity: 0, period: 30s }", postures: "personal",
        scripts: [ProductSetup.Script(name: "script", text: script)])
    ]
    try await RunningProduct.run(setup) { product in
      let lines = try #require(
        try await product.settle(allowsFailures: true).workers.first?.lastExit
      ).lastLines
      // So that what it looks for is where the keys are.
      #expect(lines.first == product.places.stateDirectory(worker: "odd") && lines.last == "end")
      let gained = [
        "read", "listed", "wrote", "moved", "linked", "removed", "made", "opened to all",
        "opened the folder",
      ]
      #expect(!lines.contains { gained.contains($0) || $0.contains("format 1") }, "\(lines)")
      // By what is there, too.
      let ring = try file(product).read()
      #expect(ring.keys.count == 1)
      let keys = product.places.keysDirectory
      var status = Glibc.stat()
      #expect(stat(keys, &status) == 0 && status.st_mode & 0o777 == 0o700)
      #expect(stat(file(product).path, &status) == 0 && status.st_mode & 0o777 == 0o600)
      #expect(TemporaryFolder.names(in: keys) == [KeyRingFile.name])
      #expect(TemporaryFolder.names(in: product.places.stateDirectory(worker: "odd")).isEmpty)
    }
  }

  @Test(arguments: [false, true])
  func keysThatAreLostOrDamagedAreNeverReplacedAndStopThoseWhoKeepData(_ isDamaged: Bool)
    async throws
  {
    let first = try await RunningProduct.start(Setups.diary)
    try await first.settle()
    try await append("milk", first, to: "diary")
    let kept = try file(first).read()
    let path = file(first).path
    #expect(try await !first.status().degradations.contains { $0.contains(path) })
    if isDamaged {
      #expect(truncate(path, 20) == 0)
    } else {
      #expect(unlink(path) == 0)
    }
    // Said at once, while what runs still has the keys.
    try await append("cheese", first, to: "diary")
    let said = try await first.status().degradations
    #expect(said.contains { $0.contains(path) && $0.contains("goes on with the keys") })
    try await first.stop()

    let second = try await RunningProduct.start(Setups.diary, in: first.folder)
    do {
      let status = try await second.settle(allowsFailures: true)
      func state(_ name: String) -> WorkerState? {
        status.workers.first { $0.name == name }?.state
      }
      // Who keeps nothing serves on.
      #expect(state("risk-engine") == .ready)
      #expect(state("diary") != .ready && state("family") != .ready)
      let what = isDamaged ? "damaged" : "is missing"
      #expect(status.degradations.contains { $0.contains(path) && $0.contains(what) })
      let why = try await kith(second, "why", "diary")
      #expect(why.contains(what) && why.contains("kith erase"), "\(why)")
      let refused = try await kith(second, "rotate-key", exitCode: 65)
      #expect(refused.contains(path), "\(refused)")
      #expect(
        isDamaged ? TemporaryFolder.text(of: path)?.utf8.count == 20 : access(path, F_OK) != 0)
      // Brought back, all is as it was.
      try file(second).replace(with: kept)
      _ = try await second.host.startWorker(StartWorkerRequest(name: "diary"), options: options)
      try await append("bread", second, to: "diary")
      let degradations = try await second.status().degradations
      #expect(!degradations.contains { $0.contains(path) })
    } catch {
      second.abandon()
      throw error
    }
    try await second.stop()
    withExtendedLifetime(first) {}
  }

  @Test func aHostThatTakesOverHandsOutTheKeysAsTheyAreNow() async throws {
    let first = try await RunningProduct.start(Setups.oddWithState())
    try await first.settle()
    try await append("milk", first, to: "odd")
    await first.killHost()
    // As a host leaves it that dies when it has told no worker yet.
    var ring = try file(first).read()
    ring.rotate()
    try file(first).replace(with: ring)
    let second = try await RunningProduct.start(Setups.oddWithState(), in: first.folder)
    do {
      let worker = try #require(try await second.settle().workers.first)
      #expect(worker.generation == 1)
      let header = SealingKeys(ring: ring, worker: "odd").header
      let path = second.places.stateDirectory(worker: "odd") + "/store.sqlite"
      let clock = ContinuousClock()
      let end = clock.now + RunningProduct.patience
      var number = 0
      var found: [UInt8] = []
      while found != header, clock.now < end {
        number += 1
        try await append("\(number)", second, to: "odd")
        found = try await DatabaseQueue(path: path).read { database in
          let row = try Row.fetchOne(
            database,
            sql:
              "SELECT substr(payload_sealed, 1, 5) FROM kith_event ORDER BY sequence DESC LIMIT 1")
          return Array((row?[0] as Data?) ?? Data())
        }
      }
      #expect(found == header)
      // What was begun is finished.
      let rotated = try await kith(second, "rotate-key")
      #expect(rotated.contains("Went on with") && rotated.contains("the old one is destroyed"))
      #expect(try file(second).read().keys == [ring.newest])
      try await append("bread", second, to: "odd")
    } catch {
      second.abandon()
      throw error
    }
    first.connection.close()
    try await second.stop()
  }

  @Test func aKeyIsChangedWhileWorkersAreKilledAndWrite() async throws {
    try await RunningProduct.run(Setups.follower()) { product in
      try await product.settle()
      let before = try file(product).read()
      var told: [String] = []
      for round in 0..<4 {
        async let rotated = kith(product, "rotate-key")
        for number in 0..<10 {
          let entry = "\(round).\(number)"
          do {
            try await append(entry, product, to: "odd")
            told.append(entry)
          } catch let error as RPCError {
            // Its process was killed: whether it was carried out is not known.
            #expect(error.code == .unavailable || error.code == .aborted, "\(error)")
          }
          if number == 5 {
            let name = round.isMultiple(of: 2) ? "odd" : "even"
            let pid = try await product.worker(name).pid
            if pid > 0 { Glibc.kill(pid, SIGKILL) }
          }
        }
        let words = try await rotated
        #expect(words.contains("the old one is destroyed"), "\(words)")
      }
      let after = try file(product).read()
      #expect(after.keys.count == 1 && after.newest != before.newest && after.next == nil)
      // Everything that was acknowledged opens with the one key that is left.
      let keys = SealingKeys(ring: after, worker: "odd")
      let path = product.places.stateDirectory(worker: "odd") + "/store.sqlite"
      let rows = try await DatabaseQueue(path: path).read { database in
        try Row.fetchAll(database, sql: "SELECT sequence, payload_sealed FROM kith_event").map {
          (sequence: $0[0] as Int64, sealed: Array($0[1] as Data))
        }
      }
      let entries = try rows.map { row in
        let place = SealedPlace(
          table: "kith_event", column: "payload_sealed", row: "\(row.sequence)")
        return try AppendRequest(decoding: try keys.open(row.sealed, at: place)).entry
      }
      #expect(Set(told).isSubset(of: entries) && !told.isEmpty)
      let status = try await product.settle()
      for worker in status.workers {
        #expect(worker.state == .ready && worker.health?.degradation == "", "\(worker)")
      }
    }
  }

  @Test func oneDamagedTextIsMarkedCountedAndShown() async throws {
    let setup = ProductSetup(product: "milo").starting(at: Instant("2026-11-21T17:00:00Z"))
    try await RunningProduct.run(setup) { product in
      try await product.settle()
      let reminders = RemindersClient(product.client(of: "reminders"))
      let pills = try await reminders.createReminder(CreateReminderRequest(text: "Pills at 8 pm"))
      _ = try await reminders.createReminder(CreateReminderRequest(text: "Tea at 9 pm"))
      let path = product.places.stateDirectory(worker: "reminders") + "/store.sqlite"
      try await DatabaseQueue(path: path).write {
        try $0.execute(
          sql: "UPDATE reminder SET text_sealed = substr(text_sealed, 1, 20) WHERE id = ?",
          arguments: [pills.id])
      }
      let page = try await reminders.listReminders(ListRemindersRequest())
      #expect(page.reminders.map(\.text).sorted() == ["", "Tea"] && page.damagedCount == 1)
      let error = await #expect(throws: RPCError.self) {
        try await reminders.getReminder(GetReminderRequest(id: pills.id))
      }
      #expect(error?.code == .dataLoss)
      let words = "1 sealed value is damaged (reminder.text_sealed 1)"
      try await product.waitUntil("reminders") { $0.health?.degradation.contains(words) == true }
      for command in ["status", "why"] {
        let shown =
          try await command == "why"
          ? kith(product, "why", "reminders") : kith(product, "status")
        #expect(shown.contains(words), "\(shown)")
      }
      let log = try await product.log(of: "reminders")
      #expect(log.contains { $0.fields["found"]?.contains("reminder.text_sealed") == true })
      #expect(!log.contains { "\($0)".contains("Pills") })
      // The change of the key leaves it as it is, says so, and keeps the older key until that is
      // given up.
      let kept = try await kith(product, "rotate-key", exitCode: 1)
      #expect(kept.contains("reminders: 1 damaged value") && kept.contains("--drop-damaged"))
      #expect(try file(product).read().keys.count == 2)
      let dropped = try await kith(product, "rotate-key", "--drop-damaged")
      #expect(dropped.contains("the old one is destroyed"))
      #expect(try file(product).read().keys.count == 1)
      let mended = try await reminders.updateReminder(
        UpdateReminderRequest(id: pills.id, text: "Pills"))
      #expect(!mended.isDamaged)
      #expect(try await reminders.getReminder(GetReminderRequest(id: pills.id)).text == "Pills")
    }
  }
}
