import EventsContract
import KithRPC
import KithSealing
public import KithStore
import KithTime
public import KithWorker
import Logging
import WorkerContract

extension WorkerContext {
  /// The worker's store: opens it, or makes it, and serves its events to other workers of the
  /// product.
  ///
  ///     try await Worker.run { context in
  ///       let store = try await context.openStore(migrations: ReminderStore.migrations)
  ///       return [.reminders(RemindersService(store: store))]
  ///     }
  ///
  /// To be called once, in the closure of ``Worker/run(_:)``. In a product whose posture is
  /// ephemeral the store is in memory and gone with the process; a worker that cannot do with that
  /// names `postures: [personal]` in its `plugin.yaml`, and the host refuses such a product. One
  /// that had to be saved (`when_damaged: salvage`) makes the worker degraded, so that a person
  /// sees what was saved.
  /// - Parameter migrations: the steps of its schema, the oldest first.
  /// - Throws: FAILED_PRECONDITION with what is wrong and what to do, which `kith why` shows.
  public func openStore(migrations: [Store.Migration]) async throws -> Store {
    let store = try open(migrations)
    if let salvage = store.salvage {
      logger.error("the store was damaged", metadata: ["salvage": "\(salvage)"])
      health.degrade("its store was damaged: \(salvage)", part: "store")
    }
    store.damagedValues.onChange { [logger, health] damage in
      guard let words = damage.words else { return }
      // Each time that there are twice as many: a log of its own for every value would be no help.
      if damage.count.nonzeroBitCount == 1 {
        logger.error("sealed values cannot be opened", metadata: ["found": "\(words)"])
      }
      health.degrade(
        "\(words); they are left as they are: write them anew, or restore a backup with `kith restore`",
        part: "sealed values")
    }
    keepAccount(of: store)
    serveInternally(.events(EventsService(store: store)))
    // A subscription has no end of its own, and would hold up the worker's for as long as it may
    // take.
    whenLeaving { store.events.endSignals() }
    eventStandings.keepsLog { Position(try await store.read { try $0.endOfEvents() }) }
    runInBackground { [logger, clock] in
      // Events grow old by the clock that the worker goes by.
      await EventKeeping(store: store, logger: logger) { Int64(clock.now.milliseconds) }.run()
    }
    return store
  }

  /// How often the files of a store are looked for to which nobody writes.
  private static let lookAgain = Duration.seconds(2)

  /// Has the host know how far the store has come, an operator that its files are gone, and the
  /// file hold everything when the worker has ended.
  private func keepAccount(of store: Store) {
    let gone =
      "the files of its store were removed or replaced, and nothing more is written; stop it, bring "
      + "them back or restore a backup with `kith restore`, and start it"
    store.onTrouble { [logger, health] error in
      guard let error else { return health.recover(from: gone) }
      logger.error("the store is gone", metadata: ["reason": "\(error.message)"])
      health.degrade(gone)
    }
    health.reportsStore { store.standing.map { ($0.log, $0.commits) } }
    whenEnded { await store.settle() }
    runInBackground {
      while !Task.isCancelled {
        store.checkPlace()
        try? await Task.sleep(for: Self.lookAgain)
      }
    }
  }

  private func open(_ migrations: [Store.Migration]) throws(RPCError) -> Store {
    let retention = EventRetention(
      age: storeOrders.keepEventsMs > 0
        ? .milliseconds(storeOrders.keepEventsMs) : EventRetention().age,
      bytes: storeOrders.keepEventsBytes > 0
        ? Int(storeOrders.keepEventsBytes) : EventRetention().bytes)
    do {
      guard let stateDirectory else {
        return try Store(
          inMemoryWith: SealingKeys(worker: worker), migrations: migrations, events: retention)
      }
      return try Store(
        path: "\(stateDirectory)/\(Store.fileName)", keys: try sealingKeys(),
        migrations: migrations, whenDamaged: storeOrders.salvages ? .salvage : .refuse,
        known: storeOrders.knownLog.isEmpty
          ? nil
          : StoreStanding(log: storeOrders.knownLog, commits: storeOrders.knownCommits),
        events: retention)
    } catch let error as StoreError {
      throw RPCError(.failedPrecondition, error.message)
    } catch let error as SealingError {
      throw RPCError(.failedPrecondition, error.message)
    } catch let error as RPCError {
      throw error
    } catch {
      throw RPCError(.failedPrecondition, "the store cannot be opened: \(type(of: error))")
    }
  }
}

extension WorkerContext {
  /// The keys that the host has handed over, and whatever it hands over later.
  private func sealingKeys() throws -> SealingKeys {
    guard !handedKeys.keys.isEmpty else {
      throw RPCError(
        .failedPrecondition,
        handedKeys.missingReason.isEmpty
          ? "the host handed over no sealing key; start a host of this version"
          : handedKeys.missingReason)
    }
    let keys = try SealingKeys(try handedKeys.keys.map(WorkerKey.init))
    try handedKeys.follow { handed throws(RPCError) in
      do throws(SealingError) {
        try keys.take(try handed.map { key throws(SealingError) in try WorkerKey(key) })
      } catch {
        throw RPCError.invalidArgument(field: "keys", error.message)
      }
    }
    return keys
  }
}

extension WorkerKey {
  fileprivate init(_ key: SealingKey) throws(SealingError) {
    try self.init(id: key.id, secret: key.secret)
  }
}

/// Removes the events of a log that grow too old while nothing is added to it.
private struct EventKeeping {
  let store: Store
  let logger: Logger
  let now: @Sendable () -> Int64

  func run() async {
    while !Task.isCancelled {
      let now = now()
      do {
        while try await store.write({ try $0.trimEvents(now: now) }) > 0 {}
      } catch {
        logger.warning("old events are not removed", metadata: ["reason": "\(type(of: error))"])
      }
      try? await Task.sleep(for: .seconds(3600))
    }
  }
}
