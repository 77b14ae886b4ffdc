import KithStore
import KithTime
import KithWorker
import KithWorkerStore
import Logging
import UsageLockService

/// Ends windows, lets changes take effect and writes the trusted clock down.
struct DueWorkOfLocks: DueWork {
  let due: DueLocks

  func nextDue() async throws -> Instant? { try await due.nextDue() }
  func run(at now: Instant) async throws { try await due.run() }
}

/// Looks at the programs of this machine.
struct DueLooks: DueWork {
  let looks: ProgramLooks

  func nextDue() async throws -> Instant? { try await looks.nextDue() }
  func run(at now: Instant) async throws { try await looks.run() }
}

@Sendable func read(_ configuration: WorkerConfiguration) throws -> LockSettings {
  try LockSettings(
    person: configuration.string("person"), zone: configuration.string("zone"),
    loosensAfter: configuration.duration("loosens_after"),
    longestStep: configuration.duration("longest_step"),
    debounce: configuration.duration("debounce"),
    keepsActivity: configuration.duration("keep_activity"),
    isWallKept: configuration.bool("wall_clock_is_kept"),
    watchesPrograms: configuration.bool("watch_programs"),
    looksEvery: configuration.duration("look_every")
  ).checked(in: Zones())
}

try await Worker.run(settings: read) { context, settings in
  let clock = context.clock
  let store = try await context.openStore(migrations: LockSchema.migrations)
  try context.followFamilyLinks(into: store)
  let service = try UsageLockService(
    store: store, settings: settings, reading: { clock.reading },
    simulated: clock.isVirtual ? SimulatedForeground() : nil,
    changed: { clock.dataChanged() })
  let logger = context.logger
  clock.run(
    DueWorkOfLocks(
      due: service.due { error in
        logger.error(
          "a person cannot be read and is tried again in an hour",
          metadata: ["error": "\(type(of: error))"])
      }))
  clock.run(
    DueLooks(
      looks: service.looks(at: HostPrograms(programs: context.programs)) { reason in
        logger.error("programs cannot be watched", metadata: ["error": "\(reason)"])
      }))
  context.onConfigurationChange(
    of: [
      "person", "zone", "loosens_after", "longest_step", "debounce", "keep_activity",
      "wall_clock_is_kept", "watch_programs", "look_every",
    ]
  ) { configuration in
    try service.use(try read(configuration))
  }
  return [service.definition]
}
