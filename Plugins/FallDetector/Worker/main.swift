import FallDetectorService
import KithStore
import KithTime
import KithWorker
import KithWorkerStore
import Logging

/// Tells contacts when nobody has answered in time, and forgets what has had its time.
struct DueWorkOfFalls: DueWork {
  let due: DueCases

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run(at: now) }
}

@Sendable func read(_ configuration: WorkerConfiguration) throws -> FallsSettings {
  try FallsSettings(
    person: configuration.string("person"),
    confirmWithin: configuration.duration("confirm_within"),
    coolDown: configuration.duration("cool_down"),
    joinWithin: configuration.duration("join_within"),
    expireAfter: configuration.duration("expire_after"),
    keepsLocation: configuration.bool("keep_location"),
    keepsReports: configuration.duration("keep_reports"),
    keepsCases: configuration.duration("keep_cases"),
    mostWearers: configuration.integer("most_wearers"),
    sampling: configuration.string("sampling"), rateHz: configuration.double("rate_hz"),
    burstsBelow: configuration.double("bursts_below"))
}

try await Worker.run(settings: read) { context, settings in
  let clock = context.clock
  let store = try await context.openStore(
    migrations: FallsSchema.migrations + Acknowledgements.migrations)
  try context.followFamilyLinks(into: store)
  try context.follow(
    EventSource(of: Acknowledgements.service, isOptional: true), into: Acknowledgements(),
    in: store)
  let service = FallDetectorService(
    store: store, settings: settings, clock: { clock.reading },
    changed: { clock.dataChanged() })
  let logger = context.logger
  clock.run(
    DueWorkOfFalls(
      due: service.due { fallCase, error in
        logger.error(
          "a case cannot be read and is tried again in an hour",
          metadata: ["case": "\(fallCase)", "error": "\(type(of: error))"])
      }))
  context.onConfigurationChange(
    of: [
      "person", "confirm_within", "cool_down", "join_within", "expire_after", "keep_location",
      "keep_reports", "keep_cases", "sampling", "rate_hz", "bursts_below",
    ]
  ) { configuration in
    service.use(try read(configuration))
  }
  return [service.definition]
}
