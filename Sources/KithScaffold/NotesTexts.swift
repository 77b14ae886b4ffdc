extension PluginTexts {
  /// A plugin with data: it keeps notes and tells of each when it is due.
  package static let notes = PluginTexts(
    proto: notesProto,
    plugin: [
      File("plugin.yaml", notesManifest), File("demo.yaml", notesDemo),
      File("README.md", notesReadme), File("Domain/NoteRules.swift", notesDomain),
      File("Service/NoteSchema.swift", notesSchema),
      File("Service/StoredNote.swift", notesRecord),
      File("Service/{{Type}}Service.swift", notesService),
      File("Worker/DueNotes.swift", notesDue), File("Worker/main.swift", notesWorker),
    ],
    tests: [
      File("NoteRulesTests.swift", notesDomainTests),
      File("{{Type}}ServiceTests.swift", notesServiceTests),
    ],
    trial: "keep \"Take the pills\" --user-id ana")

  private static let notesProto = """
    syntax = "proto3";

    // Keeps notes of people and tells of each when it is due. An example to start from: change it into what {{kebab}} is for,
    // then run {{generate}}.
    package {{package}};

    {{import}} "kith/options.proto";

    // {{Words}}: keeps notes.
    service {{Type}} {
      // Keeps a note. A repeat with the same idempotency key is answered as the first call was, and keeps nothing again.
      rpc KeepNote(KeepNoteRequest) returns (Note) {
        option (kith.callers) = IDENTIFIED;
        option (kith.verb) = "keep";
      }

      // Lists the notes of a person, those due first.
      rpc ListNotes(ListNotesRequest) returns (ListNotesResponse) {
        option (kith.callers) = IDENTIFIED;
        option (kith.verb) = "list";
        option idempotency_level = NO_SIDE_EFFECTS;
      }
    }

    // A note of a person.
    message Note {
      // Its id, unique in this worker.
      string id = 1;

      // What it says.
      string text = 2 [(kith.sensitive) = true];

      // When it is due, in milliseconds since 1970-01-01T00:00:00Z.
      int64 due_at_ms = 3 [(kith.unit) = "instant_ms"];

      // Whether the event NoteDue was published.
      bool is_told = 4;
    }

    // A note to keep.
    message KeepNoteRequest {
      // What it says, 1 to 500 characters. Another length is answered INVALID_ARGUMENT.
      string text = 1 [(kith.sensitive) = true, (kith.positional) = true];

      // When it is due. Absent means after the time of the configuration.
      optional int64 due_at_ms = 2 [(kith.unit) = "instant_ms"];

      // Whose note it is. Empty means the caller's.
      string user_id = 3;
    }

    // Whose notes.
    message ListNotesRequest {
      // The person. Empty means the caller.
      string user_id = 1;
    }

    // The notes of a person.
    message ListNotesResponse {
      // The notes, those due first; at most 100.
      repeated Note notes = 1;
    }

    // An event about the person whose note it is: the note is due.
    message NoteDue {
      // The note.
      string note_id = 1;
    }
    """

  private static let notesManifest = """
    # {{Words}}: what the host must know about the plugin.
    plugin: {{kebab}}
    version: 0.1.0
    executable: {{executable}}
    provides: [{{package}}.{{Type}}]
    requires: []
    overlap: true
    restart: { type: permanent, strategy: one_for_one, intensity: 5, period: 30s }
    limits: { memory: 256MiB, open_files: 256 }
    network: none
    config:
      due_after: { type: duration, range: 1s..365d, default: 1d, doc: "A note without a time of its own is due so long after it was kept." }
    """

  private static let notesDemo = """
    # A product of this plugin alone, to try it: {{up}}
    product: {{kebab}}-demo
    title: {{Words}} demo
    posture: personal
    workers:
      {{kebab}}:
        config: { due_after: 1h }
    """

  private static let notesReadme = """
    # {{Words}}

    Keeps notes of people and tells of each when it is due. An example to start from.

    ```
    {{build}}
    {{kith}} {{kebab}} keep "Take the pills" --user-id ana
    {{kith}} {{kebab}} list --user-id ana
    {{kith}} down
    ```

    | place | holds |
    |---|---|
    | `proto/{{protoFolder}}/{{snake}}.proto` | the contract: what it can be asked |
    | `Domain/` | the rules: values in, values out; no calls, files or clocks |
    | `Service/` | the rules behind the contract, the schema of the store and its records |
    | `Worker/` | the program, and what runs when it is due |
    | `plugin.yaml` | what the host must know, and the configuration |

    | piece | in |
    |---|---|
    | a record with an encrypted column | `Service/StoredNote.swift` |
    | a schema, step by step | `Service/NoteSchema.swift` |
    | a write that happens once per idempotency key | `keepNote` of `Service/{{Type}}Service.swift` |
    | an event, written with its change | `tellDue` of `Service/{{Type}}Service.swift` |
    | work that runs when it is due | `Worker/DueNotes.swift` |
    | tests over a store in memory | `Tests/{{Type}}Tests` |

    | configuration | type | default | meaning |
    |---|---|---|---|
    | `due_after` | duration | `1d` | when a note without a time of its own is due |
    """

  private static let notesDomain = """
    /// What a note may be, and when it is due. Pure: the same values always give the same answer.
    public struct NoteRules: Sendable, Equatable {
      /// Why a note is refused.
      public enum Refusal: Error, Equatable, CustomStringConvertible {
        /// Nothing but blanks.
        case empty
        /// More characters than ``NoteRules/longestText``.
        case tooLong

        /// The reason, for the author of the note.
        public var description: String {
          switch self {
          case .empty: "expected a text, found nothing but blanks"
          case .tooLong: "expected at most \\(NoteRules.longestText) characters"
          }
        }
      }

      /// The longest text in characters.
      public static let longestText = 500

      /// How long after it was kept a note without a time of its own is due, in milliseconds.
      public var dueAfter: Int64

      /// Rules with this delay in milliseconds.
      public init(dueAfter: Int64) { self.dueAfter = dueAfter }

      /// Checks the text of a note.
      public static func check(text: String) throws(Refusal) {
        guard !text.allSatisfy(\\.isWhitespace) else { throw .empty }
        guard text.count <= longestText else { throw .tooLong }
      }

      /// When a note that is kept now is due, in milliseconds since 1970, by its author or by delay.
      public func due(wanted: Int64?, now: Int64) -> Int64 { wanted ?? now + dueAfter }
    }
    """

  private static let notesRecord = """
    {{import}} KithAccess
    {{import}} KithStore
    {{import}} {{Contract}}

    /// A note as a row. Its text is encrypted at rest.
    struct StoredNote: UserRecord {
      static let table = "note"
      let id: String
      let user: UserID
      var text: Sealed<String>
      let dueAt: Int64
      var isTold = false

      init(id: String, user: UserID, text: String, dueAt: Int64) {
        (self.id, self.user, self.text, self.dueAt) = (id, user, Sealed(text), dueAt)
      }

      init(_ row: RecordReader) throws {
        (id, user, text) = (try row["id"], try row.user(), try row["text"])
        (dueAt, isTold) = (try row["due_at_ms"], try row["is_told"])
      }

      func write(to row: inout RecordWriter) throws {
        try row.set("text", text)
        row.set("due_at_ms", dueAt)
        row.set("is_told", isTold)
      }

      /// The note as callers see it.
      func message() throws -> Note {
        Note(id: id, text: try text.value, dueAtMs: dueAt, isTold: isTold)
      }
    }
    """

  private static let notesSchema = """
    public {{import}} KithStore

    /// The schema of the store, step by step. A step never changes once it has shipped.
    public enum NoteSchema {
      /// The steps, the oldest first.
      public static let migrations = [
        Store.Migration(
          "1 notes",
          creating: [
            Store.Table(
              "note",
              [
                .text("id"), .text("user_id"), .sealed("text"), .integer("due_at_ms"),
                .boolean("is_told"),
              ],
              indexes: [
                Store.Index("note_user", on: "user_id", "due_at_ms"),
                Store.Index("note_due", on: "is_told", "due_at_ms"),
              ])
          ])
      ]
    }
    """

  private static let notesService = """
    {{import}} KithAccess
    public {{import}} KithRPC
    public {{import}} KithStore
    public {{import}} {{Contract}}
    public {{import}} {{Type}}Domain

    /// The notes behind their contract. Each change is one transaction.
    public struct {{Type}}Service: {{Type}}Handler {
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
      public var definition: ServiceDefinition { .{{property}}(self).keepingAnswers(in: store) }

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
            StoredNote.self, where: "user_id = \\(user)", orderedBy: "due_at_ms, id",
            limit: Self.mostListed, under: grant)
          return ListNotesResponse(notes: try notes.map { try $0.message() })
        }
      }

      // MARK: Due notes

      /// When the next note is due that was not told of, in milliseconds since 1970.
      public func nextDue() async throws -> Int64? {
        try await store.read { transaction in
          try transaction.minimum(
            of: "due_at_ms", in: StoredNote.self, where: "is_told = \\(false)", under: Self.all)
        }
      }

      /// Publishes an event for each note that is due, each in the transaction that marks the note.
      public func tellDue() async throws {
        let now = now()
        try await store.write { transaction in
          let notes = try transaction.records(
            StoredNote.self, where: "is_told = \\(false) AND due_at_ms <= \\(now)",
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
    """

  private static let notesWorker = """
    {{import}} KithTime
    {{import}} KithWorker
    {{import}} KithWorkerStore
    {{import}} {{Type}}Domain
    {{import}} {{Type}}Service

    try await Worker.run { context in
      let clock = context.clock
      let dueAfter = try context.configuration.duration("due_after")
      let service = {{Type}}Service(
        store: try await context.openStore(migrations: NoteSchema.migrations),
        rules: NoteRules(dueAfter: dueAfter.components.seconds * 1000),
        now: { Int64(clock.now.milliseconds) }, changed: { clock.dataChanged() })
      clock.run(DueNotes(service: service))
      return [service.definition]
    }
    """

  private static let notesDue = """
    {{import}} KithTime
    {{import}} KithWorker
    {{import}} {{Type}}Service

    /// Tells of notes when they are due.
    struct DueNotes: DueWork {
      let service: {{Type}}Service

      func nextDue() async throws -> Instant? {
        try await service.nextDue().map { Instant(milliseconds: Int($0)) }
      }

      func run(at now: Instant) async throws { try await service.tellDue() }
    }
    """

  private static let notesDomainTests = """
    {{import}} {{Type}}Domain
    {{import}} Testing

    @Suite struct NoteRulesTests {
      @Test(
        arguments: [
          ("Pills", nil), ("", .empty), (" \\n", .empty),
          (String(repeating: "a", count: 501), .tooLong),
        ] as [(String, NoteRules.Refusal?)])
      func textsAreChecked(_ text: String, _ expected: NoteRules.Refusal?) {
        var refusal: NoteRules.Refusal?
        do throws(NoteRules.Refusal) { try NoteRules.check(text: text) } catch { refusal = error }
        #expect(refusal == expected)
      }

      @Test func aNoteIsDueWhenItsAuthorSaysSo() {
        let rules = NoteRules(dueAfter: 60_000)
        #expect(rules.due(wanted: nil, now: 1_000) == 61_000)
        #expect(rules.due(wanted: 5_000, now: 1_000) == 5_000)
      }
    }
    """

  private static let notesServiceTests = """
    {{import}} KithAccess
    {{import}} KithRPC
    {{import}} KithSealing
    {{import}} KithStore
    {{import}} KithWire
    {{import}} Synchronization
    {{import}} Testing
    {{import}} {{Contract}}
    {{import}} {{Type}}Domain

    @testable {{import}} {{Type}}Service

    /// The service over a store in memory.
    @Suite struct {{Type}}ServiceTests {
      private final class Clock: Sendable {
        let now = Atomic<Int64>(1_000)
      }

      private let store: Store
      private let service: {{Type}}Service
      private let clock = Clock()

      init() throws {
        store = try Store(
          inMemoryWith: SealingKeys(worker: "{{kebab}}"), migrations: NoteSchema.migrations)
        service = {{Type}}Service(
          store: store, rules: NoteRules(dueAfter: 60_000),
          now: { [clock] in clock.now.load(ordering: .relaxed) })
      }

      private func call(as user: String, key: String? = nil) throws -> CallContext {
        CallContext(
          method: {{Type}}Methods.keepNote, metadata: [CallContext.userKey: user],
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
        #expect(events.map(\\.type) == [NoteDue.fullName])
        #expect(events.first?.user?.text == "ana")
      }
    }
    """
}
