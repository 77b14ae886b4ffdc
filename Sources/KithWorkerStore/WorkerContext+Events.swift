import EventsContract
public import KithRPC
public import KithStore
public import KithWorker
import Logging

extension WorkerContext {
  /// Follows the events of another worker, beside the calls, for as long as this worker is ready.
  ///
  ///     let store = try await context.openStore(migrations: Digest.migrations + MissedDoses.migrations)
  ///     try context.follow(EventSource(of: "kith.reminders.v1.Reminders"), into: MissedDoses(), in: store)
  ///
  /// Name the service in `requires` of `plugin.yaml`. While events cannot be taken the worker is
  /// degraded, and says so. Due work looks at its data again after each transaction.
  /// - Parameters:
  ///   - events: whose events.
  ///   - projection: what is made of them.
  ///   - store: this worker's own store, which has the projection's migrations.
  /// - Throws: FAILED_PRECONDITION for a worker without a host.
  public func follow<Followed: Projection>(
    _ events: EventSource, into projection: Followed, in store: Store
  ) throws(RPCError) {
    let (service, name) = (events.service, Followed.name)
    let consumer = EventConsumer(
      name, of: try client(ofService: service), in: store, types: Followed.types,
      start: events.start)
    let (logger, health, standings, clock) = (logger, health, eventStandings, clock)
    standings.follows(service, as: name)
    let reason = "it cannot take the events of \(service)"
    runInBackground {
      await consumer.run(
        into: projection,
        trouble: { error in
          guard let error else { return health.recover(from: reason) }
          if events.isOptional, (error as? RPCError)?.code == .notFound { return }
          let why = (error as? StoreError)?.message ?? "\(type(of: error))"
          standings.trouble(why, consumer: name)
          logger.error(
            "events cannot be taken", metadata: ["of": "\(service)", "reason": "\(why)"])
          health.degrade(reason)
        },
        reached: {
          standings.reached(Position($0), consumer: name)
          // What is due next may be another now.
          clock.dataChanged()
        })
    }
  }
}
