import DeliveryService
import KithStore
import KithTime
import KithTransfer
import KithWorker
import KithWorkerStore
import Logging

/// The attempts of one channel.
struct DueAttemptsOfChannel: DueWork {
  let attempts: DueAttempts

  func nextDue() async throws -> Instant? { try await attempts.nextDue() }
  func run(at now: Instant) async throws { try await attempts.run(at: now) }
}

/// What expires and is wiped.
struct DueHousekeeping: DueWork {
  let housekeeping: Housekeeping

  func nextDue() async throws -> Instant? { try await housekeeping.nextDue() }
  func run(at now: Instant) async throws { try await housekeeping.run(at: now) }
}

try await Worker.run(settings: DeliverySettings.init(reading:)) { context, settings in
  let (clock, health) = (context.clock, context.health)
  guard let folder = context.stateDirectory else {
    throw ConfigurationError(
      key: "outbox_folder", description: "the worker needs a product that keeps data")
  }
  let store = try await context.openStore(migrations: DeliverySchema.migrations)
  try context.followFamilyLinks(into: store)
  // Other servers go by the machine's clock, also where the product's is moved by hand.
  let machine = WorkerClock()
  let grants = context.grants
  let transfers = Transfers(settings.transfers(in: folder) { grants.allows(host: $0) })
  let providers = { @Sendable (settings: DeliverySettings) in
    try ProviderSet(settings, folder: folder, transfers: transfers) { machine.now }
  }
  let service = DeliveryService(
    store: store, settings: settings, providers: try providers(settings), now: { clock.now },
    changed: { clock.dataChanged() })
  try await service.recover()
  for attempts in service.attempts { clock.run(DueAttemptsOfChannel(attempts: attempts)) }
  clock.run(DueHousekeeping(housekeeping: service.housekeeping))
  let reminders = service.reminders
  try context.follow(
    EventSource(of: ReminderDeliveries.service, isOptional: true), into: reminders, in: store)
  context.runInBackground { await reminders.run() }
  context.runInBackground {
    var said = ""
    while !Task.isCancelled {
      let failing = service.failingChannels.joined(separator: ", ")
      let words =
        failing.isEmpty ? "" : "more than 2 % of the attempts of 15 minutes failed: \(failing)"
      if words != said {
        health.recover(from: said)
        if !words.isEmpty { health.degrade(words) }
        said = words
      }
      try? await Task.sleep(for: .seconds(10))
    }
  }
  context.onConfigurationChange(of: DeliverySettings.reloadedKeys) { configuration in
    let settings = try DeliverySettings(reading: configuration)
    service.use(settings, try providers(settings))
  }
  return [service.definition]
}
