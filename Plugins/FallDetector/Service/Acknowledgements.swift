import AlertsContract
import FallDetectorDomain
import KithAccess
public import KithStore
import KithTime
import KithWire

/// What the alerts worker tells of contacts who look after a fall: when the first acknowledged, and
/// who; and that its incident is over. From then on a further fall is another case.
public struct Acknowledgements: Projection {
  /// The full name of the service whose events they are.
  public static let service = "kith.alerts.v1.Alerts"
  /// As the store names it.
  public static let name = "fall acknowledgements"
  /// The messages that it takes.
  public static let types = [IncidentAcknowledged.fullName, IncidentResolved.fullName]
  /// The acknowledgements are columns of the cases.
  public static let migrations: [Store.Migration] = []

  private static let prefix = "fall/"

  /// The acknowledgements of one store.
  public init() {}

  /// Notes the first acknowledgement of a case. One of another incident, or of a case that is not
  /// here, is left out.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    switch event.type {
    case IncidentAcknowledged.fullName:
      let message = try IncidentAcknowledged(decoding: event.payload)
      try acknowledge(
        message.dedupeKey, by: message.contactId, at: message.atMs, event.user, transaction)
    case IncidentResolved.fullName:
      let message = try IncidentResolved(decoding: event.payload)
      try acknowledge(message.dedupeKey, by: "", at: message.atMs, event.user, transaction)
    default: break
    }
  }

  private func acknowledge(
    _ key: String, by contact: String, at milliseconds: Int64, _ user: UserID?,
    _ transaction: WriteTransaction
  ) throws {
    guard key.hasPrefix(Self.prefix) else { return }
    let id = String(key.dropFirst(Self.prefix.count))
    guard
      var row = try transaction.record(
        StoredCase.self, id: id, under: CaseLedger.ownGrant, markingDamage: true),
      user == nil || user == row.user
    else { return }
    var life = CaseLife(policy: CasePolicy(), progress: row.progress)
    life.acknowledge(by: contact, at: Instant(milliseconds: Int(milliseconds)))
    row.progress = life.progress
    try transaction.update(
      row, columns: ["ack_at_ms", "ack_by"], under: CaseLedger.ownGrant)
  }

  /// What was lost is asked of nobody: a case without an acknowledgement is shown without.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) {}
}
