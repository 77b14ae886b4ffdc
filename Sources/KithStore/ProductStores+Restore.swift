import GRDB
import Glibc
public import KithSealing

extension ProductStores {
  /// What a restore did.
  public struct Restoration: Sendable, Hashable {
    /// The stores that were put in place.
    public var restored: [String]
    /// Those that stood there before, each kept beside as `store.sqlite.before-restore`.
    public var kept: [String]
    /// Whether the backup's key was put into the product's file.
    public var hasAddedKey: Bool
  }

  /// Puts the stores of a backup in place of those that are there. No worker of theirs may run.
  ///
  /// Everything is checked before the first one is replaced: that the backup is whole, is of this product, opens with the
  /// product's key (or with its own, which the passphrase opens), and is of no later version than what stands there. Then
  /// each store is replaced in one step; a loss of power leaves each as it was or as it was in the backup, and the restore
  /// can be made again. The event log of a restored store gets another name, so that consumers notice.
  /// - Parameters:
  ///   - workers: whose stores; all that are in it when empty.
  ///   - passphrase: what opens the key in the backup.
  /// - Throws: ``StoreError``.
  public func restore(
    _ backup: Backup, product: String, workers: [String] = [],
    passphrase: PassphraseSealing? = nil
  ) throws(StoreError) -> Restoration {
    guard backup.product == product else {
      throw StoreError(
        .unusable, "\(backup.path) is of the product \(backup.product), and not of \(product)")
    }
    let parts = workers.isEmpty ? backup.parts : backup.parts.filter { workers.contains($0.worker) }
    if let missing = workers.first(where: { name in !parts.contains { $0.worker == name } }) {
      throw StoreError(.unusable, "\(backup.path) holds nothing of \(missing)")
    }
    var drafts: [(worker: String, path: String)] = []
    defer { for draft in drafts { DurableCopy.removeDatabase(draft.path) } }
    do {
      let ring = try ring(for: backup, passphrase)
      var locks: [FolderLock] = []
      for part in parts {
        try Folder.makePrivate(folder(of: part.worker))
        locks.append(try FolderLock(folder(of: part.worker), .exclusive))
        let draft = "\(path(of: part.worker)).restoring"
        drafts.append((part.worker, draft))
        try backup.extract(part, to: draft)
        try prepare(draft, of: part.worker, SealingKeys(ring: ring.ring, worker: part.worker))
      }
      if ring.isChanged {
        try Folder.makePrivate(Self.keyFolder(of: stateDirectory))
        let lock = try lockKeys()
        defer { withExtendedLifetime(lock) {} }
        try keyFile.replace(with: ring.ring)
      }
      var kept: [String] = []
      for draft in drafts where try putInPlace(draft.path, of: draft.worker) {
        kept.append(draft.worker)
      }
      withExtendedLifetime(locks) {}
      return Restoration(restored: drafts.map(\.worker), kept: kept, hasAddedKey: ring.isChanged)
    } catch let error as StoreError {
      throw error
    } catch let error as SealingError {
      throw StoreError(error)
    } catch {
      let code = (error as? DatabaseError).flatMap(StoreError.code) ?? .unusable
      throw StoreError(code, error, backup.path)
    }
  }

  /// The ring with which the stores are to open: the product's, with the keys of the backup where a passphrase opens those.
  private func ring(
    for backup: Backup, _ passphrase: PassphraseSealing?
  ) throws -> (ring: KeyRing, isChanged: Bool) {
    let own = try keyFile.readIfThere()
    guard let sealed = backup.sealedKey, let passphrase else {
      guard let own else {
        throw StoreError(
          .sealing,
          "\(keyFile.path): there is no sealing key, and without it the backup opens nowhere; "
            + (backup.hasKey
              ? "give the passphrase of the key in the backup" : "bring the key's file back first"))
      }
      return (own, false)
    }
    let added = try passphrase.open(Array(sealed))
    guard var ring = own else { return (added, true) }
    ring.add(added)
    return (ring, ring != own)
  }

  /// Checks an extracted store and readies it for its place.
  private func prepare(_ draft: String, of worker: String, _ keys: SealingKeys) throws {
    let queue = try DatabaseQueue(path: draft)
    let steps = try queue.write { database in
      guard try StoreSealing.isOpened(by: keys, database) else {
        throw StoreError(
          .sealing,
          "the store of \(worker) in the backup was sealed with a key that is not in \(keyFile.path)"
        )
      }
      try database.execute(sql: "UPDATE kith_store SET log = ?", arguments: [EventLog.newID()])
      return try Self.steps(database)
    }
    try queue.close()
    guard access(path(of: worker), F_OK) == 0 else { return }
    var reading = Configuration()
    reading.readonly = true
    // A file that cannot be read is what one restores a backup over.
    guard
      let here = try? DatabaseQueue(path: path(of: worker), configuration: reading)
        .read(Self.steps)
    else { return }
    let later = steps.subtracting(here).sorted()
    guard later.isEmpty else {
      throw StoreError(
        .laterVersion,
        "the store of \(worker) in the backup was written by a later version of it (it has taken the "
          + "step '\(later[0])'): start that version once, then restore")
    }
  }

  private static func steps(_ database: Database) throws -> Set<String> {
    try String.fetchSet(database, sql: "SELECT identifier FROM grdb_migrations")
  }

  /// Puts a file in place of a worker's store; answers whether there was one, which is then kept beside.
  private func putInPlace(_ draft: String, of worker: String) throws -> Bool {
    let path = path(of: worker)
    let old = "\(path).before-restore"
    let wasThere = access(path, F_OK) == 0
    if wasThere {
      // What is in the write-ahead log goes into the file, if the file is whole.
      if let queue = try? DatabaseQueue(path: path) {
        _ = try? queue.writeWithoutTransaction { try $0.checkpoint(.truncate) }
        try? queue.close()
      }
      DurableCopy.removeDatabase(old)
      guard link(path, old) == 0 else {
        throw StoreError(
          .inputOutput, "\(old) cannot be made: \(String(cString: strerror(errno)))")
      }
      _ = rename("\(path)-wal", "\(old)-wal")
      unlink("\(path)-shm")
    }
    guard rename(draft, path) == 0 else {
      throw StoreError(
        .inputOutput, "\(path) cannot be replaced: \(String(cString: strerror(errno)))")
    }
    try DurableCopy.syncFolder(of: path)
    return wasThere
  }
}
