import KithTime
import KithWorker
import KithWorkerStore

enum DiaryWorker {
  /// What stands in a `main.swift`.
  static func main() async throws {
    try await Worker.run { context in
      let store = try await context.openStore(migrations: DiarySchema.migrations)
      try context.followFamilyLinks(into: store)
      let clock = context.clock
      return [DiaryService(store: store, now: { clock.now.milliseconds }).definition]
    }
  }
}
