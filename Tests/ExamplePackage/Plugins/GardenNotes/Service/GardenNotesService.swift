public import GardenNotesContract
public import GardenNotesDomain
import KithAccess
public import KithRPC
public import KithStore

/// The notes behind their contract. Each change is one transaction.
public struct GardenNotesService: GardenNotesHandler {
  private static let mostListed = 100
  /// The worker's own right to all notes.
  private static let all = Access(of: .product).grantAll(.own)

  private let store: Store
  private let rules: NoteRules
  private let now: @Sendable () -> Int64
  private let changed: @Sendable () -> Void

  /// A service over a store with the tables of ``NoteSchema``.
  /// - Parameters:
  ///   - now: wall time in milliseconds since 1970.
  ///   - changed: is called when ``nextDue()`` may be another.
  public init(
    store: Store, rules: NoteRules, now: @escaping @Sendable () -> Int64,
    changed: @escaping @Sendable () -> Void = {}
  ) {
    self.store = store
    self.rules = rules
    self.now = now
    self.changed = changed
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .gardenNotes(self).keepingAnswers(in: store) }

  /// Keeps a note, once per idempotency key.
  public func keepNote(
    _ request: KeepNoteRequest, context: CallContext
  ) async throws -> Note {
    let user = try person(request.userId, context)
    let grant = try allow(.change, on: user, context)
    do throws(NoteRules.Refusal) {
      try NoteRules.check(text: request.text)
    } catch {
      throw RPCError.invalidArgument(field: "text", error.description)
    }
    let now = now()
    let note = StoredNote(
      id: String(UInt64.random(in: .min ... .max), radix: 16), user: user, text: request.text,
      dueAt: rules.due(wanted: request.dueAtMs, now: now))
    let answer = try await store.write(for: context, request, now: Int(now / 1000)) {
      transaction in
      try transaction.save(note, under: grant)
      return try note.message()
    }
    changed()
    return answer
  }

  /// Lists the notes of a person.
  public func listNotes(
    _ request: ListNotesRequest, context: CallContext
  ) async throws -> ListNotesResponse {
    let user = try person(request.userId, context)
    let grant = try allow(.read, on: user, context)
    return try await store.read { transaction in
      let notes = try transaction.records(
        StoredNote.self, where: "user_id = \(user)", orderedBy: "due_at_ms, id",
        limit: Self.mostListed, under: grant)
      return ListNotesResponse(notes: try notes.map { try $0.message() })
    }
  }

  // MARK: Due notes

  /// When the next note is due that was not told of, in milliseconds since 1970.
  public func nextDue() async throws -> Int64? {
    try await store.read { transaction in
      try transaction.minimum(
        of: "due_at_ms", in: StoredNote.self, where: "is_told = \(false)", under: Self.all)
    }
  }

  /// Publishes an event for each note that is due, each in the transaction that marks the note.
  public func tellDue() async throws {
    let now = now()
    try await store.write { transaction in
      let notes = try transaction.records(
        StoredNote.self, where: "is_told = \(false) AND due_at_ms <= \(now)",
        orderedBy: "due_at_ms, id", limit: Self.mostListed, under: Self.all)
      for var note in notes {
        note.isTold = true
        try transaction.save(note, under: Self.all)
        try transaction.append(NoteDue(noteId: note.id), about: note.user, at: now)
      }
    }
  }

  // MARK: Whose

  private func person(_ id: String, _ context: CallContext) throws(RPCError) -> UserID {
    if id.isEmpty, case .user(let user) = context.caller { return user }
    guard let user = UserID(id) else { throw .noUserID(field: "user_id") }
    return user
  }

  private func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext
  ) throws(RPCError) -> Access.Grant {
    do throws(Access.Denial) {
      return try Access(of: context.caller).grant(action, on: user)
    } catch {
      throw RPCError(error)
    }
  }
}
