import FoundationEssentials
import GRDB
import KithAccess
import KithRPC
import KithTesting
import Synchronization
import Testing

@testable import KithStore

/// Sealed values whose bytes were changed on the disk: marked and counted, and never in the way of
/// the others.
@Suite(.timeLimit(.minutes(1)))
struct DamagedValueTests {
  private let folder: TemporaryFolder
  private let store: Store

  init() async throws {
    folder = try TemporaryFolder()
    store = try folder.store()
    try await store.write { transaction in
      for id in 1...5 as ClosedRange<Int64> {
        try transaction.save(
          Person(id: id, user: .ada, name: "Ada \(id)", phone: "\(id)"), under: Everything.grant)
        try transaction.save(Note(id: "\(id)", text: "\(id)"))
      }
    }
  }

  /// Cuts a value short by its last byte.
  private func damage(_ table: String, _ column: String, where condition: String) async throws {
    try await store.write { transaction in
      try transaction.database.execute(
        sql: """
          UPDATE \(table) SET \(column) = substr(\(column), 1, length(\(column)) - 1)
          WHERE \(condition)
          """)
    }
  }

  private func people() async throws -> [Person] {
    try await store.read { try $0.records(Person.self, orderedBy: "id", under: Everything.grant) }
  }

  private func bytes(_ column: String, of id: Int64) async throws -> Data? {
    try await store.read {
      try Data.fetchOne(
        $0.database, sql: "SELECT \(column) FROM person WHERE id = ?", arguments: [id])
    }
  }

  @Test func aListHasTheOthersAndMarksTheOne() async throws {
    try await damage("person", "name_sealed", where: "id = 3")
    let found = try await people()
    #expect(found.map(\.name.intact) == ["Ada 1", "Ada 2", nil, "Ada 4", "Ada 5"])
    #expect(found.map(\.name.isDamaged) == [false, false, true, false, false])
    #expect(found.allSatisfy { $0.phone?.intact == "\($0.id)" })
    let error = #expect(throws: StoreError.self) { try found[2].name.value }
    #expect(error?.code == .sealing && error?.rpcError.code == .dataLoss)
    #expect("\(found[2])".contains("<sealed>"))
  }

  @Test func aSingleRecordIsAnsweredDataLossUnlessDamageIsTakenAsSuch() async throws {
    try await damage("person", "name_sealed", where: "id = 3")
    try await damage("note", "text_sealed", where: "key = '3'")
    let person = await #expect(throws: StoreError.self) {
      try await store.read { try $0.record(Person.self, id: 3, under: Everything.grant) }
    }
    let note = await #expect(throws: StoreError.self) {
      try await store.read { try $0.record(Note.self, id: "3") }
    }
    for (error, column) in [(person, "person.name_sealed"), (note, "note.text_sealed")] {
      #expect(error?.code == .sealing && error?.rpcError.code == .dataLoss)
      #expect(error?.message.contains(column) == true)
    }
    let marked = try await store.read {
      try (
        $0.record(Person.self, id: 3, under: Everything.grant, markingDamage: true),
        $0.record(Note.self, id: "3", markingDamage: true)
      )
    }
    #expect(marked.0?.name.isDamaged == true && marked.1?.text.isDamaged == true)
    let whole = try await store.read { try $0.record(Note.self, id: "2") }
    #expect(whole?.text.intact == "2")
  }

  @Test func eachIsCountedOnceAndToldOfWithoutContent() async throws {
    let told = Mutex<[Int]>([])
    store.damagedValues.onChange { damage in told.withLock { $0.append(damage.count) } }
    #expect(store.damagedValues.words == nil && store.damagedValues.count == 0)
    _ = try await people()
    #expect(told.withLock { $0.isEmpty })
    try await damage("person", "name_sealed", where: "id = 3")
    for _ in 0..<3 { _ = try await people() }
    #expect(store.damagedValues.words == "1 sealed value is damaged (person.name_sealed 1)")
    try await damage("person", "name_sealed", where: "id = 4")
    try await damage("note", "text_sealed", where: "key = '3'")
    _ = try await people()
    _ = try await store.read { try $0.records(Note.self) }
    #expect(told.withLock { $0 } == [1, 2, 3] && store.damagedValues.count == 3)
    #expect(store.damagedValues.counts == ["person.name_sealed": 2, "note.text_sealed": 1])
    #expect(
      store.damagedValues.words
        == "3 sealed values are damaged (note.text_sealed 1, person.name_sealed 2)")
    // Whoever asks later is told at once.
    let late = Mutex(0)
    store.damagedValues.onChange { damage in late.withLock { $0 = damage.count } }
    #expect(late.withLock { $0 } == 3)
  }

  @Test func aRecordIsSavedWithItsDamagedBytesAsTheyWere() async throws {
    try await damage("person", "phone_sealed", where: "id = 3")
    let (before, index) = (
      try await bytes("phone_sealed", of: 3), try await bytes("phone_index", of: 3)
    )
    try await store.write { transaction in
      var person = try #require(
        try transaction.record(Person.self, id: 3, under: Everything.grant, markingDamage: true))
      person.name = Sealed("Grace")
      person.born = 1906
      try transaction.save(person, under: Everything.grant)
      try transaction.update(person, columns: ["phone", "phone_index"], under: Everything.grant)
    }
    #expect(try await bytes("phone_sealed", of: 3) == before)
    #expect(try await bytes("phone_index", of: 3) == index)
    let person = try await people()[2]
    #expect(person.name.intact == "Grace" && person.born == 1906 && person.phone?.isDamaged == true)
  }

  @Test func aValueThatIsWrittenAnewIsWhole() async throws {
    try await damage("person", "name_sealed", where: "id = 3")
    try await damage("person", "phone_sealed", where: "id = 3")
    try await store.write { transaction in
      try transaction.save(
        Person(id: 3, user: .ada, name: "Grace", phone: "7"), under: Everything.grant)
    }
    let person = try await store.read {
      try $0.record(Person.self, id: 3, under: Everything.grant)
    }
    #expect(person == Person(id: 3, user: .ada, name: "Grace", phone: "7"))
    let isGone = try await store.write {
      try $0.delete(Person.self, id: 3, under: Everything.grant)
    }
    #expect(isGone)
  }
}
