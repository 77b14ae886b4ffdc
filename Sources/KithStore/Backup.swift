import Crypto
import FoundationEssentials
import GRDB
import Glibc
public import KithSealing

/// A backup of stores of a product: one file, which is written whole or not at all.
///
/// It is an SQLite database that holds, for each worker, the bytes of its store as SQLite's backup
/// copied them, in pieces, with their SHA-256. What was sealed is sealed in it. The product's key
/// is not in it, unless asked for: then it is sealed with a passphrase (``PassphraseSealing``).
/// Without it a backup is of use only where the product's key is; with it, and the passphrase, on
/// any machine.
public struct Backup: Sendable {
  /// A store in a backup.
  public struct Part: Sendable, Hashable {
    /// Its worker.
    public var worker: String
    /// Its size in bytes.
    public var bytes: Int
    /// SHA-256 of it.
    var digest: Data
  }

  /// Where it is.
  public let path: String
  /// The product.
  public let product: String
  /// When it was made, in milliseconds since 1970.
  public let madeAtMilliseconds: Int64
  /// The stores in it, in the order of their workers' names.
  public let parts: [Part]
  /// The product's key, sealed with a passphrase; nil when it is not in it.
  let sealedKey: Data?

  /// Whether the product's key is in it.
  public var hasKey: Bool { sealedKey != nil }

  private static let format = 1
  private static let pieceSize = 1 << 20

  // MARK: Making

  /// Makes a backup, also while the workers write: of each store as it is at one moment, and of
  /// each at its own.
  /// - Parameters:
  ///   - path: the file.
  ///   - product: the product's name.
  ///   - workers: those whose stores are wanted.
  ///   - passphrase: what the product's key is put into it with; without it the key is not in it.
  ///   - replaces: whether a file that is there is replaced.
  ///   - milliseconds: what time it is, in milliseconds since 1970.
  /// - Throws: ``StoreError`` when a store is damaged, the file is there and is not to be replaced,
  ///   or the file cannot be written; one that was there then stays.
  public static func make(
    at path: String, of stores: ProductStores, product: String, workers: [String],
    passphrase: PassphraseSealing? = nil, replaces: Bool = false, now milliseconds: Int64
  ) throws(StoreError) -> Backup {
    let draft = "\(path).partial"
    let copy = "\(path).copy"
    defer {
      DurableCopy.removeDatabase(draft)
      DurableCopy.removeDatabase(copy)
    }
    do {
      let key = try passphrase.map { Data(try $0.seal(try stores.keyFile.read())) }
      for file in [draft, copy] { DurableCopy.removeDatabase(file) }
      try createPrivate(draft)
      let archive = try DatabaseQueue(path: draft)
      try archive.write { database in
        try database.execute(sql: schema)
        try database.execute(
          sql: "INSERT INTO backup VALUES (1, ?, ?, ?, ?)",
          arguments: [format, product, milliseconds, key])
      }
      for worker in workers {
        // A copy of less than there was would be taken for all of it when it is needed.
        try stores.check(worker)
        try copyStore(stores.path(of: worker), to: copy)
        try add(copy, of: worker, to: archive)
        DurableCopy.removeDatabase(copy)
      }
      try archive.close()
      // A hard link, other than a rename, never replaces a file, not even one that came meanwhile.
      guard (replaces ? rename(draft, path) : link(draft, path)) == 0 else {
        if errno == EEXIST { throw existing(path) }
        throw StoreError(
          .unusable, "\(path) cannot be written: \(String(cString: strerror(errno)))")
      }
      try DurableCopy.syncFolder(of: path)
    } catch let error as StoreError {
      throw error
    } catch let error as SealingError {
      throw StoreError(error)
    } catch {
      throw StoreError((error as? DatabaseError).flatMap(StoreError.code) ?? .unusable, error, path)
    }
    return try Backup(path: path)
  }

  /// Why a file that is there is left as it is.
  public static func existing(_ path: String) -> StoreError {
    StoreError(
      .inputOutput,
      "\(path) exists and was left as it is; choose another name, or replace it with --force")
  }

  private static let schema = """
    CREATE TABLE backup (
      id INTEGER PRIMARY KEY NOT NULL CHECK (id = 1),
      format INTEGER NOT NULL,
      product TEXT NOT NULL,
      made_at_ms INTEGER NOT NULL,
      key_sealed BLOB
    ) STRICT;
    CREATE TABLE store (worker TEXT PRIMARY KEY NOT NULL, bytes INTEGER NOT NULL, sha256 BLOB NOT NULL) STRICT;
    CREATE TABLE piece (
      worker TEXT NOT NULL, number INTEGER NOT NULL, bytes BLOB NOT NULL,
      PRIMARY KEY (worker, number)
    ) STRICT;
    """

  /// Copies a store as it is at this moment into one file, and checks the copy.
  private static func copyStore(_ source: String, to copy: String) throws {
    try createPrivate(copy)
    var reading = Configuration()
    reading.readonly = true
    reading.busyMode = .timeout(5)
    let store = try RegularFile.openDatabase(source, reading)
    let target = try DatabaseQueue(path: copy)
    // In one step: a write of another process in between would begin the copy anew.
    try store.backup(to: target)
    try target.writeWithoutTransaction { try $0.execute(sql: "PRAGMA journal_mode = DELETE") }
    try Store.checkPages(target, source)
    try target.close()
    try store.close()
  }

  private static func add(_ file: String, of worker: String, to archive: DatabaseQueue) throws {
    let descriptor = try openForReading(file)
    defer { close(descriptor) }
    try archive.write { database in
      var digest = SHA256()
      var (number, size) = (0, 0)
      while let piece = try nextPiece(descriptor, file) {
        digest.update(data: piece)
        size += piece.count
        try database.cachedStatement(sql: "INSERT INTO piece VALUES (?, ?, ?)")
          .execute(arguments: [worker, number, piece])
        number += 1
      }
      try database.execute(
        sql: "INSERT INTO store VALUES (?, ?, ?)",
        arguments: [worker, size, Data(digest.finalize())])
    }
  }

  // MARK: Reading

  /// Opens a backup.
  /// - Throws: ``StoreError`` when it is none, or of a later format.
  public init(path: String) throws(StoreError) {
    do {
      let archive = try Self.archive(path)
      let (head, parts) = try archive.read { database in
        (
          try Row.fetchOne(database, sql: "SELECT * FROM backup"),
          try Row.fetchAll(database, sql: "SELECT * FROM store ORDER BY worker").map {
            Part(worker: $0["worker"], bytes: $0["bytes"], digest: $0["sha256"])
          }
        )
      }
      guard let head, head["format"] == Self.format else {
        throw StoreError(
          .laterVersion, "\(path) was made by a later version of kith: restore it with that one")
      }
      self.path = path
      product = head["product"]
      madeAtMilliseconds = head["made_at_ms"]
      sealedKey = head["key_sealed"]
      self.parts = parts
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.unusable, "\(path) is no backup of kith, or damaged")
    }
  }

  private static func archive(_ path: String) throws -> DatabaseQueue {
    var reading = Configuration()
    reading.readonly = true
    return try DatabaseQueue(path: path, configuration: reading)
  }

  /// Writes a store of the backup to a new file and checks it, byte by byte and page by page.
  func extract(_ part: Part, to target: String) throws {
    DurableCopy.removeDatabase(target)
    try Self.createPrivate(target)
    let descriptor = try RegularFile.open(target, O_WRONLY)
    defer { close(descriptor) }
    let digest = try Self.archive(path).read { database in
      var digest = SHA256()
      let pieces = try Data.fetchCursor(
        database, sql: "SELECT bytes FROM piece WHERE worker = ? ORDER BY number",
        arguments: [part.worker])
      while let piece = try pieces.next() {
        digest.update(data: piece)
        try piece.withUnsafeBytes { bytes in
          guard write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else {
            throw StoreError(system: target)
          }
        }
      }
      return Data(digest.finalize())
    }
    guard digest == part.digest else {
      throw StoreError(.damaged, "\(path): the store of \(part.worker) in it is damaged")
    }
    let store = try RegularFile.openDatabase(target, Configuration())
    let findings = try store.read { try String.fetchAll($0, sql: "PRAGMA integrity_check(3)") }
    try store.close()
    guard findings == ["ok"] else {
      throw StoreError(
        .damaged,
        "\(path): the store of \(part.worker) in it is damaged (\(findings.first ?? "unknown"))")
    }
  }

  // MARK: Files

  private static func createPrivate(_ path: String) throws(StoreError) {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw StoreError(system: path) }
    close(file)
  }

  private static func openForReading(_ path: String) throws(StoreError) -> Int32 {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw StoreError(system: path) }
    return file
  }

  private static func nextPiece(_ file: Int32, _ path: String) throws(StoreError) -> Data? {
    var piece = Data(count: pieceSize)
    let count = piece.withUnsafeMutableBytes { read(file, $0.baseAddress, $0.count) }
    guard count >= 0 else { throw StoreError(system: path) }
    return count == 0 ? nil : piece.prefix(count)
  }
}
