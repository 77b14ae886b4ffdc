import BillingContract
import EntitlementsDomain
import KithAccess
import KithRPC
import KithStore
import KithTime

/// The quotas of one person in one transaction.
struct QuotaDesk<Reading: Transaction> {
  let ledger: EntitlementsLedger<Reading>
  let person: StoredPerson

  init(_ ledger: EntitlementsLedger<Reading>, _ person: StoredPerson) {
    (self.ledger, self.person) = (ledger, person)
  }

  private var now: Instant { ledger.now }

  /// A quota as it is now: in its window, with what has expired freed.
  /// - Returns: the quota, and the reservations that have expired.
  func current(_ name: String) throws -> (row: StoredQuota, expired: [StoredReservation]) {
    let zone = try ledger.book.zones.zone(named: person.zone ?? ledger.book.settings.zone)
    let known = try ledger.transaction.record(
      StoredQuota.self, id: StoredQuota.id(person.user, name), under: EntitlementsBook.ownGrant)
    guard var row = known else {
      let window = QuotaWindow(in: zone, at: now)
      return (StoredQuota(user: person.user, name: name, window: window), [])
    }
    // A zone that this machine has lost is taken for the wanted one.
    let pinned = (try? ledger.book.zones.zone(named: row.window.zone)) ?? zone
    if row.window.advance(to: now, pinned: pinned, wanted: zone) { row.quota.reset() }
    guard row.quota.reserved > 0 else { return (row, []) }
    let expired = try ledger.transaction.records(
      StoredReservation.self,
      where: """
        user_id = \(person.user) AND quota = \(name) AND state = 'held'
        AND expires_at_ms <= \(now.milliseconds)
        """, under: EntitlementsBook.ownGrant)
    for reservation in expired { row.quota.free(reservation.reservation.amount) }
    return (row, expired)
  }

  /// A quota for people to read.
  func state(_ name: String, _ limit: SoldPlan.Limit) throws -> QuotaState {
    if limit.isLevel { return QuotaState(quota: name, limit: UInt32(clamping: limit.most)) }
    let row = try current(name).row
    return QuotaState(
      quota: name, limit: UInt32(clamping: limit.most), used: UInt32(clamping: row.quota.used),
      reserved: UInt32(clamping: row.quota.reserved), resetAtMs: row.window.resetsAt.contract,
      isFairUse: limit.isSoft)
  }
}

extension QuotaDesk where Reading == WriteTransaction {
  private func opened(_ name: String) throws -> StoredQuota {
    let (row, expired) = try current(name)
    for var reservation in expired {
      reservation.reservation.state = .expired
      reservation.reservation.expires = Quota.remembered(from: now)
      try save(reservation)
    }
    return row
  }

  private func save(_ reservation: StoredReservation) throws {
    try ledger.transaction.save(reservation, under: EntitlementsBook.ownGrant)
  }

  private func reservation(_ id: String) throws -> Quota.Reservation? {
    try ledger.transaction.record(
      StoredReservation.self, id: id, under: EntitlementsBook.ownGrant)?.reservation
  }

  /// Reserves a part of a quota.
  /// - Throws: RESOURCE_EXHAUSTED with what is left.
  func reserve(
    _ name: String, _ amount: Int, key: String, limit: SoldPlan.Limit, for hold: Duration
  ) throws -> Reservation {
    var row = try opened(name)
    let id = StoredReservation.id(person.user, name, key: key)
    let known = try reservation(id)
    let (answer, made) = row.quota.reserve(amount, known: known, limit: limit, for: hold, at: now)
    var reply = Reservation(
      key: key, expiresAtMs: (made ?? known)?.expires.contract ?? now.contract,
      resetAtMs: row.window.resetsAt.contract)
    switch answer {
    case .granted(let remaining): reply.remaining = UInt32(clamping: remaining)
    case .overFairUse: (reply.remaining, reply.isOverFairUse) = (0, true)
    case .exhausted(let remaining):
      throw RPCError(
        .resourceExhausted,
        "\(remaining) of \(limit.most) of '\(name)' are left, until \(row.window.resetsAt)",
        details: [
          try StatusDetail(
            QuotaExceeded(
              quota: name, remaining: UInt32(clamping: remaining),
              resetAtMs: row.window.resetsAt.contract))
        ])
    }
    if let made {
      try save(
        StoredReservation(id: id, user: person.user, quota: name, reservation: made))
      try ledger.transaction.save(row, under: EntitlementsBook.ownGrant)
    }
    return reply
  }

  /// Counts what was used of a reservation.
  func commit(_ name: String, _ amount: Int?, key: String, limit: SoldPlan.Limit) throws -> Int {
    var row = try opened(name)
    let id = StoredReservation.id(person.user, name, key: key)
    guard let known = try reservation(id) else {
      throw RPCError(.notFound, "nothing is reserved by that key")
    }
    guard let kept = row.quota.commit(known, amount, limit: limit, at: now) else {
      throw RPCError(
        .failedPrecondition,
        known.state == .released
          ? "the reservation was given back" : "the reservation is over, and nothing is left")
    }
    if kept != known {
      try save(
        StoredReservation(id: id, user: person.user, quota: name, reservation: kept))
      try ledger.transaction.save(row, under: EntitlementsBook.ownGrant)
    }
    return kept.counted
  }

  /// Gives a reservation back. One that is not known is none.
  func release(_ name: String, key: String) throws {
    var row = try opened(name)
    let id = StoredReservation.id(person.user, name, key: key)
    guard let known = try reservation(id), known.state == .held else { return }
    try save(
      StoredReservation(
        id: id, user: person.user, quota: name,
        reservation: row.quota.release(known, at: now)))
    try ledger.transaction.save(row, under: EntitlementsBook.ownGrant)
  }
}
