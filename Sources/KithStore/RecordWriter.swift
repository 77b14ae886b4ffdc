import KithSealing

/// Takes the columns of a row, and seals what is personal.
public struct RecordWriter {
  let table: String
  let key: StoreValue
  let sealing: StoreSealing
  /// The columns that are written; nil for all.
  let wanted: Set<String>?
  private(set) var columns: [String] = []
  private(set) var values: [StoreValue] = []

  init(table: String, key: StoreValue, sealing: StoreSealing, wanted: Set<String>? = nil) {
    self.table = table
    self.key = key
    self.sealing = sealing
    self.wanted = wanted
  }

  private func skips(_ column: String) -> Bool { wanted.map { !$0.contains(column) } ?? false }

  /// Sets a column that anybody who has the file may read. Its name must not be that of a sealed
  /// one.
  public mutating func set(_ column: String, _ value: (some StoreConvertible)?) {
    if skips(column) { return }
    precondition(
      !column.hasSuffix(StoreSchema.sealedSuffix),
      "\(table).\(column) is sealed: set it with a Sealed value")
    add(column, value?.storeValue ?? .null)
  }

  /// Sets a sealed column.
  public mutating func set<Value>(_ column: String, _ value: Sealed<Value>?) throws {
    if skips(column) { return }
    let column = column + StoreSchema.sealedSuffix
    switch value?.content {
    case .intact(let value):
      let place = RowKey.place(table: table, column: column, key: key)
      add(column, .bytes(try sealing.keys.seal(value.sealableBytes, at: place)))
    case .damaged(let bytes, _): add(column, .bytes(bytes))
    case nil: add(column, .null)
    }
  }

  /// Sets a column by which rows with this very value are found, though it is sealed: to a
  /// fingerprint, which tells that two rows have the same value and nothing else. See
  /// ``Transaction/index(_:of:in:)``. Of a damaged value it stays as it is.
  public mutating func setIndex<Value>(_ column: String, _ value: Sealed<Value>?) {
    if skips(column) { return }
    switch value?.content {
    case .intact(let value):
      add(
        column, .bytes(sealing.fingerprint(value.sealableBytes, of: "\(table).\(column)")))
    case .damaged: break
    case nil: add(column, .null)
    }
  }

  mutating func add(_ column: String, _ value: StoreValue) {
    columns.append(column)
    values.append(value)
  }
}
