public import KithRPC
public import KithStore
public import KithWorker
import Logging

extension WorkerContext {
  /// Follows the events of the worker that serves a service, beside the calls, for as long as this worker is ready.
  ///
  ///     try context.consumeEvents(
  ///       of: "kith.reminders.v1.Reminders", into: store, types: [ReminderMissed.fullName],
  ///       lost: { _, transaction in try Digest.beginAnew(transaction) }
  ///     ) { event, transaction in
  ///       try Digest.add(ReminderMissed(decoding: event.payload), of: event.user, transaction)
  ///     }
  ///
  /// Name the service in `requires` of `plugin.yaml`. While events cannot be handled the worker is degraded, and says so.
  /// - Parameters:
  ///   - service: the full name of a service of the worker whose events they are.
  ///   - name: what the consumer is called in the store; the service's name unless told.
  ///   - types: the full names of the messages that are wanted; all when empty.
  ///   - lost: see ``EventConsumer/run(lost:trouble:handle:)``.
  ///   - needsProvider: whether it is trouble that no worker of the product provides the service.
  ///   - handle: what is done about each event, in a transaction of the store.
  /// - Throws: FAILED_PRECONDITION for a worker without a host.
  public func consumeEvents(
    of service: String, as name: String? = nil, into store: Store, types: [String] = [],
    start: EventConsumer.Start = .oldest, needsProvider: Bool = true,
    lost: @escaping @Sendable (LostEvents, WriteTransaction) throws -> Void,
    handle: @escaping EventConsumer.Handle
  ) throws(RPCError) {
    let consumer = EventConsumer(
      name ?? service, of: try client(ofService: service), in: store, types: types, start: start)
    let (logger, health) = (logger, health)
    let reason = "it cannot take the events of \(service)"
    runBesideCalls {
      await consumer.run(
        lost: lost,
        trouble: { error in
          guard let error else { return health.recover(from: reason) }
          if !needsProvider, (error as? RPCError)?.code == .notFound { return }
          let why = (error as? StoreError)?.message ?? "\(type(of: error))"
          logger.error(
            "events cannot be taken", metadata: ["of": "\(service)", "reason": "\(why)"])
          health.degrade(reason)
        }, handle: handle)
    }
  }
}
