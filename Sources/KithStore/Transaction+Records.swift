import GRDB
public import KithAccess

// MARK: Records of nobody

extension Transaction {
  /// The record with a key; nil when there is none.
  /// - Parameter markingDamage: reads damaged values as such, where they are to be written anew or
  ///   can be done without.
  /// - Throws: ``StoreError`` `sealing` (DATA_LOSS) when a value of it is damaged.
  public func record<Record: StoredRecord>(
    _ type: Record.Type = Record.self, id: Record.ID, markingDamage: Bool = false
  ) throws -> Record? {
    try find(type, id, users: nil, markingDamage)
  }

  /// The records that a condition holds for. A damaged value in one is marked: see ``Sealed``.
  /// - Parameters:
  ///   - condition: what stands behind WHERE, its values as interpolations: `"due_ms <= \(now)"`.
  ///   - order: what stands behind ORDER BY: `"due_ms"`.
  ///   - limit: how many at most.
  public func records<Record: StoredRecord>(
    _ type: Record.Type = Record.self, where condition: SQLText = "TRUE",
    orderedBy order: SQLText? = nil,
    limit: Int? = nil
  ) throws -> [Record] {
    try fetch(type, condition, order: order, limit: limit)
  }
}

extension WriteTransaction {
  /// Writes a record: a new one, or in place of the one with its key.
  public func save(_ record: some StoredRecord) throws {
    try upsert(record, user: nil, owners: nil)
  }

  /// Removes the record with a key; answers whether there was one.
  @discardableResult
  public func delete<Record: StoredRecord>(
    _ type: Record.Type, id: Record.ID
  ) throws -> Bool {
    try remove(type, id, users: nil)
  }

  /// Removes the records that a condition holds for.
  /// - Returns: how many there were.
  @discardableResult
  public func deleteAll<Record: StoredRecord>(
    _ type: Record.Type, where condition: SQLText = "TRUE"
  ) throws -> Int {
    try execute("DELETE FROM \(name: type.table) WHERE \(condition)")
  }
}

// MARK: Records of people

extension Transaction {
  /// The record with a key; nil when there is none, or it is not of those whom the grant is about:
  /// whoever may not see a record does not learn whether there is one.
  /// - Parameter markingDamage: reads damaged values as such, where they are to be written anew or
  ///   can be done without.
  /// - Throws: ``StoreError`` `sealing` (DATA_LOSS) when a value of it is damaged.
  public func record<Record: UserRecord>(
    _ type: Record.Type = Record.self, id: Record.ID, under grant: Access.Grant,
    markingDamage: Bool = false
  ) throws -> Record? {
    try find(type, id, users: grant.owners, markingDamage)
  }

  /// The records of those whom the grant is about that a condition holds for. A damaged value in
  /// one is marked: see ``Sealed``.
  /// - Parameters:
  ///   - condition: what stands behind WHERE, its values as interpolations: `"due_ms <= \(now)"`.
  ///   - order: what stands behind ORDER BY: `"due_ms"`.
  ///   - limit: how many at most.
  public func records<Record: UserRecord>(
    _ type: Record.Type = Record.self, where condition: SQLText = "TRUE",
    orderedBy order: SQLText? = nil,
    limit: Int? = nil, under grant: Access.Grant
  ) throws -> [Record] {
    try fetch(type, condition && grant.condition, order: order, limit: limit)
  }
}

extension WriteTransaction {
  /// Writes a record: a new one, or in place of the one with its key.
  /// - Throws: ``StoreError`` `denied` when the grant does not cover a change of this person's
  ///   records, or the key is that of another person's record.
  public func save(_ record: some UserRecord, under grant: Access.Grant) throws {
    guard grant.covers(.change, on: record.user),
      try upsert(record, user: record.user, owners: grant.owners)
    else {
      throw StoreError(denied: .change)
    }
  }

  /// Writes some columns of a record that is there, by the names that the record sets them by. Only
  /// these cost: no other is sealed anew, and no index over others is touched.
  /// - Throws: ``StoreError`` `denied` when the grant does not cover a change of this person's
  ///   records, or the record is not one of theirs.
  public func update(
    _ record: some UserRecord, columns: Set<String>, under grant: Access.Grant
  ) throws {
    guard grant.covers(.change, on: record.user) else { throw StoreError(denied: .change) }
    guard try change(record, columns: columns) else { throw StoreError(denied: .change) }
  }

  /// Removes the record with a key; answers whether there was one that the grant is about.
  /// - Throws: ``StoreError`` `denied` when the grant is to read.
  @discardableResult
  public func delete<Record: UserRecord>(
    _ type: Record.Type, id: Record.ID, under grant: Access.Grant
  ) throws -> Bool {
    guard grant.action >= .change else { throw StoreError(denied: .change) }
    return try remove(type, id, users: grant.owners)
  }

  /// Removes all records of a table that are of one person; answers how many there were.
  /// - Throws: ``StoreError`` `denied` unless the grant is to own this person's.
  @discardableResult
  public func deleteAll<Record: UserRecord>(
    _ type: Record.Type, of user: UserID, under grant: Access.Grant
  ) throws -> Int {
    guard grant.covers(.own, on: user) else { throw StoreError(denied: .own) }
    return try execute("DELETE FROM \(name: type.table) WHERE user_id = \(user)")
  }

  /// Removes the records of those whom the grant is about that a condition holds for.
  /// - Returns: how many there were.
  /// - Throws: ``StoreError`` `denied` if the grant is to read.
  @discardableResult
  public func deleteAll<Record: UserRecord>(
    _ type: Record.Type, where condition: SQLText, under grant: Access.Grant
  ) throws -> Int {
    guard grant.action >= .change else { throw StoreError(denied: .change) }
    return try execute(
      "DELETE FROM \(name: type.table) WHERE \(condition && grant.condition)")
  }
}

// MARK: Indexes

extension Transaction {
  /// What an index column that ``RecordWriter/setIndex(_:_:)`` wrote holds for a value, for
  /// conditions:
  /// `"phone_index = \(transaction.index(of: phone, in: Contact.self, "phone_index"))"`.
  public func index<Value: Sealable>(
    of value: Value, in record: any RowRecord.Type, _ column: String
  ) -> [UInt8] {
    sealing.fingerprint(value.sealableBytes, of: "\(record.table).\(column)")
  }
}

extension StoreError {
  fileprivate init(denied action: Access.Action) {
    self.init(.denied, Access.Denial(action: action).description)
  }
}
