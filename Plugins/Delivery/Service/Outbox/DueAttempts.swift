import DeliveryDomain
import KithStore
public import KithTime

/// The attempts of one channel that the outbox makes by itself. Each channel has its own, so that
/// one whose provider hangs holds up no other.
public struct DueAttempts: Sendable {
  /// How many are made in one run.
  private static let most = 64
  /// How many of those that are due are looked at for a fair choice.
  private static let mostExamined = 1000

  let outbox: Outbox
  let channel: MessageChannel

  /// When there is something to do next; nil for never.
  public func nextDue() async throws -> Instant? {
    try await outbox.store.read { [channel] transaction in
      let next: Int? = try transaction.minimum(
        of: "next_attempt_ms", in: StoredMessage.self,
        where: "next_attempt_ms IS NOT NULL AND channel = \(channel)", under: Outbox.ownGrant)
      return next.map { Instant(milliseconds: $0) }
    }
  }

  /// Makes a part of what is due.
  public func run(at now: Instant) async throws {
    let rows = try await outbox.store.read { [channel] transaction in
      // The oldest message of each person first, then the second of each.
      let ids: [String] = try transaction.rows(
        """
        SELECT id FROM (
          SELECT id, urgency, next_attempt_ms,
            row_number() OVER (PARTITION BY user_id, urgency ORDER BY next_attempt_ms, id) AS turn
          FROM (
            SELECT id, user_id, urgency, next_attempt_ms FROM message
            WHERE next_attempt_ms IS NOT NULL AND channel = \(channel)
              AND next_attempt_ms <= \(now.milliseconds)
            ORDER BY next_attempt_ms LIMIT \(Self.mostExamined)) AS due) AS turns
        ORDER BY urgency DESC, turn, next_attempt_ms, id LIMIT \(Self.most)
        """
      ).values(of: "id")
      return try ids.compactMap {
        try transaction.record(
          StoredMessage.self, id: $0, under: Outbox.ownGrant, markingDamage: true)
      }
    }
    // Those who may be called no more now are put off after the others have begun, so that the
    // more urgent are not overtaken.
    var begun: [String: Int] = [:]
    let first = rows.filter { row in
      begun[row.provider, default: 0] += 1
      return outbox.room(of: row.provider, at: now).map { begun[row.provider, default: 0] <= $0 }
        ?? true
    }
    let ids = Set(first.map(\.id))
    try await attempt(first)
    try await attempt(rows.filter { !ids.contains($0.id) })
  }

  private func attempt(_ rows: [StoredMessage]) async throws {
    try await withThrowingTaskGroup(of: Void.self) { group in
      for row in rows { group.addTask { _ = try await outbox.attempt(.row(row)) } }
      try await group.waitForAll()
    }
  }
}
