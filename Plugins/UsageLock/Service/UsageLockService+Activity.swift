import KithAccess
public import KithRPC
import KithStore
import KithTime
public import LockContract

extension UsageLockService {
  /// What happened, the latest first.
  public func listActivity(
    _ request: ListActivityRequest, context: CallContext
  ) async throws -> ListActivityResponse {
    let user = try subject(request.userId, context)
    guard request.pageSize <= 200 else {
      throw RPCError.invalidArgument(field: "page_size", "expected up to 200, or 0 for 50")
    }
    let size = request.pageSize == 0 ? 50 : Int(request.pageSize)
    let place = try Self.place(request.pageToken)
    return try await store.read { transaction in
      try self.allow(.read, on: user, context, transaction)
      let page = try transaction.page(
        of: StoredActivity.self, where: "user_id = \(user)", by: ["at_ms", "id"],
        descending: true, after: place, limit: size, under: LockBook.ownGrant)
      return ListActivityResponse(
        activities: page.records.map(\.message),
        nextPageToken: page.next == nil
          ? "" : page.records.last.map { "\($0.at.milliseconds)_\($0.id)" } ?? "")
    }
  }

  private static func place(_ token: String) throws(RPCError) -> [StoreValue]? {
    if token.isEmpty { return nil }
    let parts = token.split(separator: "_", maxSplits: 1)
    guard parts.count == 2, token.utf8.count < 100, let at = Int64(parts[0]) else {
      throw .invalidArgument(
        field: "page_token", "expected the next_page_token of the page before")
    }
    return [.integer(at), .text(String(parts[1]))]
  }

  /// Erases the activity log of a person.
  public func eraseActivity(
    _ request: EraseActivityRequest, context: CallContext
  ) async throws -> EraseActivityResponse {
    let user = try subject(request.userId, context)
    return try await store.write { transaction in
      try self.allow(.own, on: user, context, transaction)
      let count = try transaction.deleteAll(
        StoredActivity.self, of: user, under: LockBook.ownGrant)
      return EraseActivityResponse(erasedCount: UInt32(clamping: count))
    }
  }
}
