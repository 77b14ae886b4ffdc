import AlertsContract
import FallDetectorDomain
import KithAccess
public import KithStore
import KithTime
import KithWire

/// What the alerts worker tells of contacts who look after a fall: when the first acknowledged, and
/// who.
public struct Acknowledgements: Projection {
  /// The full name of the service whose events they are.
  public static let service = "kith.alerts.v1.Alerts"
  /// As the store names it.
  public static let name = "fall acknowledgements"
  /// The messages that it takes.
  public static let types = [IncidentAcknowledged.fullName]
  /// The acknowledgements are columns of the cases.
  public static let migrations: [Store.Migration] = []

  private static let prefix = "fall/"

  /// The acknowledgements of one store.
  public init() {}

  /// Notes the first acknowledgement of a case. One of another incident, or of a case that is not
  /// here, is left out.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    let message = try IncidentAcknowledged(decoding: event.payload)
    guard message.dedupeKey.hasPrefix(Self.prefix) else { return }
    let id = String(message.dedupeKey.dropFirst(Self.prefix.count))
    guard
      var row = try transaction.record(
        StoredCase.self, id: id, under: CaseLedger.ownGrant, markingDamage: true),
      event.user == nil || event.user == row.user
    else { return }
    var life = CaseLife(policy: CasePolicy(), progress: row.progress)
    life.acknowledge(
      by: message.contactId, at: Instant(milliseconds: Int(message.atMs)))
    row.progress = life.progress
    try transaction.update(
      row, columns: ["ack_at_ms", "ack_by"], under: CaseLedger.ownGrant)
  }

  /// What was lost is asked of nobody: a case without an acknowledgement is shown without.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) {}
}
