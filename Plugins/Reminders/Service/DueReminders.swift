import KithAccess
import KithStore
public import KithTime
import RemindersContract
import RemindersDomain
import Synchronization

/// What is to be done of itself when its time comes: reminders are sent, sent again and missed; and
/// all are recalculated when tzdata or the configuration have changed.
///
/// What is due is read off an index, so that a turn costs what is due and not what is stored.
public struct DueReminders: Sendable {
  /// How many are done in one transaction: few enough that calls do not wait long for their turn,
  /// many enough that the disk is not what is waited for.
  private static let batch = 400
  /// When one is tried again that cannot be read.
  private static let pause = Duration.seconds(3600)

  private let store: Store
  private let book: @Sendable () -> ReminderBook
  private let trouble: @Sendable (_ reminder: String, _ error: any Error) -> Void

  init(
    store: Store, book: @escaping @Sendable () -> ReminderBook,
    trouble: @escaping @Sendable (String, any Error) -> Void
  ) {
    self.store = store
    self.book = book
    self.trouble = trouble
  }

  /// When there is something to do next; nil for never.
  public func nextDue() async throws -> Instant? {
    let basis = book().basis
    return try await store.read { transaction in
      if try Self.outdated(basis, 1, in: transaction).isEmpty == false {
        return Instant(milliseconds: 0)
      }
      let next: Int? = try transaction.minimum(
        of: "next_step_ms", in: StoredReminder.self, where: "next_step_ms IS NOT NULL",
        under: ReminderBook.ownGrant)
      return next.map { Instant(milliseconds: $0) }
    }
  }

  /// Does a part of what is due; ``nextDue()`` tells whether more is.
  public func run(at now: Instant) async throws {
    book().zones.refresh()
    let book = book()
    let failures = try await store.write { transaction in
      let ledger = LifeLedger(book: book, transaction: transaction, now: now)
      let outdated = try Self.outdated(book.basis, Self.batch, in: transaction)
      let due: [String] =
        outdated.isEmpty
        ? try transaction.rows(
          """
          SELECT id FROM reminder WHERE next_step_ms <= \(now.milliseconds)
          ORDER BY next_step_ms LIMIT \(Self.batch)
          """
        ).values(of: "id") : []
      var failures: [(String, any Error)] = []
      var owners: [UserID: ReminderBook.Owner] = [:]
      for id in outdated + due {
        do {
          try Self.goOn(id, ledger, &owners)
        } catch {
          // One that cannot be read must not hold up the others.
          try transaction.execute(
            """
            UPDATE reminder SET next_step_ms = \((now + Self.pause).milliseconds),
            basis = \(book.basis) WHERE id = \(id)
            """)
          failures.append((id, error))
        }
      }
      return failures
    }
    for (id, error) in failures { trouble(id, error) }
  }

  /// Does what is due of one; under another basis than before it is worked out anew.
  private static func goOn(
    _ id: String, _ ledger: LifeLedger, _ owners: inout [UserID: ReminderBook.Owner]
  ) throws {
    let (book, transaction) = (ledger.book, ledger.transaction)
    guard
      // It is sent also when its words are lost.
      let row = try transaction.record(
        StoredReminder.self, id: id, under: ReminderBook.ownGrant, markingDamage: true)
    else { return }
    let owner = try owners[row.user] ?? book.owner(row.user, in: transaction)
    owners[row.user] = owner
    var life = try book.life(of: row, owner)
    if row.basis != book.basis {
      life = life.moved(to: owner.zone, scheduleZone: life.plan.scheduleZone)
    }
    let events = life.advance(to: ledger.now)
    try ledger.keep(life, of: row, events)
  }

  /// Reminders that were worked out from another basis.
  private static func outdated(
    _ basis: Int64, _ limit: Int, in transaction: some Transaction
  ) throws -> [String] {
    // Two ranges of the index rather than "is not", which would read all of it.
    try transaction.rows(
      """
      SELECT id FROM (SELECT id FROM reminder
        WHERE next_step_ms IS NOT NULL AND basis < \(basis) LIMIT \(limit)) AS earlier
      UNION ALL
      SELECT id FROM (SELECT id FROM reminder
        WHERE next_step_ms IS NOT NULL AND basis > \(basis) LIMIT \(limit)) AS later
      """
    ).values(of: "id")
  }
}
