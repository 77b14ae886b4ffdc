import FallDetectorDomain
import KithAccess
import KithStore
public import KithTime
import Synchronization

/// What is to be done of itself when its time comes: contacts are told when nobody has answered,
/// cases expire, deadlines of an earlier boot are counted by the clock of this one, and cases that
/// ended long ago and ids of events are forgotten.
///
/// What is due is read off an index, so that a timer run costs what is due and not what is stored.
public struct DueCases: Sendable {
  /// How many are done in one transaction.
  private static let batch = 400
  /// When one is tried again that cannot be read.
  private static let pause: Int64 = 3_600_000
  /// What is kept for a time is forgotten once an hour, so that each is no timer run of its own.
  private static let hour = 3_600_000

  private let store: Store
  private let settings: @Sendable () -> FallsSettings
  private let clock: @Sendable () -> ClockReading
  private let trouble: @Sendable (_ fallCase: String, _ error: any Error) -> Void
  /// Whether this process has looked for deadlines whose clock has begun anew under its name.
  private let hasLooked = SharedFlag()

  init(
    store: Store, settings: @escaping @Sendable () -> FallsSettings,
    clock: @escaping @Sendable () -> ClockReading,
    trouble: @escaping @Sendable (String, any Error) -> Void
  ) {
    self.store = store
    self.settings = settings
    self.clock = clock
    self.trouble = trouble
  }

  /// When there is something to do next, by the wall clock as it is now; nil for never.
  public func nextDue() async throws -> Instant? {
    let reading = clock()
    let settings = settings()
    let looksAgain = !hasLooked.isSet
    return try await store.read { [hasLooked] transaction in
      if try !Self.foreign(reading, 1, looksAgain, in: transaction).isEmpty {
        return Instant(milliseconds: 0)
      }
      hasLooked.set()
      let end: Int64? = try transaction.minimum(
        of: "wait_end_ms", in: StoredCase.self,
        where: "state <> 'closed' AND wait_boot = \(reading.boot)", under: CaseLedger.ownGrant)
      let forgets = try Kept.all(settings).compactMap { try $0.nextForgetting(in: transaction) }
      let deadline = end.map {
        reading.wall + .milliseconds(max(0, $0 - reading.sinceBoot.inMilliseconds))
      }
      return (forgets + [deadline].compactMap { $0 }).min()
    }
  }

  /// Does a part of what is due; ``nextDue()`` tells whether more is.
  public func run(at now: Instant) async throws {
    let reading = clock()
    let settings = settings()
    let looksAgain = !hasLooked.isSet
    let (failures, foreign) = try await store.write { transaction in
      let ledger = CaseLedger(
        policy: settings.policy, transaction: transaction, reading: reading)
      let foreign = try Self.foreign(reading, Self.batch, looksAgain, in: transaction)
      let due: [String] =
        foreign.isEmpty
        ? try transaction.rows(
          """
          SELECT id FROM fall_case WHERE state <> 'closed' AND wait_boot = \(reading.boot)
          AND wait_end_ms <= \(reading.sinceBoot.inMilliseconds)
          ORDER BY wait_end_ms LIMIT \(Self.batch)
          """
        ).values(of: "id") : []
      var failures: [(String, any Error)] = []
      for id in foreign + due {
        do {
          guard
            let row = try transaction.record(
              StoredCase.self, id: id, under: CaseLedger.ownGrant, markingDamage: true)
          else { continue }
          _ = try ledger.change(row) { life, _ in
            life.move(to: reading)
            return life.advance(to: reading)
          }
        } catch {
          // One that cannot be read must not hold up the others.
          try transaction.execute(
            """
            UPDATE fall_case SET wait_boot = \(reading.boot),
            wait_end_ms = \(reading.sinceBoot.inMilliseconds + Self.pause),
            wait_length_ms = \(Self.pause) WHERE id = \(id)
            """)
          failures.append((id, error))
        }
      }
      for kept in Kept.all(settings) { try kept.forget(at: reading.wall, in: transaction) }
      return (failures, foreign.count)
    }
    if foreign < Self.batch { hasLooked.set() }
    for (id, error) in failures { trouble(id, error) }
  }

  /// Open cases whose deadlines are counted by another clock than this boot's.
  private static func foreign(
    _ reading: ClockReading, _ limit: Int, _ looksAgain: Bool, in transaction: some Transaction
  ) throws -> [String] {
    // Two ranges of the index rather than "is not", which would read all of it.
    let others: [String] = try transaction.rows(
      """
      SELECT id FROM (SELECT id FROM fall_case
        WHERE state <> 'closed' AND wait_boot < \(reading.boot) LIMIT \(limit)) AS earlier
      UNION ALL
      SELECT id FROM (SELECT id FROM fall_case
        WHERE state <> 'closed' AND wait_boot > \(reading.boot) LIMIT \(limit)) AS later
      """
    ).values(of: "id")
    guard looksAgain, others.isEmpty else { return others }
    return try transaction.rows(
      """
      SELECT id FROM fall_case WHERE state <> 'closed' AND wait_boot = \(reading.boot)
      AND wait_end_ms - wait_length_ms > \(reading.sinceBoot.inMilliseconds) LIMIT \(limit)
      """
    ).values(of: "id")
  }

  /// Rows that are kept for a time.
  private struct Kept {
    let oldest: (any Transaction) throws -> Int?
    let delete: (WriteTransaction, _ before: Int) throws -> Void
    let time: Duration

    static func all(_ settings: FallsSettings) -> [Kept] {
      [
        Kept(
          oldest: {
            try $0.minimum(of: "at_ms", in: StoredReport.self, under: CaseLedger.ownGrant)
          },
          delete: { transaction, before in
            try transaction.execute(
              """
              DELETE FROM report WHERE id IN (SELECT id FROM report WHERE at_ms < \(before)
                ORDER BY at_ms LIMIT \(batch * 10))
              """)
          }, time: settings.keepsReports),
        Kept(
          oldest: {
            try $0.minimum(
              of: "resolved_at_ms", in: StoredCase.self, where: "state = 'closed'",
              under: CaseLedger.ownGrant)
          },
          delete: { transaction, before in
            try transaction.execute(
              """
              DELETE FROM fall_case WHERE id IN (SELECT id FROM fall_case
                WHERE state = 'closed' AND resolved_at_ms < \(before)
                ORDER BY resolved_at_ms LIMIT \(batch))
              """)
          }, time: settings.keepsCases),
      ]
    }

    /// The full hour after the time of the oldest.
    func nextForgetting(in transaction: some Transaction) throws -> Instant? {
      try oldest(transaction).map { at in
        Instant(milliseconds: ((at + Int(time.inMilliseconds)) / hour + 1) * hour)
      }
    }

    func forget(at now: Instant, in transaction: WriteTransaction) throws {
      guard let due = try nextForgetting(in: transaction), due <= now else { return }
      try delete(transaction, now.milliseconds / hour * hour - Int(time.inMilliseconds))
    }
  }
}

/// A flag that is set once.
final class SharedFlag: Sendable {
  private let flag = Mutex(false)
  var isSet: Bool { flag.withLock(\.self) }
  func set() { flag.withLock { $0 = true } }
}
