import KithAccess
import KithSealing
import KithStore
import KithTesting

/// A record of a person, as a worker has it.
struct Person: UserRecord, Equatable {
  static let table = "person"
  static let migration = Store.Migration(
    "1 people",
    creating: [
      Store.Table(
        "person",
        [
          .integer("id"), .text("user_id"), .sealed("name"), .sealed("phone").optional,
          .bytes("phone_index").optional, .integer("born"),
        ])
    ])

  var id: Int64
  var user: UserID
  var name: Sealed<String>
  var phone: Sealed<String>?
  var born: Int

  init(id: Int64, user: UserID, name: String, phone: String? = nil, born: Int = 1940) {
    self.id = id
    self.user = user
    self.name = Sealed(name)
    self.phone = phone.map(Sealed.init)
    self.born = born
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    user = try row.user()
    name = try row["name"]
    phone = try row["phone"]
    born = try row["born"]
  }

  func write(to row: inout RecordWriter) throws {
    try row.set("name", name)
    try row.set("phone", phone)
    row.setIndex("phone_index", phone)
    row.set("born", born)
  }
}

/// A note of the worker's own.
struct Note: StoredRecord, Equatable {
  static let table = "note"
  static let idColumn = "key"
  static let migration = Store.Migration(
    "2 notes",
    creating: [
      Store.Table("note", [.text("key"), .sealed("text").optional], clustered: true)
    ])

  var id: String
  var text: Sealed<String>

  init(id: String, text: String) {
    self.id = id
    self.text = Sealed(text)
  }

  init(_ row: RecordReader) throws {
    id = try row["key"]
    text = try row["text"]
  }

  func write(to row: inout RecordWriter) throws {
    try row.set("text", text)
  }
}

extension UserID {
  static let ada = UserID("ada")!
  static let bob = UserID("bob")!
}

extension TemporaryFolder {
  var storePath: String { "\(path)/\(Store.fileName)" }

  /// A store of people and notes in this folder.
  func store(
    whenDamaged: Store.WhenDamaged = .refuse, events: EventRetention = EventRetention()
  ) throws -> Store {
    try Store(
      path: storePath, keys: try keys(), migrations: [Person.migration, Note.migration],
      whenDamaged: whenDamaged, events: events)
  }
}
