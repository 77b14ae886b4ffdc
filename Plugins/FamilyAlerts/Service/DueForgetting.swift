import KithAccess
import KithStore
public import KithTime

/// Forgets incidents some time after they were opened, with their steps, once nothing more is to be
/// done of them; and what happened on days that no digest tells any more.
public struct DueForgetting: Sendable {
  /// How many incidents are forgotten in one run.
  private static let batch = 200
  /// Incidents are forgotten once a day, so that each is no timer run of its own.
  private static let day = 86_400_000
  /// How long the counts of a day are kept: a digest tells of the week before the last Monday.
  private static let keepsDays = 60

  private let service: FamilyAlertsService

  init(_ service: FamilyAlertsService) { self.service = service }

  /// When there is something to forget next; nil for never.
  public func nextDue() async throws -> Instant? {
    try await service.store.read { transaction in
      let oldest: Int? = try transaction.minimum(
        of: "opened_at_ms", in: StoredIncident.self, where: "next_due_ms IS NULL",
        under: AlertsBook.ownGrant)
      return oldest.map { opened in
        let end = opened + Int(keeps / .milliseconds(1))
        return Instant(milliseconds: (end / Self.day + 1) * Self.day)
      }
    }
  }

  /// Forgets some; ``nextDue()`` tells whether there are more.
  public func run(at now: Instant) async throws {
    guard let due = try await nextDue(), due <= now else { return }
    let today = now.milliseconds / Self.day * Self.day
    let oldest = today - Int(keeps / .milliseconds(1))
    let firstDay = service.book.zone.civil(at: now).date.adding(days: -Self.keepsDays)
    try await service.store.write { transaction in
      let ids: [String] = try transaction.rows(
        """
        SELECT id FROM incident WHERE next_due_ms IS NULL AND opened_at_ms < \(oldest)
        ORDER BY opened_at_ms LIMIT \(Self.batch)
        """
      ).values(of: "id")
      try transaction.execute("DELETE FROM step WHERE incident_id IN \(ids)")
      try transaction.execute("DELETE FROM incident WHERE id IN \(ids)")
      try transaction.deleteAll(
        StoredDay.self, where: "day < \("\(firstDay)")", under: AlertsBook.ownGrant)
    }
  }

  private var keeps: Duration { service.book.settings.keepsIncidents }
}

extension FamilyAlertsService {
  /// Forgets what ended long ago.
  public var dueForgetting: DueForgetting { DueForgetting(self) }
}
