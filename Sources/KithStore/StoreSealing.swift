import Crypto
import FoundationEssentials
import GRDB
public import KithSealing

/// What a store seals and opens with, and tells things apart by without reading them.
public struct StoreSealing: Sendable {
  /// The worker's keys.
  public let keys: SealingKeys
  /// The sealed values that did not open.
  public let damage: DamagedValues
  /// Random, made with the store and sealed in it, so that it is destroyed with the keys and stays
  /// when they are rotated.
  private let secret: SymmetricKey

  /// A number for bytes that is the same for the same bytes of one purpose (`person.email`), and
  /// tells nothing to whoever lacks the key: by it a row is found whose content is sealed.
  public func fingerprint(_ bytes: [UInt8], of purpose: String) -> [UInt8] {
    var code = HMAC<SHA256>(key: secret)
    code.update(data: Array("\(purpose)\0".utf8))
    code.update(data: bytes)
    return Array(code.finalize())
  }

  /// Opens a value among others; nil when it is damaged, which is counted.
  func open(_ sealed: [UInt8], at place: SealedPlace) -> [UInt8]? {
    do throws(SealingError) {
      return try keys.open(sealed, at: place)
    } catch {
      damage.note(place)
      return nil
    }
  }

  static let table = "kith_store"
  private static let column = "secret_sealed"
  private static let place = SealedPlace(table: table, column: column, row: "1")

  /// The sealing of an open store; makes its secret when it is new.
  /// - Throws: ``SealingError`` when it was sealed with a key that is not there.
  init(keys: SealingKeys, in database: Database) throws {
    if let existing = try StoreSealing(of: database, keys) {
      self = existing
      return
    }
    self.keys = keys
    damage = DamagedValues()
    secret = SymmetricKey(size: .bits256)
    let bytes = try secret.withUnsafeBytes { bytes throws(SealingError) in
      try keys.seal(Array(bytes), at: Self.place)
    }
    try database.execute(
      sql: "INSERT INTO \(Self.table) (id, log, \(Self.column)) VALUES (1, ?, ?)",
      arguments: [EventLog.newID(), Data(bytes)])
  }

  /// The sealing of a store that has its secret; nil in one that is just being made.
  /// - Throws: ``SealingError`` when it was sealed with a key that is not there.
  init?(of database: Database, _ keys: SealingKeys) throws {
    guard try database.tableExists(Self.table), let sealed = try Self.sample(database) else {
      return nil
    }
    self.keys = keys
    damage = DamagedValues()
    secret = SymmetricKey(data: try keys.open(sealed, at: Self.place))
  }

  /// Whether these keys open what the store of this database has sealed.
  static func isOpened(by keys: SealingKeys, _ database: Database) throws -> Bool {
    guard let sealed = try sample(database) else { return true }
    return opens(sealed, keys)
  }

  /// The store's secret as it is sealed; nil in a store that is just being made.
  static func sample(_ database: Database) throws -> [UInt8]? {
    try Data.fetchOne(database, sql: "SELECT \(column) FROM \(table) WHERE id = 1").map {
      Array($0)
    }
  }

  /// Whether these keys open a ``sample(_:)``.
  static func opens(_ sample: [UInt8], _ keys: SealingKeys) -> Bool {
    (try? keys.open(sample, at: place)) != nil
  }
}
