import GardenNotesService
import KithTime
import KithWorker

/// Tells of notes when they are due.
struct DueNotes: DueWork {
  let service: GardenNotesService

  func nextDue() async throws -> Instant? {
    try await service.nextDue().map { Instant(milliseconds: Int($0)) }
  }

  func run(at now: Instant) async throws { try await service.tellDue() }
}
