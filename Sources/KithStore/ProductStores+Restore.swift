import GRDB
import Glibc
public import KithSealing

extension ProductStores {
  /// What a restore did.
  public struct Restoration: Sendable, Hashable {
    /// The stores that were put in place.
    public var restored: [String]
    /// The files of the stores that stood there before, by their workers:
    /// `store.sqlite.before-restore-1`, with the next number where that is taken.
    public var kept: [String: String]
    /// Whether the backup's key was put into the product's file.
    public var hasAddedKey: Bool
  }

  /// Puts the stores of a backup in place of those that are there. No worker of theirs may run.
  ///
  /// Everything is checked before the first one is replaced: that the backup is whole, is of this
  /// product, opens with the product's key (or with its own, which the passphrase opens), and is of
  /// no later version than what stands there. Then each store is replaced in one step; a loss of
  /// power leaves each as it was or as it was in the backup, and the restore can be made again. The
  /// event log of a restored store gets another name, so that consumers notice.
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
    var ready: [Ready] = []
    var extracted: [String] = []
    // What was decided is left to the next start.
    defer {
      for worker in extracted where !StoreReplacement.isDecided(path(of: worker)) {
        DurableCopy.removeDatabase(StoreReplacement.draft(of: path(of: worker)))
      }
    }
    do {
      let ring = try ring(for: backup, passphrase)
      var locks: [FolderLock] = []
      for part in parts {
        try Folder.makePrivate(folder(of: part.worker))
        locks.append(try FolderLock(folder(of: part.worker), .exclusive))
        // What another restore has left.
        try StoreReplacement.finish(path(of: part.worker))
        let draft = StoreReplacement.draft(of: path(of: part.worker))
        extracted.append(part.worker)
        try backup.extract(part, to: draft)
        ready.append(
          try prepare(draft, of: part.worker, SealingKeys(ring: ring.ring, worker: part.worker)))
      }
      if ring.isChanged {
        try Folder.makePrivate(Self.keyFolder(of: stateDirectory))
        let lock = try lockKeys()
        defer { withExtendedLifetime(lock) {} }
        try keyFile.replace(with: ring.ring)
      }
      var kept: [String: String] = [:]
      for store in ready {
        kept[store.worker] = try keepAside(store.worker)
        try StoreReplacement.decide(path(of: store.worker), store.found, store.sealing)
      }
      withExtendedLifetime(locks) {}
      return Restoration(restored: ready.map(\.worker), kept: kept, hasAddedKey: ring.isChanged)
    } catch let error as StoreError {
      throw error
    } catch let error as SealingError {
      throw StoreError(error)
    } catch {
      let code = (error as? DatabaseError).flatMap(StoreError.code) ?? .unusable
      throw StoreError(code, error, backup.path)
    }
  }

  /// The ring with which the stores are to open: the product's, with the keys of the backup where a
  /// passphrase opens those.
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

  /// A store that may come into its place.
  private struct Ready {
    var worker: String
    var found: StoreHistory.Found
    var sealing: StoreSealing
  }

  /// Checks an extracted store and readies it for its place.
  private func prepare(_ draft: String, of worker: String, _ keys: SealingKeys) throws -> Ready {
    let path = path(of: worker)
    let here = storeInPlace(path)
    // All by which the worker or its host may know the store that goes.
    let earlier =
      (try StoreMark.read(of: path) ?? []).map(\.log)
      + [record(of: worker)?.log, here?.found?.log].compactMap(\.self)
      + (here?.found?.replaced ?? [])
    let queue = try RegularFile.openDatabase(draft, Configuration())
    let steps = try queue.read(Self.steps)
    // A backup of an earlier version has not counted its transactions.
    try StoreSchema.migrator([]).migrate(queue)
    let ready = try queue.write { database in
      guard try StoreSealing.isOpened(by: keys, database) else {
        throw StoreError(
          .sealing,
          "the store of \(worker) in the backup was sealed with a key that is not in \(keyFile.path)"
        )
      }
      let sealing = try StoreSealing(keys: keys, in: database)
      return Ready(
        worker: worker, found: try StoreHistory.beginAnew(database, besides: earlier),
        sealing: sealing)
    }
    try queue.close()
    guard let here else { return ready }
    let later = steps.subtracting(here.steps).sorted()
    guard later.isEmpty else {
      throw StoreError(
        .laterVersion,
        "the store of \(worker) in the backup was written by a later version of it (it has taken the "
          + "step '\(later[0])'): start that version once, then restore")
    }
    return ready
  }

  /// What stands where the store comes; nil when it cannot be read, which is what one restores a
  /// backup over.
  private func storeInPlace(
    _ path: String
  ) -> (steps: Set<String>, found: StoreHistory.Found?)? {
    guard RegularFile.size(path) ?? 0 > 0 else { return nil }
    var reading = Configuration()
    reading.readonly = true
    guard let queue = try? RegularFile.openDatabase(path, reading) else { return nil }
    defer { try? queue.close() }
    return try? queue.read { (try Self.steps($0), try? StoreHistory.Found($0)) }
  }

  private static func steps(_ database: Database) throws -> Set<String> {
    try String.fetchSet(database, sql: "SELECT identifier FROM grdb_migrations")
  }

  /// Copies what stands in the place of a worker's store, durably, under a name that no earlier
  /// restore has taken; answers the copy's path, nil when there was no store.
  private func keepAside(_ worker: String) throws -> String? {
    let path = path(of: worker)
    guard RegularFile.size(path) != nil else { return nil }
    let old = RegularFile.freePath(numbering: "\(path).before-restore")
    // Both as they are, before SQLite opens either: it removes the log of a file that it does not
    // know.
    try DurableCopy.copy(path, to: old)
    if RegularFile.size("\(path)-wal") ?? 0 > 0 {
      try DurableCopy.copy("\(path)-wal", to: "\(old)-wal")
    }
    return old
  }
}
