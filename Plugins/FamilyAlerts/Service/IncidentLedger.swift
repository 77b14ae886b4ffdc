import AlertsContract
import FamilyAlertsDomain
import KithAccess
import KithStore
import KithTime
import KithWire

/// Reads incidents as state machines, and writes what happened in them: the row, the steps and the
/// events, in one transaction.
struct IncidentLedger {
  let book: AlertsBook
  let time: AlertsTime
  let transaction: WriteTransaction
  /// The trusted time.
  let now: Instant
  /// W3C Trace Context of the call that it came from.
  var traceparent = ""
  /// Hears of incidents of which nobody was reached, for the operator.
  var unreached: @Sendable (_ incident: String, _ reason: String) -> Void = { _, _ in }

  /// An incident with its steps.
  static func incident(
    _ id: String, in transaction: some Transaction
  ) throws -> StoredIncident? {
    // It goes on also where its words are lost.
    guard
      var row: StoredIncident = try transaction.record(
        id: id, under: AlertsBook.ownGrant, markingDamage: true)
    else { return nil }
    try load(&row, in: transaction)
    return row
  }

  /// Adds the steps of an incident.
  static func load(_ row: inout StoredIncident, in transaction: some Transaction) throws {
    let steps: [StoredStep] = try transaction.records(
      where: "incident_id = \(row.id)", orderedBy: "number", under: AlertsBook.ownGrant)
    let old = row.escalation
    row.escalation = Escalation(
      kind: old.kind, state: old.state, version: old.version, generation: old.generation,
      loop: old.loop, stage: old.stage, steps: steps.map(\.step),
      acknowledgement: old.acknowledgement, resolvedAt: old.resolvedAt,
      answerUntil: old.answerUntil, reescalatesAt: old.reescalatesAt)
  }

  /// Opens an incident, or answers the one that has its key.
  func open(_ draft: IncidentDraft) throws -> StoredIncident {
    let known: [StoredIncident] = try transaction.records(
      where: "user_id = \(draft.user) AND dedupe_key = \(draft.dedupeKey)", limit: 1,
      under: AlertsBook.ownGrant)
    if var known = known.first {
      try Self.load(&known, in: transaction)
      return known
    }
    let plan = try book.plan(of: draft.user, draft.kind, in: transaction)
    let (escalation, events) = Escalation.opened(draft.kind, at: now, plan: plan)
    let row = draft.row(escalation, openedAt: time.onTheWall)
    try transaction.save(row, under: AlertsBook.ownGrant)
    try append(
      IncidentRaised(incidentId: row.id, dedupeKey: row.dedupeKey, kind: IncidentKind(row.kind)),
      row)
    try writeSteps(of: row, before: [])
    try tell(events, row)
    return row
  }

  /// Changes an incident by what happens to its state machine, and writes what follows.
  /// - Returns: what the body answers.
  @discardableResult
  func change<Answer>(
    _ row: inout StoredIncident, plan: EscalationPlan? = nil,
    _ body: (inout Escalation, EscalationPlan) -> (Answer, [EscalationEvent])
  ) throws -> Answer {
    let plan = try plan ?? book.plan(of: row.user, row.kind, in: transaction)
    let before = row.escalation
    let (answer, events) = body(&row.escalation, plan)
    guard row.escalation != before else { return answer }
    try transaction.update(
      row, columns: StoredIncident.progress, under: AlertsBook.ownGrant)
    try writeSteps(of: row, before: before.steps)
    try tell(events, row)
    return answer
  }

  /// Appends an event about the person of an incident.
  func append(_ event: some GeneratedMessage, _ row: StoredIncident) throws {
    try transaction.append(
      event, about: row.user, at: Int64(time.onTheWall.milliseconds), traceparent: traceparent)
  }

  private func writeSteps(of row: StoredIncident, before: [LadderStep]) throws {
    for step in row.escalation.steps
    where !before.indices.contains(step.number) || before[step.number] != step {
      try transaction.save(
        StoredStep(incident: row.id, user: row.user, step: step), under: AlertsBook.ownGrant)
    }
  }

  private func tell(_ events: [EscalationEvent], _ row: StoredIncident) throws {
    for event in events {
      switch event {
      case .stepEnded(let number):
        try append(
          StepEnded(
            incidentId: row.id, step: Step(row.escalation.steps[number], time: time)), row)
      case .nobodyReached(let reason):
        unreached(row.id, reason.rawValue)
        try append(
          NobodyReached(
            incidentId: row.id, kind: IncidentKind(row.kind), reason: reason.rawValue), row)
      }
    }
  }
}
