import GardenNotesDomain
import GardenNotesService
import KithTime
import KithWorker
import KithWorkerStore

try await Worker.run { context in
  let clock = context.clock
  let dueAfter = try context.configuration.duration("due_after")
  let service = GardenNotesService(
    store: try await context.openStore(migrations: NoteSchema.migrations),
    rules: NoteRules(dueAfter: dueAfter.components.seconds * 1000),
    now: { Int64(clock.now.milliseconds) }, changed: { clock.dataChanged() })
  clock.run(DueNotes(service: service))
  return [service.definition]
}
