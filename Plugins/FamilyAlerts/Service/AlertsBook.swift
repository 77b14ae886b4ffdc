import FamilyAlertsDomain
import KithAccess
import KithRPC
import KithStore
import KithTime

/// What the worker knows besides its store: zones and settings; with it contacts become recipients.
struct AlertsBook: Sendable {
  /// The worker's own right to all records.
  static let ownGrant = Access(of: .product).grantAll(.own)

  let zones: Zones
  let settings: AlertsSettings

  /// The zone of the people whom alerts are about; UTC if the machine has lost it.
  var zone: Zone { (try? zones.zone(named: settings.zone)) ?? .utc }

  /// What an incident of a person goes by.
  func plan(
    of user: UserID, _ kind: AlertKind, in transaction: some Transaction
  ) throws -> EscalationPlan {
    let contacts = try Self.contacts(of: user, in: transaction)
    let addresses = try Self.addresses(of: user, in: transaction)
    return EscalationPlan(
      settings.policy, for: kind,
      contacts: contacts.map { contact in
        Recipient(
          id: contact.id,
          routes: (addresses[contact.id] ?? []).filter { Self.mayUse($0, of: contact) }
            .map { Route(address: $0.id, channel: $0.channel) },
          quietHours: contact.quiet?.intact.flatMap(quietWindow))
      })
  }

  /// Whether messages may go to an address. Text messages are only for who agreed to them.
  static func mayUse(_ address: StoredAddress, of contact: StoredContact) -> Bool {
    !address.isGone && !address.hasOptedOut && !address.value.isDamaged
      && (address.channel != .sms || address.isVerified || contact.consentedAt != nil)
  }

  /// The contacts of a person in their order.
  static func contacts(
    of user: UserID, in transaction: some Transaction
  ) throws -> [StoredContact] {
    try transaction.records(
      where: "user_id = \(user)", orderedBy: "priority, created_at_ms, id", under: ownGrant)
  }

  /// The addresses of a person's contacts in their order, by contact.
  static func addresses(
    of user: UserID, in transaction: some Transaction
  ) throws -> [String: [StoredAddress]] {
    Dictionary(
      grouping: try transaction.records(
        StoredAddress.self, where: "user_id = \(user)", orderedBy: "contact_id, position",
        under: ownGrant), by: \.contact)
  }

  /// Quiet hours as they are stored.
  func quietWindow(_ text: String) -> QuietWindow? {
    let parts = text.split(separator: " ").map(String.init)
    guard parts.count == 3, let from = CivilTime(clock: parts[0]),
      let to = CivilTime(clock: parts[1])
    else { return nil }
    return QuietWindow(from: from, to: to, zone: (try? zones.zone(named: parts[2])) ?? zone)
  }
}
