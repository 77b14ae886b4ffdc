import DeliveryContract
import FamilyAlertsDomain
import KithAccess
import KithRPC
public import KithStore
import KithTime
import KithWire

/// Takes what providers and contacts say after a message was sent: receipts, replies, and that
/// somebody wants no messages.
public struct DeliveryEvents: Projection {
  /// The full name of the service whose worker delivers.
  public static let service = DeliveryMethods.send.service
  /// As the store names it.
  public static let name = "delivery"
  /// The messages that it takes.
  public static let types = [
    MessageChanged.fullName, ReplyReceived.fullName, ConsentChanged.fullName,
  ]
  /// None of its own.
  public static let migrations: [Store.Migration] = []

  private let service: FamilyAlertsService

  init(_ service: FamilyAlertsService) { self.service = service }

  /// Takes an event.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    let ledger = service.ledger(transaction, service.book, traceparent: event.traceparent)
    switch event.type {
    case MessageChanged.fullName: try note(try MessageChanged(decoding: event.payload), ledger)
    case ReplyReceived.fullName: try take(try ReplyReceived(decoding: event.payload), ledger)
    case ConsentChanged.fullName: try take(try ConsentChanged(decoding: event.payload), ledger)
    default: break
    }
  }

  /// Goes on with what is left: steps whose receipts are lost stay as they are.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) throws {}

  private func step(_ key: String, _ ledger: IncidentLedger) throws -> StoredStep? {
    if key.isEmpty { return nil }
    let found: [StoredStep] = try ledger.transaction.records(
      where: "delivery_key = \(key)", limit: 1, under: AlertsBook.ownGrant)
    return found.first
  }

  private func note(_ message: MessageChanged, _ ledger: IncidentLedger) throws {
    guard let known = try step(message.dedupeKey, ledger),
      var row = try IncidentLedger.incident(known.incident, in: ledger.transaction)
    else { return }
    let outcome = StepOutcome(message.state, message.failure)
    try ledger.mark(known.step.route.address, message.failure)
    try ledger.change(&row) { escalation, plan in
      (
        (),
        escalation.noteDelivery(known.step.number, outcome, at: ledger.now, plan: plan)
      )
    }
  }

  /// A reply counts for the incident of the message that it follows; or else for the last open one
  /// of a person whose contact has the address.
  private func take(_ reply: ReplyReceived, _ ledger: IncidentLedger) throws {
    guard ReplyReading.isAcknowledgement(reply.text) else { return }
    if let known = try step(reply.dedupeKey, ledger),
      var row = try IncidentLedger.incident(known.incident, in: ledger.transaction),
      try FamilyAlertsService.acknowledge(
        &row, by: known.step.contact, through: .smsReply, ledger)
    {
      return
    }
    var latest: (row: StoredIncident, contact: String)?
    for address in try addresses(reply.channel, reply.from, ledger) {
      let open: [StoredIncident] = try ledger.transaction.records(
        where: """
          user_id = \(address.user)
          AND state IN \([Escalation.State.escalating, .nobodyReached])
          """, orderedBy: "opened_at_ms DESC, id", limit: 1, under: AlertsBook.ownGrant)
      guard var row = open.first, row.openedAt > latest?.row.openedAt ?? Instant(milliseconds: 0)
      else { continue }
      try IncidentLedger.load(&row, in: ledger.transaction)
      // Whoever was told nothing answers something else.
      if row.escalation.told.contains(address.contact) { latest = (row, address.contact) }
    }
    if var latest {
      _ = try FamilyAlertsService.acknowledge(
        &latest.row, by: latest.contact, through: .smsReply, ledger)
    }
  }

  private func take(_ change: ConsentChanged, _ ledger: IncidentLedger) throws {
    for var address in try addresses(change.channel, change.address, ledger)
    where address.hasOptedOut == change.isWanted {
      address.hasOptedOut = !change.isWanted
      try ledger.transaction.update(
        address, columns: ["has_opted_out"], under: AlertsBook.ownGrant)
      guard !change.isWanted else { continue }
      try FamilyAlertsService.drop(
        contact: address.contact, address: address.id, of: address.user, ledger)
    }
  }

  private func addresses(
    _ channel: Channel, _ value: String, _ ledger: IncidentLedger
  ) throws -> [StoredAddress] {
    guard let channel = ContactChannel(channel), !value.isEmpty else { return [] }
    let index = ledger.transaction.index(of: value, in: StoredAddress.self, "value_index")
    return try ledger.transaction.records(
      where: "value_index = \(StoreValue.bytes(index)) AND channel = \(channel)",
      orderedBy: "id", under: AlertsBook.ownGrant)
  }
}

extension FamilyAlertsService {
  /// Takes receipts, replies and consent.
  public var deliveryEvents: DeliveryEvents { DeliveryEvents(self) }
}
