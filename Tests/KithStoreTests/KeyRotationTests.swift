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
    let rotation = try product.stores.rotateKey()
    #expect(
      rotation
        == ProductStores.Rotation(
          isResumed: false, resealed: ["reminders": 1_201, "falls": 4], unreadable: [:]))
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
    let store = try product.open("reminders")
    let isOver = Atomic(false)
    let writing = Task {
      var number = 2_000
      while !isOver.load(ordering: .acquiring) {
        try Task.checkCancellation()
        let next = number
        try await store.write { try $0.save(Note(id: "\(next)", text: "\(next)")) }
        let note = try await store.read { try $0.record(Note.self, id: "\(next / 2)") }
        #expect(note?.text.value == "\(next / 2)")
        number += 1
      }
      return number
    }
    // A task of its own does not end with the test.
    defer { writing.cancel() }
    for _ in 0..<3 { _ = try product.stores.rotateKey() }
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
    }
    // Meanwhile everything opens.
    let between = try await product.notes(of: "reminders")
    #expect(between.count == 1_200)
    let rotation = try product.stores.rotateKey()
    #expect(rotation.isResumed && rotation.resealed == ["reminders": 701])
    let after = try product.stores.keyFile.read()
    #expect(after.keys == [ring.newest])
    let notes = try await product.notes(of: "reminders")
    #expect(notes.count == 1_200 && notes.allSatisfy { $0.key == $0.value })
  }

  @Test func whatNoKeyOpensIsCountedAndHoldsNothingUp() async throws {
    let product = try TestProduct()
    try await product.write(0..<3, of: "reminders")
    try await DatabaseQueue(path: product.stores.path(of: "reminders")).write { database in
      try database.execute(
        sql: "UPDATE note SET text_sealed = x'0102030405060708' WHERE key = '1'")
    }
    let rotation = try product.stores.rotateKey()
    #expect(rotation.resealed == ["reminders": 3] && rotation.unreadable == ["reminders": 1])
  }

  @Test func answersToRepeatedCallsOutliveIt() async throws {
    let purse = try Purse()
    let record = try purse.openRecord()
    let call = KeyedCalls.one
    _ = try await record.begin(call)
    try await record.finish(call, answer: [1, 2, 3])
    var ring = try KeyRingFile(path: "\(purse.folder.path)/\(KeyRingFile.name)").read()
    ring.rotate()
    try KeyRingFile(path: "\(purse.folder.path)/\(KeyRingFile.name)").replace(with: ring)
    let keys = try purse.folder.keys()
    let queue = try DatabaseQueue(path: "\(purse.folder.path)/\(Purse.file)")
    _ = try Resealing(queue: queue, keys: keys).run()
    ring.dropOlder()
    try KeyRingFile(path: "\(purse.folder.path)/\(KeyRingFile.name)").replace(with: ring)
    let again = try await purse.openRecord().begin(call)
    #expect(again == .answered([1, 2, 3]))
  }
}
