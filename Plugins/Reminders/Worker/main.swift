import KithStore
import KithTime
import KithWorker
import KithWorkerStore
import Logging
import RemindersService

/// Sends, repeats and misses reminders when they are due.
struct DueWorkOfReminders: DueWork {
  let due: DueReminders

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run(at: now) }
}

@Sendable func read(_ configuration: WorkerConfiguration) throws -> RemindersSettings {
  try RemindersSettings(
    person: configuration.string("person"), zone: configuration.string("zone"),
    quietFrom: configuration.string("quiet_from"), quietTo: configuration.string("quiet_to"),
    repeatEvery: configuration.duration("repeat_every"),
    missedAfter: configuration.duration("missed_after"),
    contactAfter: configuration.duration("contact_after"),
    lateGrace: configuration.duration("late_grace"),
    activeLimit: configuration.integer("active_limit")
  ).checked(in: Zones())
}

try await Worker.run(settings: read) { context, settings in
  let clock = context.clock
  let store = try await context.openStore(migrations: RemindersSchema.migrations)
  try context.followFamilyLinks(into: store)
  let service = try RemindersService(
    store: store, settings: settings, now: { clock.now },
    changed: { clock.dataChanged() })
  let logger = context.logger
  clock.run(
    DueWorkOfReminders(
      due: service.due { reminder, error in
        logger.error(
          "a reminder cannot be read and is tried again in an hour",
          metadata: ["reminder": "\(reminder)", "error": "\(type(of: error))"])
      }))
  context.onConfigurationChange(
    of: [
      "person", "zone", "quiet_from", "quiet_to", "repeat_every", "missed_after", "contact_after",
      "late_grace", "active_limit",
    ]
  ) { configuration in
    try service.use(try read(configuration))
  }
  return [service.definition]
}
