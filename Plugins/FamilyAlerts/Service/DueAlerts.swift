import AlertsContract
import DeliveryContract
import FamilyAlertsDomain
import FoundationEssentials
import KithAccess
import KithRPC
import KithStore
public import KithTime

/// Sends the messages of incidents when they are due.
///
/// Each is claimed in one transaction, handed over, and its result written in another one, under
/// the same lease. What is due is read off an index, the oldest first, in turn between people.
public struct DueAlerts: Sendable {
  /// How long a call to the delivery worker may take.
  static let callTimeout = Duration.seconds(10)
  /// When another process may take over an attempt; longer than the call.
  static let leaseLength = Duration.seconds(15)
  /// When one is tried again that cannot be read.
  private static let pause = Duration.seconds(3600)

  private let service: FamilyAlertsService
  private let waitsForResults: Bool
  private let trouble: @Sendable (_ incident: String, _ error: any Error) -> Void
  private let sender = StepSender()

  init(
    _ service: FamilyAlertsService, waitsForResults: Bool,
    trouble: @escaping @Sendable (String, any Error) -> Void
  ) {
    self.service = service
    self.waitsForResults = waitsForResults
    self.trouble = trouble
  }

  /// Hands messages over until the task is cancelled.
  public func send() async { await sender.run { await attempt($0) } }

  /// When there is something to do next, by the wall clock; nil for never. A wall clock that is set
  /// moves this moment with it.
  public func nextDue() async throws -> Instant? {
    let next: Int? = try await service.store.read { transaction in
      try transaction.minimum(
        of: "next_due_ms", in: StoredIncident.self, where: "next_due_ms IS NOT NULL",
        under: AlertsBook.ownGrant)
    }
    return next.map { service.time.onTheWall(Instant(milliseconds: $0)) }
  }

  /// Begins a part of what is due; ``nextDue()`` tells whether more is.
  public func run() async throws {
    let room = await sender.room()
    let (service, book, token) = (service, service.book, UUID().uuidString.lowercased())
    let now = service.time.now
    let (jobs, failures) = try await service.store.write { transaction in
      let ledger = service.ledger(transaction, book)
      var jobs: [StepSender.Job] = []
      var failures: [(String, any Error)] = []
      for id in try Self.due(at: now, room, in: transaction) {
        do {
          jobs += try Self.claim(id, token, secret: service.secret, ledger)
        } catch {
          // One that cannot be read must not hold up the others.
          try transaction.execute(
            """
            UPDATE incident SET next_due_ms = \((now + Self.pause).milliseconds) WHERE id = \(id)
            """)
          failures.append((id, error))
        }
      }
      return (jobs, failures)
    }
    for (id, error) in failures { trouble(id, error) }
    sender.submit(jobs)
    // Clocks that are moved by hand stand still until all is done.
    if waitsForResults { await sender.idle() }
  }

  /// The incidents that are due: the oldest of each person, then the second of each.
  private static func due(
    at now: Instant, _ limit: Int, in transaction: some Transaction
  ) throws -> [String] {
    try transaction.rows(
      """
      SELECT id FROM (
        SELECT id, next_due_ms,
          row_number() OVER (PARTITION BY user_id ORDER BY next_due_ms, id) AS turn
        FROM incident WHERE next_due_ms <= \(now.milliseconds)) AS due
      ORDER BY turn, next_due_ms, id LIMIT \(limit)
      """
    ).values(of: "id")
  }

  /// Does what is due of an incident, and takes the right to its messages.
  private static func claim(
    _ id: String, _ token: String, secret: LinkSecret, _ ledger: IncidentLedger
  ) throws -> [StepSender.Job] {
    guard var row = try IncidentLedger.incident(id, in: ledger.transaction) else { return [] }
    let plan = try ledger.book.plan(of: row.user, row.kind, in: ledger.transaction)
    let words = StepMessage(book: ledger.book, secret: secret, now: ledger.now)
    try ledger.change(&row, plan: plan) { escalation, plan in
      ((), escalation.advance(to: ledger.now, plan: plan))
    }
    let claimed = try ledger.change(&row, plan: plan) { escalation, _ in
      (escalation.claim(at: ledger.now, token: token, lasting: leaseLength), [])
    }
    var jobs: [StepSender.Job] = []
    for step in claimed {
      if let request = try words.request(for: step, of: row, in: ledger.transaction) {
        jobs.append(
          StepSender.Job(
            incident: id, number: step.number, token: token, request: request))
      } else {
        try ledger.change(&row, plan: plan) { escalation, plan in
          (
            (),
            escalation.finish(
              step.number, token: token, .refused("the address is lost"), at: ledger.now,
              jitter: 1, plan: plan)
          )
        }
      }
    }
    return jobs
  }

  // MARK: - Attempts

  private func attempt(_ job: StepSender.Job) async {
    let (outcome, failure): (StepOutcome, FailureClass)
    do throws(RPCError) {
      // It outlives its cause, and is attempted again under the rules of the escalation alone.
      let answer = try await service.delivery.send(
        job.request,
        options: CallOptions(timeout: Self.callTimeout, retry: .never, inheritsContext: false))
      let message = answer.message ?? Message()
      outcome = StepOutcome(message.state, message.failure)
      failure = message.failure
    } catch {
      (outcome, failure) = (StepOutcome(error), .unspecified)
    }
    do {
      try await note(outcome, failure, of: job)
    } catch {
      // The lease runs out, and the attempt counts as one without an answer.
      trouble(job.incident, error)
    }
    service.changed()
  }

  private func note(
    _ outcome: StepOutcome, _ failure: FailureClass, of job: StepSender.Job
  ) async throws {
    let (service, book) = (service, service.book)
    let jitter = Double.random(in: 0...1)
    try await service.store.write { transaction in
      let ledger = service.ledger(transaction, book)
      guard var row = try IncidentLedger.incident(job.incident, in: transaction),
        row.escalation.steps.indices.contains(job.number)
      else { return }
      let step = row.escalation.steps[job.number]
      try ledger.mark(step.route.address, failure)
      try ledger.change(&row) { escalation, plan in
        (
          (),
          escalation.finish(
            job.number, token: job.token, outcome, at: ledger.now, jitter: jitter, plan: plan)
        )
      }
    }
  }
}

extension FamilyAlertsService {
  /// Sends the messages of incidents when they are due.
  /// - Parameters:
  ///   - waitsForResults: whether a run ends when all that it began has an answer, as it must where
  ///     clocks are moved by hand.
  ///   - trouble: is told of an incident that cannot be read, by its id.
  public func dueAlerts(
    waitsForResults: Bool,
    trouble: @escaping @Sendable (_ incident: String, _ error: any Error) -> Void
  ) -> DueAlerts {
    DueAlerts(self, waitsForResults: waitsForResults, trouble: trouble)
  }
}

extension IncidentLedger {
  /// Notes what a failure says about an address.
  func mark(_ address: String, _ failure: FailureClass) throws {
    let isGone = failure == .addressGone || failure == .unsuitable
    guard isGone || failure == .optedOut,
      var row: StoredAddress = try transaction.record(
        id: address, under: AlertsBook.ownGrant, markingDamage: true)
    else { return }
    row.isGone = row.isGone || isGone
    row.hasOptedOut = row.hasOptedOut || failure == .optedOut
    try transaction.update(
      row, columns: ["is_gone", "has_opted_out"], under: AlertsBook.ownGrant)
  }
}
