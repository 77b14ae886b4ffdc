import AlertsContract
import DeliveryContract
import FamilyAlertsDomain
import KithAccess
import KithStore
import KithTime

extension Incident {
  /// An incident as the contract has it.
  init(_ row: StoredIncident, time: AlertsTime) {
    let escalation = row.escalation
    self.init(
      id: row.id, userId: row.user.text, dedupeKey: row.dedupeKey, kind: IncidentKind(row.kind),
      state: IncidentState(escalation.state), openedAtMs: row.openedAt.contract,
      acknowledgedAtMs: escalation.acknowledgement?.at.contract,
      acknowledgedBy: escalation.acknowledgement?.contact ?? "",
      acknowledgedThrough: AcknowledgementSource(escalation.acknowledgement?.source),
      resolvedAtMs: escalation.resolvedAt?.contract, loopCount: UInt32(escalation.loop),
      steps: escalation.steps.map { Step($0, time: time) }, summary: row.summary?.intact ?? "")
  }
}

extension Step {
  /// A step as the contract has it. What is to come is told by what the wall clock shows now.
  init(_ step: LadderStep, time: AlertsTime) {
    self.init(
      number: UInt32(step.number), loop: UInt32(step.loop), contactId: step.contact,
      channel: Channel(step.route.channel), state: StepState(step.state),
      dueMs: (step.isOpen ? time.onTheWall(step.dueAt) : step.dueAt).contract,
      sentAtMs: step.sentAt?.contract, failure: step.failure, purpose: StepPurpose(step.purpose))
  }
}

extension IncidentKind {
  init(_ kind: AlertKind) {
    switch kind {
    case .fall: self = .fall
    case .missedReminder: self = .missedReminder
    case .scamShared: self = .scamShared
    }
  }
}

extension AlertKind {
  /// The kind of a contract's value; nil for one that names none.
  init?(_ kind: IncidentKind) {
    switch kind {
    case .fall: self = .fall
    case .missedReminder: self = .missedReminder
    case .scamShared: self = .scamShared
    default: return nil
    }
  }
}

extension IncidentState {
  init(_ state: Escalation.State) {
    switch state {
    case .escalating: self = .escalating
    case .acknowledged: self = .acknowledged
    case .nobodyReached: self = .nobodyReached
    case .resolved: self = .incidentResolved
    }
  }
}

extension Escalation.State {
  /// The state of a contract's value; nil for one that names none.
  init?(_ state: IncidentState) {
    switch state {
    case .escalating: self = .escalating
    case .acknowledged: self = .acknowledged
    case .nobodyReached: self = .nobodyReached
    case .incidentResolved: self = .resolved
    default: return nil
    }
  }
}

extension StepState {
  init(_ state: LadderStep.State) {
    switch state {
    case .pending: self = .pending
    case .claimed: self = .claimed
    case .sent: self = .sent
    case .failed: self = .failed
    case .cancelled: self = .stepCancelled
    }
  }
}

extension StepPurpose {
  init(_ purpose: LadderStep.Purpose) {
    switch purpose {
    case .alert: self = .alert
    case .allClear: self = .allClear
    case .nobodyAnswered: self = .nobodyAnswered
    }
  }
}

extension AcknowledgementSource {
  init(_ source: Escalation.Acknowledgement.Source?) {
    switch source {
    case .link: self = .link
    case .smsReply: self = .smsReply
    case .app: self = .app
    case nil: self = .unspecified
    }
  }
}

extension Instant {
  /// As the contracts count: milliseconds since 1970-01-01T00:00:00Z.
  var contract: Int64 { Int64(milliseconds) }
}
