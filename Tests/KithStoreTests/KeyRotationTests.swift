import FoundationEssentials
import GRDB
import KithRPC
import KithSealing
import KithTesting
import Synchronization
import Testing

@testable import KithStore

/// The change of a product's key, beside its running workers.
@Suite(.timeLimit(.minutes(2)))
struct KeyRotationTests {
  /// The first bytes of all that is sealed in a table.
  private func headers(_ product: TestProduct, _ worker: String, _ column: String) throws -> Set<
    Data
  > {
    let table = column == "secret_sealed" ? "kith_store" : "note"
    return try DatabaseQueue(path: product.stores.path(of: worker)).read {
      try Data.fetchSet($0, sql: "SELECT substr(\(column), 1, 5) FROM \(table)")
    }
  }

  @Test func allIsSealedAnewAndTheOldKeyIsDestroyed() async throws {
    let product = try TestProduct()
    try await product.write(0..<1_200, of: "reminders")
    try await product.write(0..<3, of: "falls")
    let old = try product.stores.keyFile.read()
    let rotation = try await product.stores.rotateKey(handOver: nil)
    #expect(
      rotation
        == ProductStores.Rotation(
          isResumed: false, resealed: ["reminders": 1_201, "falls": 4], unreadable: [:],
          hasDroppedOlder: true))
    let new = try product.stores.keyFile.read()
    #expect(new.keys.count == 1 && new.newest.id != old.newest.id)
    let header = Data(SealingKeys(ring: new, worker: "x").header)
    for (worker, column) in [
      ("reminders", "text_sealed"), ("falls", "text_sealed"), ("falls", "secret_sealed"),
    ] {
      let found = try headers(product, worker, column)
      #expect(found == [header])
    }
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 1_200 && notes.allSatisfy { $0.key == $0.value })
  }

  @Test func aWorkerWritesAndReadsOnWhileItHappens() async throws {
    let product = try TestProduct()
    try await product.write(0..<2_000, of: "reminders")
    let process = try product.process("reminders")
    let store = process.store
    let isOver = Atomic(false)
    let writing = Task {
      var number = 2_000
      while !isOver.load(ordering: .acquiring) {
        try Task.checkCancellation()
        let next = number
        try await store.write { try $0.save(Note(id: "\(next)", text: "\(next)")) }
        let note = try await store.read { try $0.record(Note.self, id: "\(next / 2)") }
        #expect(note?.text.intact == "\(next / 2)")
        number += 1
      }
      return number
    }
    // A task of its own does not end with the test.
    defer { writing.cancel() }
    for _ in 0..<3 {
      let rotation = try await product.stores.rotateKey { try process.takeKeys() }
      #expect(rotation.hasDroppedOlder)
    }
    isOver.store(true, ordering: .releasing)
    let count = try await writing.value
    try store.close()
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == count && notes.allSatisfy { $0.key == $0.value })
  }

  @Test func oneThatWasCutShortGoesOnWhereItWas() async throws {
    let product = try TestProduct()
    try await product.write(0..<1_200, of: "reminders")
    // As a process leaves it that is killed after its first step.
    var ring = try product.stores.keyFile.read()
    ring.rotate()
    try product.stores.keyFile.replace(with: ring)
    let keys = try SealingKeys(file: product.stores.keyFile, worker: "reminders")
    try await DatabaseQueue(path: product.stores.path(of: "reminders")).write { database in
      for number in 0..<500 {
        let id = "\(number)"
        let place = RowKey.place(table: "note", column: "text_sealed", key: id.databaseValue)
        let sealed = Data(try keys.seal(Array(id.utf8), at: place))
        try database.execute(
          sql: "UPDATE note SET text_sealed = ? WHERE key = ?", arguments: [sealed, id])
      }
      _ = try StoreStanding.count(database)
    }
    // Meanwhile everything opens.
    let between = try await product.notes(of: "reminders")
    #expect(between.count == 1_200)
    let rotation = try await product.stores.rotateKey(handOver: nil)
    #expect(rotation.isResumed && rotation.resealed == ["reminders": 701])
    let after = try product.stores.keyFile.read()
    #expect(after.keys == [ring.newest])
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 1_200 && notes.allSatisfy { $0.key == $0.value })
  }

  @Test func noProcessSealsWithAKeyThatAnotherCannotOpen() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    // Two generations of one worker, which are handed their keys one after the other.
    let (one, other) = (try product.process("reminders"), try product.process("reminders"))
    let steps = Mutex(0)
    let rotation = try await product.stores.rotateKey {
      let step = steps.withLock { steps in
        steps += 1
        return steps
      }
      for (place, process) in [one, other].enumerated() {
        try process.takeKeys()
        let id = "\(step).\(place)"
        try await process.store.write { try $0.save(Note(id: id, text: id)) }
        for reader in [one, other] {
          let note = try await reader.store.read { try $0.record(Note.self, id: id) }
          #expect(note?.text.intact == id)
        }
      }
    }
    #expect(steps.withLock { $0 } == 3 && rotation.hasDroppedOlder)
    for process in [one, other] { try process.store.close() }
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 9)
  }

  @Test func whatIsSealedWithTheOlderKeyUntilTheLastHandOverIsSealedAnew() async throws {
    let product = try TestProduct()
    let process = try product.process("reminders")
    let steps = Mutex(0)
    _ = try await product.stores.rotateKey {
      let step = steps.withLock { steps in
        steps += 1
        return steps
      }
      // As late as it can be: before the keys are taken.
      try await process.store.write { try $0.save(Note(id: "\(step)", text: "\(step)")) }
      try process.takeKeys()
    }
    try process.store.close()
    let header = Data(SealingKeys(ring: try product.stores.keyFile.read(), worker: "x").header)
    let found = try headers(product, "reminders", "text_sealed")
    #expect(found == [header])
    let notes = try await product.notes(of: "reminders")
    #expect(notes == ["1": "1", "2": "2", "3": "3"])
  }

  @Test func theNextKeyOfAChangeThatWasCutShortIsTheOneThatSeals() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    // Known to all, and not sealing yet; then the same beside an older key.
    for hasOlder in [false, true] {
      var ring = try product.stores.keyFile.read()
      if hasOlder { ring.rotate() }
      ring.introduce()
      let next = try #require(ring.next)
      try product.stores.keyFile.replace(with: ring)
      let rotation = try await product.stores.rotateKey(handOver: nil)
      #expect(rotation.isResumed && rotation.hasDroppedOlder)
      #expect(rotation.resealed == ["reminders": 4])
      #expect(try product.stores.keyFile.read().keys == [next])
    }
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 3)
  }

  @Test func whatIsSealedWithTheOlderKeyBehindTheFirstPassIsSealedAnewToo() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    // When the last row is sealed anew, the first is put back as it was.
    try await DatabaseQueue(path: product.stores.path(of: "reminders")).write {
      try $0.execute(
        sql: """
          CREATE TABLE spare AS SELECT text_sealed AS bytes FROM note WHERE key = '0';
          CREATE TRIGGER late AFTER UPDATE ON note WHEN NEW.key = '2' BEGIN
            UPDATE note SET text_sealed = (SELECT bytes FROM spare)
            WHERE key = '0' AND EXISTS (SELECT * FROM spare);
            DELETE FROM spare;
          END;
          """)
      _ = try StoreStanding.count($0)
    }
    let rotation = try await product.stores.rotateKey(handOver: nil)
    #expect(rotation.resealed == ["reminders": 5] && rotation.hasDroppedOlder)
    let notes = try await product.notes(of: "reminders")
    #expect(notes == ["0": "0", "1": "1", "2": "2"])
  }

  @Test func aWorkerThatIsNotHandedItsKeysHoldsItUp() async throws {
    struct Unreachable: Error {}
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    let before = try product.stores.keyFile.read()
    var store: Store? = try product.open("reminders")
    // It runs without its host: nobody can hand it anything.
    let error = await #expect(throws: StoreError.self) {
      try await product.stores.rotateKey(handOver: nil)
    }
    #expect(error?.code == .busy)
    #expect(try product.stores.keyFile.read() == before)
    try store?.close()
    store = nil
    // It runs, and does not answer: at no step is a key dropped, nor does one seal that it does not
    // know.
    for failing in 1...3 {
      let steps = Mutex(0)
      await #expect(throws: Unreachable.self) {
        try await product.stores.rotateKey {
          let step = steps.withLock { steps in
            steps += 1
            return steps
          }
          if step == failing { throw Unreachable() }
        }
      }
      let ring = try product.stores.keyFile.read()
      #expect(ring.keys.contains(before.newest))
      #expect((ring.newest == before.newest) == (failing < 3))
      #expect((ring.next != nil) == (failing == 2))
    }
    let rotation = try await product.stores.rotateKey(handOver: nil)
    #expect(rotation.isResumed && rotation.resealed == ["reminders": 4])
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 3)
  }

  @Test func twoChangesAtOnceAreOneAfterTheOther() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    _ = try await product.stores.rotateKey {
      let error = await #expect(throws: StoreError.self) {
        try await product.stores.rotateKey {}
      }
      #expect(error?.code == .busy && error?.message.contains("another command") == true)
    }
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 3)
  }

  @Test func aDamagedValueIsCountedAndKeepsTheOlderKey() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    try await product.write(0..<2, of: "falls")
    let old = try product.stores.keyFile.read().newest
    let damaged = try await DatabaseQueue(path: product.stores.path(of: "reminders")).write {
      let sealed = try Data.fetchOne($0, sql: "SELECT text_sealed FROM note WHERE key = '1'")
      var bytes = Array(sealed ?? Data())
      bytes[bytes.count - 1] ^= 1
      try $0.execute(
        sql: "UPDATE note SET text_sealed = ? WHERE key = '1'", arguments: [Data(bytes)])
      return bytes
    }
    let first = try await product.stores.rotateKey(handOver: nil)
    #expect(first.resealed == ["reminders": 3, "falls": 3])
    #expect(first.unreadable == ["reminders": 1] && !first.hasDroppedOlder)
    let kept = try product.stores.keyFile.read()
    #expect(kept.keys.count == 2 && kept.keys[1] == old)
    // The bytes are as they were: should they be mended, the kept key opens them.
    let path = product.stores.path(of: "reminders")
    try await DatabaseQueue(path: path).write { database in
      let now = try Data.fetchOne(database, sql: "SELECT text_sealed FROM note WHERE key = '1'")
      #expect(now == Data(damaged))
      var mended = damaged
      mended[mended.count - 1] ^= 1
      try database.execute(
        sql: "UPDATE note SET text_sealed = ? WHERE key = '1'", arguments: [Data(mended)])
    }
    let second = try await product.stores.rotateKey(handOver: nil)
    #expect(second.isResumed && second.hasDroppedOlder && second.unreadable.isEmpty)
    #expect(second.resealed == ["reminders": 1, "falls": 0])
    #expect(try product.stores.keyFile.read().keys == [kept.newest])
    let notes = try await product.notes(of: "reminders")
    #expect(notes == ["0": "0", "1": "1", "2": "2"])
  }

  @Test func theOlderKeyIsDestroyedBesideDamageWhenThatIsSaid() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    try await DatabaseQueue(path: product.stores.path(of: "reminders")).write { database in
      try database.execute(
        sql: "UPDATE note SET text_sealed = x'0102030405060708' WHERE key = '1'")
    }
    let rotation = try await product.stores.rotateKey(droppingDamaged: true, handOver: nil)
    #expect(rotation.resealed == ["reminders": 3] && rotation.unreadable == ["reminders": 1])
    #expect(rotation.hasDroppedOlder)
    #expect(try product.stores.keyFile.read().keys.count == 1)
  }

  @Test func answersToRepeatedCallsOutliveIt() async throws {
    let purse = try Purse()
    let store = try purse.openStore()
    let call = KeyedCalls.one
    try await store.write { try $0.keep([1, 2, 3], of: call, until: 1) }
    var ring = try KeyRingFile(path: "\(purse.folder.path)/\(KeyRingFile.name)").read()
    ring.rotate()
    try KeyRingFile(path: "\(purse.folder.path)/\(KeyRingFile.name)").replace(with: ring)
    let keys = try purse.folder.keys()
    let queue = try DatabaseQueue(path: "\(purse.folder.path)/\(Purse.file)")
    _ = try Resealing(queue: queue, keys: keys).run()
    ring.dropOlder()
    try KeyRingFile(path: "\(purse.folder.path)/\(KeyRingFile.name)").replace(with: ring)
    let again = try await purse.openStore().write { try $0.answer(of: call, now: 0) }
    #expect(again == [1, 2, 3])
  }
}
