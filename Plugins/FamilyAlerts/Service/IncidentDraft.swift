import FamilyAlertsDomain
import FoundationEssentials
import KithAccess
import KithStore
import KithTime

/// An incident that is to be opened.
struct IncidentDraft: Sendable {
  let user: UserID
  let dedupeKey: String
  let kind: AlertKind
  let at: Instant
  var summary = ""
  var battery: Double?
  var place: AlertPlace?

  func row(_ escalation: Escalation, openedAt: Instant) -> StoredIncident {
    StoredIncident(
      id: UUID().uuidString.lowercased(), user: user, dedupeKey: dedupeKey, kind: kind, at: at,
      openedAt: openedAt, summary: summary.isEmpty ? nil : Sealed(summary), note: nil,
      battery: battery.map { Sealed($0) }, latitude: place.map { Sealed($0.latitude) },
      longitude: place.map { Sealed($0.longitude) }, escalation: escalation)
  }
}
