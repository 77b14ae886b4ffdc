import FallDetectorDomain
import FallsContract
import FoundationEssentials
import KithAccess
import KithStore
import KithTime
import KithWire

/// Reads and writes cases with what happens to them: the rows and the events, in one transaction.
struct CaseLedger {
  let policy: CasePolicy
  let transaction: WriteTransaction
  let reading: ClockReading
  /// W3C Trace Context of the call that brought it about; empty for what fell due.
  var traceparent = ""

  /// What the wearer is asked.
  static let question = "Did you fall? Are you OK?"
  /// The worker's own right to all records.
  static let ownGrant = Access(of: .product).grantAll(.own)
  /// How many open cases of a wearer are looked at, far above what can come about in a day; and how
  /// many closed ones, of which the latest may have been closed just now.
  private static let (mostOpen, mostClosed) = (256, 4)

  // MARK: A wearer

  /// Takes in a candidate, or the word that it is a fall: it joins the open case, or opens one.
  /// - Returns: the case; nil for a candidate right after somebody has closed one.
  func take(
    _ trigger: CaseTrigger, _ evidence: Evidence, of user: UserID
  ) throws -> StoredCase? {
    let rows = try recent(of: user)
    var known: StoredCase?
    for row in rows where row.progress.state != .closed {
      var life = CaseLife(policy: policy, progress: row.progress)
      let events = life.advance(to: reading)
      guard known == nil, life.takesIn(at: reading) else {
        if !events.isEmpty { _ = try keep(life, of: row, events) }
        continue
      }
      var joined = row
      try evidence.add(to: &joined)
      let all = events + life.join(trigger, at: reading)
      known = try keep(life, of: joined, all)
    }
    if let known { return known }
    let isResting = rows.contains {
      CaseLife(policy: policy, progress: $0.progress).isResting(at: reading)
    }
    if trigger == .candidate, isResting { return nil }
    let (life, events) = CaseLife.opened(by: trigger, at: reading, policy: policy)
    var row = StoredCase(
      id: UUID().uuidString.lowercased(), user: user, progress: life.progress)
    try evidence.add(to: &row)
    try transaction.save(row, under: Self.ownGrant)
    for event in events { try tell(event, row) }
    return row
  }

  /// Changes all open cases of a wearer.
  /// - Returns: the newest of them; nil where none is open.
  func change(
    openOf user: UserID, _ change: (inout CaseLife, inout StoredCase) throws -> [CaseEvent]
  ) throws -> StoredCase? {
    var newest: StoredCase?
    for row in try recent(of: user) where row.progress.state != .closed {
      let kept = try self.change(row, change)
      newest = newest ?? kept
    }
    return newest
  }

  /// Changes one case.
  func change(
    _ row: StoredCase, _ change: (inout CaseLife, inout StoredCase) throws -> [CaseEvent]
  ) throws -> StoredCase {
    var row = row
    var life = CaseLife(policy: policy, progress: row.progress)
    let events = try change(&life, &row)
    return try keep(life, of: row, events)
  }

  /// The case that reports of a wearer must not be older than: the open one, or the one that was
  /// just closed.
  func current(of user: UserID) throws -> StoredCase? {
    try recent(of: user).first { row in
      let life = CaseLife(policy: policy, progress: row.progress)
      return life.isOpen || life.isResting(at: reading)
    }
  }

  /// The wearer's cases that are open or may have been closed just now, the latest first.
  private func recent(of user: UserID) throws -> [StoredCase] {
    let open = try transaction.records(
      StoredCase.self, where: "user_id = \(user) AND state <> 'closed'",
      orderedBy: "opened_at_ms DESC, id DESC", limit: Self.mostOpen, under: Self.ownGrant)
    let closed = try transaction.records(
      StoredCase.self, where: "user_id = \(user) AND state = 'closed'",
      orderedBy: "opened_at_ms DESC, id DESC", limit: Self.mostClosed, under: Self.ownGrant)
    return open + closed
  }

  // MARK: Writing

  /// Writes a case that has gone on, with what happened.
  func keep(_ life: CaseLife, of row: StoredCase, _ events: [CaseEvent]) throws -> StoredCase {
    var row = row
    row.progress = life.progress
    try transaction.update(row, columns: StoredCase.changing, under: Self.ownGrant)
    for event in events { try tell(event, row) }
    return row
  }

  private func tell(_ event: CaseEvent, _ row: StoredCase) throws {
    switch event {
    case .suspected:
      try append(
        FallSuspected(
          caseId: row.id, deadlineMs: row.progress.answerBy.contract, question: Self.question), row)
    case .alerted(let cause):
      try append(
        FallAlerted(
          caseId: row.id, atMs: row.progress.openedAt.contract, cause: cause.rawValue,
          accelG: row.accelG?.intact, battery: row.battery?.intact, location: row.place), row)
    case .resolved(let resolution, let wasAlerted):
      try append(
        FallResolved(caseId: row.id, resolution: resolution.message, wasAlerted: wasAlerted), row)
    }
  }

  private func append(_ event: some GeneratedMessage, _ row: StoredCase) throws {
    try transaction.append(
      event, about: row.user, at: reading.wall.contract, traceparent: traceparent)
  }
}
