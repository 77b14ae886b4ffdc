import GardenNotesContract
import GardenNotesDomain
import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithWire
import Synchronization
import Testing

@testable import GardenNotesService

/// The service over a store in memory.
@Suite struct GardenNotesServiceTests {
  private final class Clock: Sendable {
    let now = Atomic<Int64>(1_000)
  }

  private let store: Store
  private let service: GardenNotesService
  private let clock = Clock()

  init() throws {
    store = try Store(
      inMemoryWith: SealingKeys(worker: "garden-notes"), migrations: NoteSchema.migrations)
    service = GardenNotesService(
      store: store, rules: NoteRules(dueAfter: 60_000),
      now: { [clock] in clock.now.load(ordering: .relaxed) })
  }

  private func call(as user: String, key: String? = nil) throws -> CallContext {
    CallContext(
      method: GardenNotesMethods.keepNote, metadata: [CallContext.userKey: user],
      principal: .operator, idempotencyKey: try key.map { try IdempotencyKey($0) })
  }

  private func notes(of user: String) async throws -> [Note] {
    try await service.listNotes(ListNotesRequest(), context: call(as: user)).notes
  }

  @Test func aNoteIsKeptOncePerKey() async throws {
    let request = KeepNoteRequest(text: "Pills")
    let first = try await service.keepNote(request, context: call(as: "ana", key: "1"))
    #expect(first.text == "Pills" && first.dueAtMs == 61_000)
    #expect(try await service.keepNote(request, context: call(as: "ana", key: "1")) == first)
    #expect(try await notes(of: "ana") == [first])
    _ = try await service.keepNote(request, context: call(as: "ana", key: "2"))
    #expect(try await notes(of: "ana").count == 2)
  }

  @Test func nobodySeesTheNotesOfAnother() async throws {
    _ = try await service.keepNote(KeepNoteRequest(text: "Pills"), context: call(as: "ana"))
    #expect(try await notes(of: "bob").isEmpty)
    let error = await #expect(throws: RPCError.self) {
      try await service.listNotes(ListNotesRequest(userId: "ana"), context: call(as: "bob"))
    }
    #expect(error?.code == .permissionDenied)
  }

  @Test func theTextIsEncryptedAtRest() async throws {
    _ = try await service.keepNote(KeepNoteRequest(text: "Pills"), context: call(as: "ana"))
    let bytes: [UInt8] = try await store.read { transaction in
      try transaction.rows("SELECT text_sealed FROM note")[0]["text_sealed"]
    }
    #expect(!bytes.isEmpty && !String(decoding: bytes, as: UTF8.self).contains("Pills"))
  }

  @Test func aDueNoteIsToldOnce() async throws {
    #expect(try await service.nextDue() == nil)
    let note = try await service.keepNote(
      KeepNoteRequest(text: "Pills"), context: call(as: "ana"))
    #expect(try await service.nextDue() == note.dueAtMs)
    clock.now.store(note.dueAtMs, ordering: .relaxed)
    for _ in 0..<2 { try await service.tellDue() }
    #expect(try await service.nextDue() == nil)
    let events = try await store.read { try $0.events(after: EventPosition()) }.events
    #expect(events.map(\.type) == [NoteDue.fullName])
    #expect(events.first?.user?.text == "ana")
  }
}
