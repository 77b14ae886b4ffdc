import Crypto
import FoundationEssentials
import GRDB
import Glibc
import KithSealing
import KithTesting
import Synchronization
import Testing

@testable import KithStore

/// Backups, what comes back of them, and the end of everything.
@Suite(.timeLimit(.minutes(2)))
struct BackupTests {
  private let product: TestProduct
  private let path: String

  init() throws {
    product = try TestProduct()
    path = "\(product.folder.path)/product.backup"
  }

  private func back(
    up workers: [String] = ["reminders"], passphrase: String? = nil, replaces: Bool = true
  ) throws -> Backup {
    try Backup.make(
      at: path, of: product.stores, product: "milo", workers: workers,
      passphrase: try passphrase.map { try PassphraseSealing(passphrase: $0) }, replaces: replaces,
      now: 1_800_000_000_000)
  }

  // MARK: Backup

  @Test func aFileThatIsThereIsNotReplacedUnasked() async throws {
    try await product.write(0..<3, of: "reminders")
    let first = try back(replaces: false)
    let before = TemporaryFolder.text(of: first.path)
    let error = #expect(throws: StoreError.self) { try back(replaces: false) }
    #expect(error?.message.contains("--force") == true)
    #expect(TemporaryFolder.text(of: first.path) == before)
    #expect(
      TemporaryFolder.names(in: product.folder.path).contains("product.backup.partial") == false)
    try await product.write(3..<5, of: "reminders")
    _ = try back()
    #expect(TemporaryFolder.text(of: first.path) != before)
  }

  @Test func aBackupIsOfOneMomentWhileTheWorkerWrites() async throws {
    try await product.write(0..<100, of: "reminders")
    let store = try product.open("reminders")
    let isOver = Atomic(false)
    let writing = Task {
      var number = 100
      while !isOver.load(ordering: .acquiring) {
        try Task.checkCancellation()
        let next = number
        // Two rows that belong together.
        try await store.write { transaction in
          try transaction.save(Note(id: "\(next)", text: "\(next)"))
          try transaction.save(Note(id: "\(next) too", text: "\(next)"))
        }
        number += 1
      }
    }
    // A task of its own does not end with the test.
    defer { writing.cancel() }
    var backups: [Int] = []
    for _ in 0..<5 {
      let backup = try back()
      let copy = "\(product.folder.path)/copy"
      try backup.extract(backup.parts[0], to: copy)
      let counts = try await DatabaseQueue(path: copy).read { database in
        try ["key NOT LIKE '% too' AND +key >= 0", "key LIKE '% too'"].map {
          try Int.fetchOne(database, sql: "SELECT count(*) FROM note WHERE \($0)") ?? 0
        }
      }
      #expect(counts[0] - 100 == counts[1])
      try Task.checkCancellation()
      backups.append(counts[0])
    }
    isOver.store(true, ordering: .releasing)
    try await writing.value
    #expect(backups == backups.sorted())
  }

  @Test func itHoldsNoKeyAndNothingReadable() async throws {
    try await product.with("reminders") { store in
      try await store.write { try $0.save(Note(id: "1", text: "Lovelace")) }
    }
    let backup = try back()
    #expect(
      !backup.hasKey && backup.product == "milo" && backup.parts.map(\.worker) == ["reminders"])
    let bytes = try #require(Files.bytes(path))
    let text = String(decoding: bytes, as: UTF8.self)
    let key = try #require(TemporaryFolder.text(of: product.stores.keyFile.path))
    #expect(!text.contains("Lovelace"))
    for line in key.split(separator: "\n").dropFirst() {
      #expect(!text.contains(line.split(separator: " ")[1]))
    }
    var status = stat()
    #expect(stat(path, &status) == 0 && status.st_mode & 0o777 == 0o600)
    let left = TemporaryFolder.names(in: product.folder.path)
    #expect(left == ["product.backup", "state"])
  }

  @Test func oneThatCannotBeMadeLeavesTheOneBeforeIt() async throws {
    try await product.write(0..<3, of: "reminders")
    _ = try back()
    let before = Files.bytes(path)
    #expect(throws: StoreError.self) { try back(up: ["reminders", "nobody"]) }
    #expect(Files.bytes(path) == before)
    #expect(TemporaryFolder.names(in: product.folder.path) == ["product.backup", "state"])
  }

  // MARK: Restore

  @Test func aRestorePutsBackWhatWasThere() async throws {
    try await product.write(0..<10, of: "reminders")
    try await product.write(0..<3, of: "falls")
    let log = try await product.with("reminders") { try await $0.read { try $0.endOfEvents().log } }
    let backup = try back(up: ["falls", "reminders"])
    try await product.write(10..<20, of: "reminders")
    let restoration = try product.stores.restore(backup, product: "milo")
    #expect(
      restoration
        == ProductStores.Restoration(
          restored: ["falls", "reminders"],
          kept: [
            "falls": "\(product.stores.path(of: "falls")).before-restore-1",
            "reminders": "\(product.stores.path(of: "reminders")).before-restore-1",
          ], hasAddedKey: false))
    let notes = try await product.notes(of: "reminders")
    #expect(notes.keys.sorted() == (0..<10).map { "\($0)" })
    // What stood there is kept, and consumers of its events will notice.
    let kept = try await DatabaseQueue(
      path: "\(product.stores.path(of: "reminders")).before-restore-1"
    ).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
    #expect(kept == 20)
    // A restore that is made again takes nothing away of what the first has kept.
    let second = try product.stores.restore(backup, product: "milo", workers: ["reminders"])
    #expect(second.kept["reminders"]?.hasSuffix("store.sqlite.before-restore-2") == true)
    let still = try await DatabaseQueue(
      path: "\(product.stores.path(of: "reminders")).before-restore-1"
    ).read { try Int.fetchOne($0, sql: "SELECT count(*) FROM note") }
    #expect(still == 20)
    let other = try await product.with("reminders") {
      try await $0.read { try $0.endOfEvents().log }
    }
    #expect(other != log)
    // Twice is as once.
    _ = try product.stores.restore(backup, product: "milo", workers: ["reminders"])
    let again = try await product.notes(of: "reminders")
    #expect(again == notes)
  }

  @Test func aRestoreOverADamagedFileWorks() async throws {
    try await product.write(0..<10, of: "reminders")
    let backup = try back()
    let zeros = [UInt8](repeating: 0, count: 100_000)
    try product.folder.write(zeros, to: "state/workers/reminders/store.sqlite", mode: 0o600)
    #expect(throws: StoreError.self) { try product.open("reminders") }
    let log = [UInt8](repeating: 7, count: 5_000)
    try product.folder.write(log, to: "state/workers/reminders/store.sqlite-wal", mode: 0o600)
    let restoration = try product.stores.restore(backup, product: "milo")
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 10)
    // What stood there is kept as it was, with the log, in which something may be that can be
    // saved.
    let kept = try #require(restoration.kept["reminders"])
    #expect(Files.bytes(kept) == zeros && Files.bytes("\(kept)-wal") == log)
  }

  /// Expects that a restore fails and changes nothing.
  private func expectRefusal(
    _ code: StoreError.Code, _ words: String, product name: String = "milo",
    workers: [String] = [], sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let store = product.stores.path(of: "reminders")
    let before = Files.bytes(store)
    let error = #expect(throws: StoreError.self, sourceLocation: sourceLocation) {
      try product.stores.restore(Backup(path: path), product: name, workers: workers)
    }
    #expect(error?.code == code, sourceLocation: sourceLocation)
    #expect(
      error?.message.contains(words) == true, "\(error as Any)", sourceLocation: sourceLocation)
    #expect(Files.bytes(store) == before, sourceLocation: sourceLocation)
    let names = TemporaryFolder.names(in: product.stores.folder(of: "reminders"))
    #expect(
      !names.contains { $0.contains("restor") || $0.contains(".next") },
      sourceLocation: sourceLocation)
  }

  @Test func whatDoesNotFitIsRefusedBeforeAnythingIsReplaced() async throws {
    try await product.write(0..<1_000, of: "reminders")
    _ = try back()
    try expectRefusal(.unusable, "of the product milo", product: "lockr")
    try expectRefusal(.unusable, "nothing of falls", workers: ["falls"])

    // A running worker.
    let store = try product.open("reminders")
    try expectRefusal(.busy, "in use by a running worker")
    try store.close()
    withExtendedLifetime(store) {}
  }

  @Test func aLaterVersionIsRefused() async throws {
    let later = Store.Migration("3 later") { try $0.execute(sql: "CREATE TABLE later (x)") }
    try product.open("reminders", migrations: [Person.migration, Note.migration, later]).close()
    _ = try back()
    for suffix in ["", "-wal", "-shm", ".mark"] {
      unlink(product.stores.path(of: "reminders") + suffix)
    }
    try product.open("reminders").close()
    try expectRefusal(.laterVersion, "3 later")
  }

  @Test func aDamagedBackupIsRefused() async throws {
    try await product.write(0..<1_000, of: "reminders")
    _ = try back()
    try await DatabaseQueue(path: path).write { database in
      try database.execute(sql: "UPDATE piece SET bytes = zeroblob(length(bytes))")
    }
    try expectRefusal(.damaged, "reminders")
    try product.folder.write("no backup", to: "product.backup")
    #expect(throws: StoreError.self) { try Backup(path: path) }
  }

  @Test func aStoreThatIsNotWholeIsRefusedThoughItIsWhatWasBackedUp() async throws {
    try await product.write(0..<1_000, of: "reminders")
    _ = try back()
    try await DatabaseQueue(path: path).write { database in
      var store: [UInt8] = []
      for piece in try Data.fetchAll(database, sql: "SELECT bytes FROM piece ORDER BY number") {
        store += Array(piece)
      }
      // The head of each page but the first: what its cells are is told by nothing any more.
      for page in stride(from: 4096, to: store.count, by: 4096) {
        store.replaceSubrange(page..<page + 8, with: [UInt8](repeating: 0xFF, count: 8))
      }
      try database.execute(sql: "DELETE FROM piece")
      try database.execute(
        sql: "INSERT INTO piece VALUES ('reminders', 0, ?)", arguments: [Data(store)])
      try database.execute(
        sql: "UPDATE store SET sha256 = ?", arguments: [Data(SHA256.hash(data: store))])
    }
    try expectRefusal(.damaged, "reminders")
  }

  @Test func withoutItsKeyABackupOpensNowhere() async throws {
    try await product.write(0..<10, of: "reminders")
    let backup = try back()
    let other = try TestProduct()
    let error = #expect(throws: StoreError.self) {
      try other.stores.restore(backup, product: "milo")
    }
    #expect(error?.code == .sealing)
    try other.stores.keyFile.destroy()
    #expect(throws: StoreError.self) { try other.stores.restore(backup, product: "milo") }
    #expect(TemporaryFolder.names(in: other.stores.folder(of: "reminders")).isEmpty)
  }

  @Test func withItsKeyAndThePassphraseItOpensOnAnotherMachine() async throws {
    try await product.write(0..<10, of: "reminders")
    let backup = try back(passphrase: "correct horse battery")
    let wrong = try PassphraseSealing(passphrase: "correct horse batterx")
    let right = try PassphraseSealing(passphrase: "correct horse battery")
    for hasOwnKey in [false, true] {
      let other = try TestProduct()
      if !hasOwnKey { try other.stores.keyFile.destroy() }
      let error = #expect(throws: StoreError.self) {
        try other.stores.restore(backup, product: "milo", passphrase: wrong)
      }
      #expect(error?.message.contains("passphrase") == true)
      let restoration = try other.stores.restore(backup, product: "milo", passphrase: right)
      #expect(restoration.hasAddedKey && restoration.kept.isEmpty)
      let notes = try await other.notes(of: "reminders")
      #expect(notes.count == 10)
      // A key that came with it goes when the next one is made.
      _ = try await other.stores.rotateKey(handOver: nil)
      let keys = try other.stores.keyFile.read().keys
      #expect(keys.count == 1)
      let again = try await other.notes(of: "reminders")
      #expect(again == notes)
    }
    #expect(throws: SealingError.self) { try PassphraseSealing(passphrase: "short") }
  }

  // MARK: Erase

  @Test func anErasureLeavesNothingAndProvesIt() async throws {
    let running = try product.open("reminders")
    try await running.write { try $0.save(Note(id: "1", text: "Ada")) }
    #expect(throws: StoreError.self) { try product.stores.erase() }
    let still = try await running.read { try $0.records(Note.self).count }
    #expect(still == 1)
    try running.close()
    withExtendedLifetime(running) {}
  }

  @Test func everythingIsOverwrittenAndRemoved() async throws {
    try await product.write(0..<100, of: "reminders")
    let backup = try back()
    _ = try product.stores.restore(backup, product: "milo")
    // Somebody holds the file open, and finds zeros in it.
    let file = open(product.stores.path(of: "reminders"), O_RDONLY)
    let erasure = try product.stores.erase()
    var bytes = [UInt8](repeating: 1, count: 8192)
    #expect(pread(file, &bytes, bytes.count, 0) == bytes.count)
    #expect(bytes.allSatisfy { $0 == 0 })
    #expect(
      erasure.checks.filter { !$0.holds }.map(\.what) == [
        "no process holds a file of it open: \(getpid()) does"
      ])
    close(file)
    #expect(erasure.files[0].path == product.stores.keyFile.path)
    #expect(erasure.files.contains { $0.path.hasSuffix("before-restore-1") && $0.bytes > 0 })
    #expect(TemporaryFolder.names(in: product.stores.stateDirectory).isEmpty)
    #expect(erasure.checks[2].what.hasPrefix("1 sealed values"))
    #expect(try product.stores.erase().isProven)
    // The backup is left, and opens nowhere.
    try Folder.makePrivate(ProductStores.keyFolder(of: product.stores.stateDirectory))
    try product.stores.keyFile.makeIfMissing()
    #expect(throws: StoreError.self) { try product.stores.restore(backup, product: "milo") }
  }

  /// A backup of less than there was would be taken for all of it when it is needed.
  @Test(arguments: ["", "-wal"])
  func noBackupIsMadeOfAStoreThatIsNotWhole(_ suffix: String) async throws {
    let store = try product.open("reminders")
    try await store.note(0..<20)
    // As a killed process leaves it.
    let image = StoreImage(of: product.stores.folder(of: "reminders"), notes: 20)
    try store.close()
    let copy = try TestProduct(keysOf: product)
    try Folder.makePrivate(copy.stores.folder(of: "reminders"))
    for (name, bytes) in image.files where name != Store.fileName + suffix {
      try copy.folder.write(bytes, to: "state/workers/reminders/\(name)", mode: 0o600)
    }
    #expect(copy.stores.workers == ["reminders"])
    let error = #expect(throws: StoreError.self) {
      try Backup.make(
        at: path, of: copy.stores, product: "milo", workers: copy.stores.workers, now: 1)
    }
    #expect(error?.code == .damaged)
    // Nor is the key of what may be brought back destroyed.
    let key = try copy.stores.keyFile.read().keys
    await #expect(throws: StoreError.self) { try await copy.stores.rotateKey(handOver: nil) }
    #expect(try copy.stores.keyFile.read().keys.contains(key[0]))
  }

  /// What the host has noted of the store that was there does not stand against the one that was
  /// restored, nor against an erasure.
  @Test func theHostsRecordGoesWithTheStore() async throws {
    try await product.write(0..<3, of: "reminders")
    _ = try back()
    let folder = product.stores.folder(of: "reminders")
    let log = try #require(try StoreMark.read(of: product.stores.path(of: "reminders"))?.first?.log)
    let known = StoreStanding(log: log, commits: 99)
    try Folder.makePrivate(ProductStores.recordsFolder(of: product.stores.stateDirectory))
    try product.folder.write(known.text, to: "state/stores/reminders", mode: 0o600)
    // Nothing but the host's record tells which store it was.
    for name in TemporaryFolder.names(in: folder) { unlink("\(folder)/\(name)") }
    _ = try product.stores.restore(Backup(path: path), product: "milo")
    do {
      let store = try Store(
        path: product.stores.path(of: "reminders"),
        keys: try SealingKeys(file: product.stores.keyFile, worker: "reminders"),
        migrations: [Person.migration, Note.migration], known: known)
      let notes = try await store.read { try $0.records(Note.self).count }
      #expect(notes == 3)
      try store.close()
    }
    _ = try product.stores.erase()
    #expect(product.stores.record(of: "reminders") == nil)
  }

  @Test func aWorkerIsNotStartedWhileItsStoreIsBeingReplaced() async throws {
    try await product.write(0..<1, of: "reminders")
    let lock = try FolderLock(product.stores.folder(of: "reminders"), .exclusive)
    let error = #expect(throws: StoreError.self) { try product.open("reminders") }
    #expect(error?.code == .busy)
    withExtendedLifetime(lock) {}
  }
}
