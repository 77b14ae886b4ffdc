public import FamilyAlertsDomain
import KithAccess
public import KithStore
import KithTime

/// A message of an incident as a row.
struct StoredStep {
  let incident: String
  let user: UserID
  let step: LadderStep

  static func id(_ incident: String, _ number: Int) -> String { "\(incident)/\(number)" }
}

extension StoredStep: UserRecord {
  static let table = "step"
  var id: String { Self.id(incident, step.number) }

  init(_ row: RecordReader) throws {
    var lease: LadderStep.Lease?
    if let token: String = try row["lease_token"], let until = try row.instant("lease_until_ms") {
      lease = LadderStep.Lease(token: token, until: until)
    }
    self.init(
      incident: try row["incident_id"], user: try row.user(),
      step: LadderStep(
        number: try row["number"], purpose: try row["purpose"],
        generation: try row["generation"], loop: try row["loop"], stage: try row["stage"],
        contact: try row["contact_id"],
        route: Route(address: try row["address_id"], channel: try row["channel"]),
        state: try row["state"], dueAt: Instant(milliseconds: try row["due_ms"]),
        attempts: try row["attempts"], firstAttemptAt: try row.instant("first_attempt_ms"),
        doubtSince: try row.instant("doubt_since_ms"), lease: lease,
        sentAt: try row.instant("sent_at_ms"), failure: try row["failure"],
        mayPass: try row["may_pass"]))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("incident_id", incident)
    row.set("number", step.number)
    row.set("purpose", step.purpose)
    row.set("generation", step.generation)
    row.set("loop", step.loop)
    row.set("stage", step.stage)
    row.set("contact_id", step.contact)
    row.set("address_id", step.route.address)
    row.set("channel", step.route.channel)
    row.set("state", step.state)
    row.set("due_ms", step.dueAt.milliseconds)
    row.set("attempts", step.attempts)
    row.set("first_attempt_ms", step.firstAttemptAt?.milliseconds)
    row.set("doubt_since_ms", step.doubtSince?.milliseconds)
    row.set("lease_token", step.lease?.token)
    row.set("lease_until_ms", step.lease?.until.milliseconds)
    row.set("sent_at_ms", step.sentAt?.milliseconds)
    row.set("failure", step.failure)
    row.set("may_pass", step.mayPass)
    row.set("delivery_key", DeliveryKey.text(incident: incident, step: step))
  }
}

extension LadderStep.State: StoreConvertible {}
extension LadderStep.Purpose: StoreConvertible {}
