import KithStore
import KithWire
import TestingContract

/// What a consumer has made of the events: the number of each, as often as it stands in its store.
enum Seen {
  static let migration = Store.Migration(
    "1 seen", creating: [Store.Table("seen", [.number("row"), .integer("number")])])

  static func add(_ event: LoggedEvent, _ transaction: WriteTransaction) throws {
    let number = try Numbered(decoding: event.payload).number
    try transaction.execute("INSERT INTO seen (number) VALUES (\(Int64(number)))")
  }

  /// All of them, in the order in which they were written.
  static func all(in store: Store) async throws -> [Int64] {
    try await store.read {
      try $0.rows("SELECT number FROM seen ORDER BY row").values(of: "number")
    }
  }
}

extension Store {
  /// Appends numbered events, one transaction each.
  func tell(_ numbers: Range<UInt64>) async throws {
    for number in numbers {
      try await write { try $0.append(Numbered(number: number), about: nil, at: Int64(number)) }
    }
  }
}
