import FamilyAlertsService
import KithStore
import KithTime
import KithWorker
import KithWorkerStore
import Logging

/// Tells contacts when they are to be told.
struct DueWorkOfAlerts: DueWork {
  let due: DueAlerts

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run() }
}

/// Sends the digests of the week.
struct DueWorkOfDigests: DueWork {
  let due: DueDigests

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run() }
}

/// Forgets incidents that ended long ago.
struct DueWorkOfForgetting: DueWork {
  let due: DueForgetting

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run(at: now) }
}

@Sendable func read(_ configuration: WorkerConfiguration) throws -> AlertsSettings {
  try AlertsSettings(
    person: configuration.string("person"), zone: configuration.string("zone"),
    secondAfter: configuration.duration("second_after"),
    thirdAfter: configuration.duration("third_after"),
    repeats: configuration.integer("repeats"),
    answerTime: configuration.duration("answer_time"),
    reescalateAfter: configuration.duration("reescalate_after"),
    mostContacts: configuration.integer("most_contacts"),
    textMessages: configuration.bool("text_messages"),
    sharePlace: configuration.bool("share_place"), linkBase: configuration.string("link_base"),
    digestAt: configuration.string("digest_at"),
    keepsIncidents: configuration.duration("keep_incidents")
  ).checked(in: Zones())
}

/// What another process of this worker has planned is found after so long.
let lookAgain = Duration.seconds(1)

try await Worker.run(settings: read) { context, settings in
  let (clock, logger) = (context.clock, context.logger)
  let store = try await context.openStore(migrations: AlertsSchema.migrations)
  try context.followFamilyLinks(into: store)
  let service = try await FamilyAlertsService.opened(
    store: store,
    time: try await AlertsTime.resumed(
      in: store, boot: clock.reading.boot, sinceBoot: { clock.sinceBoot }, wall: { clock.now }),
    settings: settings,
    delivery: try context.client(ofService: DeliveryEvents.service),
    changed: { clock.dataChanged() },
    unreached: { incident, reason in
      logger.error(
        "nobody was reached", metadata: ["incident": "\(incident)", "reason": "\(reason)"])
    })
  let due = service.dueAlerts(waitsForResults: clock.isVirtual) { incident, error in
    logger.error(
      "an incident cannot be read or written and is tried again",
      metadata: ["incident": "\(incident)", "error": "\(type(of: error))"])
  }
  clock.run(DueWorkOfAlerts(due: due))
  clock.run(DueWorkOfDigests(due: service.dueDigests))
  clock.run(DueWorkOfForgetting(due: service.dueForgetting))
  context.runInBackground { await due.send() }
  context.runInBackground {
    while !Task.isCancelled {
      try? await Task.sleep(for: lookAgain)
      clock.dataChanged()
    }
  }
  try context.follow(
    EventSource(of: FallEvents.service, isOptional: true), into: service.fallEvents, in: store)
  try context.follow(
    EventSource(of: ReminderEvents.service, isOptional: true), into: service.reminderEvents,
    in: store)
  try context.follow(
    EventSource(of: DeliveryEvents.service), into: service.deliveryEvents, in: store)
  context.onConfigurationChange(
    of: [
      "person", "zone", "second_after", "third_after", "repeats", "answer_time",
      "reescalate_after", "most_contacts", "text_messages", "share_place", "link_base",
      "digest_at", "keep_incidents",
    ]
  ) { configuration in
    try service.use(try read(configuration))
  }
  return service.definitions
}
