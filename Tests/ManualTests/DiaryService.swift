import KithAccess
import KithAccessStore
import KithRPC
import KithStore
import TestingContract

/// A diary entry as a row.
struct DiaryEntry: UserRecord {
  static let table = "entry"
  let id: String
  let user: UserID
  var text: Sealed<String>

  init(id: String, user: UserID, text: String) {
    (self.id, self.user, self.text) = (id, user, Sealed(text))
  }

  init(_ row: RecordReader) throws {
    (id, user, text) = (try row["id"], try row.user(), try row["text"])
  }

  func write(to row: inout RecordWriter) throws {
    try row.set("text", text)
  }
}

/// The schema, step by step. A step never changes once it has shipped.
enum DiarySchema {
  static let migrations: [Store.Migration] =
    [
      Store.Migration(
        "1 entries",
        creating: [Store.Table("entry", [.text("id"), .text("user_id"), .sealed("text")])])
    ] + KnownFamilyLinks.migrations
}

/// Keeps what a person writes.
struct DiaryService: OnceHandler {
  let store: Store
  let now: @Sendable () -> Int

  var definition: ServiceDefinition { .once(self).keepingAnswers(in: store) }

  func append(_ request: AppendRequest, context: CallContext) async throws -> AppendResponse {
    guard case .user(let user) = context.caller else {
      throw RPCError(.permissionDenied, "expected a call in the name of a person")
    }
    guard !request.entry.isEmpty else {
      throw RPCError.invalidArgument(field: "entry", "expected a text, found an empty one")
    }
    let now = now()
    return try await store.write(for: context, request, now: now / 1000) { transaction in
      let grant = try transaction.access(of: context.caller).grant(.change, on: user)
      let number = try transaction.append(request, about: user, at: Int64(now))
      try transaction.save(
        DiaryEntry(id: "\(number)", user: user, text: request.entry), under: grant)
      return AppendResponse(entry: request.entry)
    }
  }
}
