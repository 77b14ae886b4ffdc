import EntitlementsDomain
import KithAccess
import KithStore
public import KithTime

/// What is to be done of itself when its time comes: plans end, and it is told; reservations free
/// themselves; old ends of reservations are forgotten.
public struct DueEntitlements: Sendable {
  /// How many rows are gone through in one transaction.
  private static let batch = 500

  private let store: Store
  private let book: @Sendable () -> EntitlementsBook

  init(store: Store, book: @escaping @Sendable () -> EntitlementsBook) {
    (self.store, self.book) = (store, book)
  }

  /// When there is something to do next; nil for never.
  public func nextDue() async throws -> Instant? {
    try await store.read { transaction in
      let own = EntitlementsBook.ownGrant
      let person: Int? = try transaction.minimum(
        of: "next_change_ms", in: StoredPerson.self, where: "next_change_ms IS NOT NULL",
        under: own)
      let reservation: Int? = try transaction.minimum(
        of: "expires_at_ms", in: StoredReservation.self, under: own)
      return [person, reservation].compactMap(\.self).min().map { Instant(milliseconds: $0) }
    }
  }

  /// Does a part of what is due; ``nextDue()`` tells whether more is.
  public func run() async throws {
    let book = book()
    try await store.write { transaction in
      let own = EntitlementsBook.ownGrant
      let ledger = try EntitlementsLedger.writing(book, transaction)
      let now = ledger.now
      let people = try transaction.records(
        StoredPerson.self,
        where: "next_change_ms IS NOT NULL AND next_change_ms <= \(now.milliseconds)",
        orderedBy: "next_change_ms", limit: Self.batch, under: own)
      for person in people { try ledger.settle(person, traceparent: "") }
      let over = try transaction.records(
        StoredReservation.self, where: "expires_at_ms <= \(now.milliseconds)",
        orderedBy: "expires_at_ms", limit: Self.batch, under: own)
      for var row in over {
        guard row.reservation.state == .held else {
          try transaction.delete(StoredReservation.self, id: row.id, under: own)
          continue
        }
        row.reservation.state = .expired
        row.reservation.expires = Quota.remembered(from: now)
        try transaction.save(row, under: own)
        let id = StoredQuota.id(row.user, row.quota)
        if var quota = try transaction.record(StoredQuota.self, id: id, under: own) {
          quota.quota.free(row.reservation.amount)
          try transaction.save(quota, under: own)
        }
      }
    }
  }
}
