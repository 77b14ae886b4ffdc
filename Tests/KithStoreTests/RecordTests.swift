import GRDB
import KithAccess
import KithRPC
import KithTesting
import Testing

@testable import KithStore

enum Everything {
  static let grant = Access(of: .product).grantAll(.own)
}

/// Rows as values: sealed, and had only with a decision.
@Suite(.timeLimit(.minutes(1)))
struct RecordTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  @Test func aRecordComesBackAsItWasSaved() async throws {
    let store = try folder.store()
    let people = [
      Person(id: 1, user: .ada, name: "Ada", phone: "+1 555 0100"),
      Person(id: 2, user: .bob, name: "", born: 0), Person(id: -3, user: .bob, name: "\0 ü"),
    ]
    try await store.write { transaction in
      for person in people { try transaction.save(person, under: Everything.grant) }
    }
    let found = try await store.read {
      try $0.records(Person.self, orderedBy: "id DESC", under: Everything.grant)
    }
    #expect(found == [people[1], people[0], people[2]])
    var changed = people[0]
    changed.phone = nil
    try await store.write { [changed] in try $0.save(changed, under: Everything.grant) }
    let again = try await store.read { try $0.record(Person.self, id: 1, under: Everything.grant) }
    #expect(again == changed)
  }

  @Test func nothingPersonalIsReadableInTheFiles() async throws {
    let store = try folder.store()
    let person = Person(id: 1, user: .ada, name: "Lovelace", phone: "+15550100")
    try await store.write { try $0.save(person, under: Everything.grant) }
    for name in TemporaryFolder.names(in: folder.path) {
      let text = TemporaryFolder.text(of: "\(folder.path)/\(name)") ?? ""
      #expect(!text.contains("Lovelace") && !text.contains("15550100"), "\(name)")
    }
    #expect(!"\(person)".contains("Lovelace") && !String(reflecting: person).contains("Lovelace"))
    var dumped = ""
    dump(person, to: &dumped)
    #expect(!dumped.contains("Lovelace"))
  }

  @Test func sealedContentOpensInItsOwnRowAndColumnAlone() async throws {
    let store = try folder.store()
    try await store.write { transaction in
      try transaction.save(Person(id: 1, user: .ada, name: "Ada"), under: Everything.grant)
      try transaction.save(Person(id: 2, user: .bob, name: "Bob"), under: Everything.grant)
      try transaction.database.execute(
        sql:
          "UPDATE person SET name_sealed = (SELECT name_sealed FROM person WHERE id = 1) WHERE id = 2"
      )
    }
    let error = await #expect(throws: StoreError.self) {
      try await store.read { try $0.record(Person.self, id: 2, under: Everything.grant) }
    }
    #expect(error?.code == .sealing)
    try await store.write {
      try $0.database.execute(sql: "UPDATE person SET phone_sealed = name_sealed")
    }
    await #expect(throws: StoreError.self) {
      try await store.read { try $0.record(Person.self, id: 1, under: Everything.grant) }
    }
    let people = try await store.read {
      try $0.records(Person.self, orderedBy: "id", under: Everything.grant)
    }
    #expect(people.map(\.name.isDamaged) == [false, true])
    #expect(people.map { $0.phone?.isDamaged } == [true, true])
  }

  @Test func aSealedValueIsFoundByItsIndex() async throws {
    let store = try folder.store()
    try await store.write { transaction in
      for (id, phone) in [(1, "1"), (2, "2"), (3, "2"), (4, nil)] as [(Int64, String?)] {
        try transaction.save(
          Person(id: id, user: .ada, name: "x", phone: phone), under: Everything.grant)
      }
    }
    let found = try await store.read { transaction in
      let index = transaction.index(of: "2", in: Person.self, "phone_index")
      return try transaction.records(
        Person.self, where: "phone_index = \(index)", orderedBy: "id", under: Everything.grant)
    }
    #expect(found.map(\.id) == [2, 3])
  }

  @Test func aCallerHasAndChangesOnlyWhatItsGrantIsAbout() async throws {
    let store = try folder.store()
    let adas = Person(id: 1, user: .ada, name: "Ada")
    let bobs = Person(id: 2, user: .bob, name: "Bob")
    try await store.write { transaction in
      try transaction.save(adas, under: Everything.grant)
      try transaction.save(bobs, under: Everything.grant)
    }
    let links = [FamilyLink(senior: .ada, family: .bob, role: .viewer)]
    let bob = Access(of: .user(.bob), links: links)
    let (reading, changing) = (bob.grantAll(.read), bob.grantAll(.change))
    let nobody = Access(of: .stranger).grantAll(.own)

    let seen = try await store.read { try $0.records(Person.self, orderedBy: "id", under: reading) }
    #expect(seen == [adas, bobs])
    // A condition cannot reach around the grant.
    let own = try await store.read {
      try $0.records(Person.self, where: "1 = 1 OR 1 = 1", under: changing)
    }
    #expect(own == [bobs])
    let none = try await store.read { try $0.record(Person.self, id: 1, under: changing) }
    #expect(none == nil)
    let hidden = try await store.read { try $0.records(Person.self, under: nobody) }
    #expect(hidden.isEmpty)

    // To read is not to change; another's record is not to be taken over, nor one's own to be given
    // away.
    for (record, grant) in [
      (adas, changing), (adas, reading), (bobs, reading), (bobs, nobody),
      (Person(id: 1, user: .bob, name: "Bob"), changing),
      (Person(id: 2, user: .ada, name: "Ada"), changing),
    ] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write { try $0.save(record, under: grant) }
      }
      #expect(error?.code == .denied)
    }
    let removed = try await store.write { transaction in
      #expect(throws: StoreError.self) {
        try transaction.deleteAll(Person.self, of: .ada, under: changing)
      }
      #expect(throws: StoreError.self) {
        try transaction.delete(Person.self, id: 2, under: reading)
      }
      return [
        try transaction.delete(Person.self, id: 1, under: changing),
        try transaction.delete(Person.self, id: 2, under: changing),
      ]
    }
    #expect(removed == [false, true])
    let left = try await store.read { try $0.records(Person.self, under: Everything.grant) }
    #expect(left == [adas])
  }

  /// A record is one person's: an update that names another's record by its key changes nothing.
  @Test func anUpdateIsOfARecordOfThatVeryPerson() async throws {
    let store = try folder.store()
    let bobs = Person(id: 2, user: .bob, name: "Bob")
    try await store.write { try $0.save(bobs, under: Everything.grant) }
    let ada = Access(of: .user(.ada)).grantAll(.change)
    for grant in [ada, Everything.grant] {
      let error = await #expect(throws: StoreError.self) {
        try await store.write { transaction in
          try transaction.update(
            Person(id: 2, user: .ada, name: "Eve", born: 1), columns: ["name", "born"], under: grant
          )
        }
      }
      #expect(error?.code == .denied)
    }
    let left = try await store.read { try $0.records(Person.self, under: Everything.grant) }
    #expect(left == [bobs])
    // Nor one of nobody's, as if it were there.
    let error = await #expect(throws: StoreError.self) {
      try await store.write { transaction in
        try transaction.update(
          Person(id: 3, user: .ada, name: "Eve"), columns: ["name"], under: ada)
      }
    }
    #expect(error?.code == .denied)
  }

  /// By their indexes two columns with the same content are not to be told to hold the same.
  @Test func anIndexIsOfItsColumnAlone() async throws {
    let store = try folder.store()
    let (one, other) = try await store.read { transaction in
      (
        transaction.index(of: "2", in: Person.self, "phone_index"),
        transaction.index(of: "2", in: Person.self, "name_index")
      )
    }
    #expect(one != other)
  }

  /// An answer is bound to its call: moved to another's row it opens nowhere.
  @Test func whatIsSealedUnderAKeyOfBytesOpensInItsOwnRowAlone() async throws {
    let store = try folder.store()
    let calls = [KeyedCalls.one, KeyedCalls.other]
    try await store.write { transaction in
      for (number, call) in calls.enumerated() {
        try transaction.keep([UInt8(number)], of: call, until: 1)
      }
      let ids = calls.map { AnswerTable.id(of: $0, transaction.sealing) }
      try transaction.execute(
        """
        UPDATE kith_answer
        SET answer_sealed = (SELECT answer_sealed FROM kith_answer WHERE id = \(ids[0]))
        WHERE id = \(ids[1])
        """)
    }
    #expect(try await store.write { try $0.answer(of: calls[0], now: 0) } == [0])
    // What became of the call is not known any more; it is never answered with another's answer.
    let error = await #expect(throws: RPCError.self) {
      try await store.write { try $0.answer(of: calls[1], now: 0) }
    }
    #expect(error?.code == .aborted)
  }

  @Test func aLimitAndAConditionAreKeptTo() async throws {
    let store = try folder.store()
    try await store.write { transaction in
      for id in 1...5 {
        let person = Person(id: Int64(id), user: .ada, name: "x", born: id)
        try transaction.save(person, under: Everything.grant)
      }
    }
    let found = try await store.read {
      try $0.records(
        Person.self, where: "born > \(1) OR born < \(0)", orderedBy: "born DESC", limit: 2,
        under: Everything.grant)
    }
    #expect(found.map(\.id) == [5, 4])
  }
}
