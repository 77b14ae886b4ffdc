import FamilyLinksService
import KithTime
import KithWorker
import KithWorkerStore

/// Tells of each link again every day.
struct DueLinks: DueWork {
  let service: FamilyLinksService

  func nextDue() async throws -> Instant? {
    try await service.nextDue().map { Instant(milliseconds: Int($0)) }
  }
  func run(at now: Instant) async throws { try await service.tellAgain() }
}

try await Worker.run { context in
  let clock = context.clock
  let service = FamilyLinksService(
    store: try await context.openStore(migrations: LinkSchema.migrations),
    mostLinks: try context.configuration.integer("most_links"),
    now: { Int64(clock.now.milliseconds) }, changed: { clock.dataChanged() })
  clock.run(DueLinks(service: service))
  context.onConfigurationChange(of: ["most_links"]) { configuration in
    service.allow(mostLinks: try configuration.integer("most_links"))
  }
  return [service.definition]
}
