public import FamilyAlertsDomain
import KithAccess
public import KithStore
import KithTime

/// An incident as a row, without its steps.
struct StoredIncident {
  let id: String
  let user: UserID
  let dedupeKey: String
  let kind: AlertKind
  /// When it happened, and when it was opened: what the wall showed.
  let at: Instant
  let openedAt: Instant
  var summary: Sealed<String>?
  var note: Sealed<String>?
  let battery: Sealed<Double>?
  let latitude: Sealed<Double>?
  let longitude: Sealed<Double>?
  /// Its state machine, of which the row has all but the steps.
  var escalation: Escalation

  /// Where it happened.
  var place: AlertPlace? {
    guard let latitude = latitude?.intact, let longitude = longitude?.intact else { return nil }
    return AlertPlace(latitude: latitude, longitude: longitude)
  }

  /// What is written of an incident that has gone on: nothing that is encrypted.
  static let progress: Set<String> = [
    "state", "version", "generation", "loop", "stage", "acknowledged_at_ms", "acknowledged_by",
    "acknowledged_through", "resolved_at_ms", "answer_until_ms", "reescalates_at_ms",
    "next_due_ms",
  ]
}

extension StoredIncident: UserRecord {
  static let table = "incident"

  init(_ row: RecordReader) throws {
    var acknowledgement: Escalation.Acknowledgement?
    if let at = try row.instant("acknowledged_at_ms"),
      let contact: String = try row["acknowledged_by"],
      let source: Escalation.Acknowledgement.Source = try row["acknowledged_through"]
    {
      acknowledgement = Escalation.Acknowledgement(at: at, contact: contact, source: source)
    }
    let kind: AlertKind = try row["kind"]
    self.init(
      id: try row["id"], user: try row.user(), dedupeKey: try row["dedupe_key"], kind: kind,
      at: Instant(milliseconds: try row["at_ms"]),
      openedAt: Instant(milliseconds: try row["opened_at_ms"]), summary: try row["summary"],
      note: try row["note"], battery: try row["battery"], latitude: try row["latitude"],
      longitude: try row["longitude"],
      escalation: Escalation(
        kind: kind, state: try row["state"], version: try row["version"],
        generation: try row["generation"], loop: try row["loop"], stage: try row["stage"],
        steps: [], acknowledgement: acknowledgement,
        resolvedAt: try row.instant("resolved_at_ms"),
        answerUntil: try row.instant("answer_until_ms"),
        reescalatesAt: try row.instant("reescalates_at_ms")))
  }

  func write(to row: inout RecordWriter) throws {
    row.set("dedupe_key", dedupeKey)
    row.set("kind", kind)
    row.set("at_ms", at.milliseconds)
    row.set("opened_at_ms", openedAt.milliseconds)
    try row.set("summary", summary)
    try row.set("note", note)
    try row.set("battery", battery)
    try row.set("latitude", latitude)
    try row.set("longitude", longitude)
    row.set("state", escalation.state)
    row.set("version", escalation.version)
    row.set("generation", escalation.generation)
    row.set("loop", escalation.loop)
    row.set("stage", escalation.stage)
    row.set("acknowledged_at_ms", escalation.acknowledgement?.at.milliseconds)
    row.set("acknowledged_by", escalation.acknowledgement?.contact)
    row.set("acknowledged_through", escalation.acknowledgement?.source)
    row.set("resolved_at_ms", escalation.resolvedAt?.milliseconds)
    row.set("answer_until_ms", escalation.answerUntil?.milliseconds)
    row.set("reescalates_at_ms", escalation.reescalatesAt?.milliseconds)
    row.set("next_due_ms", escalation.nextDue?.milliseconds)
  }
}

extension AlertKind: StoreConvertible {}
extension Escalation.State: StoreConvertible {}
extension Escalation.Acknowledgement.Source: StoreConvertible {}

extension RecordReader {
  func instant(_ column: String) throws -> Instant? {
    (try self[column] as Int?).map { Instant(milliseconds: $0) }
  }
}
