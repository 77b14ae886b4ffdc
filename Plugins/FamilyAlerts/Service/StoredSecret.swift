import KithStore

/// The secret that tokens of links are made with, as a row.
struct StoredSecret: StoredRecord {
  static let table = "secret"
  let id: String
  let value: Sealed<[UInt8]>

  init(id: String, value: [UInt8]) {
    self.id = id
    self.value = Sealed(value)
  }

  init(_ row: RecordReader) throws {
    id = try row["id"]
    value = try row["value"]
  }

  func write(to row: inout RecordWriter) throws { try row.set("value", value) }
}
