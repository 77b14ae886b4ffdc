import GRDB
import KithSealing

extension ProductStores {
  /// How often a store is gone through until nothing in it is sealed with an older key.
  private static let mostRuns = 100

  /// What a change of the key did.
  public struct Rotation: Sendable, Hashable {
    /// Whether it went on with one that was begun earlier and did not come to its end.
    public var isResumed: Bool
    /// For each worker how many values were sealed anew.
    public var resealed: [String: Int]
    /// For each worker how many values are not sealed with the new key and do not open with an
    /// older one: they are damaged.
    public var unreadable: [String: Int]
    /// Whether the older keys were destroyed.
    public var hasDroppedOlder: Bool
  }

  /// Has a new key seal from now on, seals anew what the older ones have sealed, and destroys them.
  ///
  /// In this order, so that at each moment every process opens whatever any has sealed: the next
  /// key is made known to all; it seals; what the older ones have sealed is sealed anew; the older
  /// ones are dropped. When it is cut short, all keys stay and everything opens; called again, it
  /// goes on where it was.
  ///
  /// A damaged value is left as it is. While there is one the older keys are kept, since the damage
  /// may be mended yet.
  /// - Parameters:
  ///   - droppingDamaged: destroys the older keys even so.
  ///   - handOver: has all processes of workers take their keys from the file, and returns when all
  ///     have. nil where none
  ///     runs; then each store is held meanwhile, so that none can start.
  /// - Throws: what `handOver` throws; ``StoreError`` when a file cannot be written, a worker runs
  ///   although none should, or another change is going on. The older keys then stay.
  public func rotateKey(
    droppingDamaged: Bool = false, handOver: (() async throws -> Void)?
  ) async throws -> Rotation {
    do {
      var ring = try keyFile.read()
      let lock = try lockKeys()
      defer { withExtendedLifetime(lock) {} }
      let locks =
        handOver == nil ? try workers.map { try FolderLock(folder(of: $0), .exclusive) } : []
      defer { withExtendedLifetime(locks) {} }
      ring = try keyFile.read()
      var rotation = Rotation(
        isResumed: ring.hasOlder || ring.next != nil, resealed: [:], unreadable: [:],
        hasDroppedOlder: false)
      // Before anything is changed: a process that cannot take keys is found while that has no
      // consequence.
      try await handOver?()
      if ring.next != nil || !ring.hasOlder {
        if ring.next == nil {
          ring.introduce()
          try keyFile.replace(with: ring)
        }
        try await handOver?()
        ring.rotate()
        try keyFile.replace(with: ring)
      }
      try await handOver?()
      for worker in workers { try reseal(worker, ring, &rotation) }
      guard rotation.unreadable.isEmpty || droppingDamaged else { return rotation }
      ring.dropOlder()
      try keyFile.replace(with: ring)
      rotation.hasDroppedOlder = true
      return rotation
    } catch {
      throw StoreError.mapped(error, path: keyFile.path)
    }
  }

  /// Keeps other changes of the keys away for as long as the lock is held.
  func lockKeys() throws(StoreError) -> FolderLock {
    let folder = Self.keyFolder(of: stateDirectory)
    do throws(StoreError) {
      return try FolderLock(folder, .exclusive)
    } catch {
      guard error.code == .busy else { throw error }
      throw StoreError(
        .busy, "\(folder): another command changes the keys; try again when it is done")
    }
  }

  private func reseal(_ worker: String, _ ring: KeyRing, _ rotation: inout Rotation) throws {
    let path = path(of: worker)
    do {
      // The keys of what is missing here are still in what may be brought back.
      try check(worker)
      var configuration = Configuration()
      configuration.busyMode = .timeout(30)
      let queue = try RegularFile.openDatabase(path, configuration)
      try queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA synchronous = FULL") }
      let keys = SealingKeys(ring: ring, worker: worker)
      let resealing = Resealing(queue: queue, keys: keys)
      // Until nothing was left to do: only then may a key be dropped.
      var outcome = try resealing.run()
      rotation.resealed[worker] = outcome.resealed
      var runs = 1
      while outcome.resealed > 0 {
        guard runs < Self.mostRuns else {
          throw StoreError(
            .busy,
            "\(path): something goes on sealing with an older key, so that none was dropped; end the "
              + "product with `kith down`, then change the key")
        }
        outcome = try resealing.run()
        rotation.resealed[worker, default: 0] += outcome.resealed
        runs += 1
      }
      if outcome.unreadable > 0 { rotation.unreadable[worker] = outcome.unreadable }
      try mark(path, queue, keys)
      try queue.close()
    } catch {
      throw StoreError.mapped(error, path: path)
    }
  }
}
