import KithAccess
import KithStore
public import KithTime
import LockContract
import UsageLockDomain

/// What is to be done of itself when its time comes: windows end, changes take effect, people are
/// told again; and the trusted clock is written down.
///
/// What is due is read off an index, so that who is idle costs nothing.
public struct DueLocks: Sendable {
  /// How many people are gone through in one transaction.
  private static let batch = 200
  /// When somebody is tried again whose row cannot be read.
  private static let pause = Duration.seconds(3600)
  /// How often the clock is written down while nothing else happens: no more uptime is lost in a
  /// reboot.
  private static let tick = Duration.seconds(300)
  private static let mostForgotten = 1_000

  private let store: Store
  private let book: @Sendable () -> LockBook
  private let trouble: @Sendable (any Error) -> Void

  init(
    store: Store, book: @escaping @Sendable () -> LockBook,
    trouble: @escaping @Sendable (any Error) -> Void
  ) {
    self.store = store
    self.book = book
    self.trouble = trouble
  }

  /// When there is something to do next, by the wall clock; nil for never.
  public func nextDue() async throws -> Instant? {
    let book = book()
    return try await store.read { transaction in
      guard
        let stored = try transaction.record(StoredClock.self, id: StoredClock.only)?.clock
      else { return nil }
      // A wall clock that was set is told of at once.
      if let verdict = try LockLedger.verdict(book, transaction),
        verdict.isNewBoot || verdict.step != nil
      {
        return book.reading.wall
      }
      let clock = try LockLedger.clock(book, transaction)
      let tick = stored.now + Self.tick
      let person: Int? = try transaction.minimum(
        of: "next_due_ms", in: StoredPersonRow.self, where: "next_due_ms IS NOT NULL",
        under: LockBook.ownGrant)
      let due = min(person.map { Instant(milliseconds: $0) } ?? tick, tick)
      return book.reading.wall + (due - clock.now)
    }
  }

  /// Does a part of what is due; ``nextDue()`` tells whether more is.
  public func run() async throws {
    let book = book()
    let failures = try await store.write { transaction in
      let ledger = try LockLedger(book, transaction)
      let now = ledger.clock.now
      // Also where less than a tick has passed since it was written last.
      try transaction.save(StoredClock(ledger.clock))
      let due: [String] = try transaction.rows(
        """
        SELECT id FROM person WHERE next_due_ms <= \(now.milliseconds)
        ORDER BY next_due_ms LIMIT \(Self.batch)
        """
      ).values(of: "id")
      var failures: [any Error] = []
      for id in due {
        guard let user = UserID(id) else { continue }
        do {
          try ledger.change(user) { _ in }
        } catch {
          // One that cannot be read must not hold up the others.
          try transaction.execute(
            """
            UPDATE person SET next_due_ms = \((now + Self.pause).milliseconds) WHERE id = \(id)
            """)
          failures.append(error)
        }
      }
      let oldest = now - book.settings.keepsActivity
      try transaction.execute(
        """
        DELETE FROM activity WHERE id IN (SELECT id FROM activity
        WHERE at_ms < \(oldest.milliseconds) ORDER BY at_ms LIMIT \(Self.mostForgotten))
        """)
      return failures
    }
    for failure in failures { trouble(failure) }
  }
}
