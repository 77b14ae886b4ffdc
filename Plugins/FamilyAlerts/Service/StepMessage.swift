import DeliveryContract
import FamilyAlertsDomain
import KithAccess
import KithStore
import KithTime

/// What a step says, as the delivery worker takes it.
struct StepMessage {
  /// After so long an alert is not worth delivering.
  private static let lifetime = Duration.seconds(3600)

  let book: AlertsBook
  let secret: LinkSecret
  /// The trusted time.
  let now: Instant

  /// The request to send a step; nil if the address is not there any more, or lost.
  func request(
    for step: LadderStep, of row: StoredIncident, in transaction: some Transaction
  ) throws -> SendRequest? {
    guard
      let address: StoredAddress = try transaction.record(
        id: step.route.address, under: AlertsBook.ownGrant, markingDamage: true),
      let target = address.message
    else { return nil }
    let token = step.purpose == .allClear ? "" : token(for: step, of: row)
    let words = AlertWording(
      kind: row.kind, purpose: step.purpose, at: row.at, zone: book.zone,
      // What a person wrote goes only to addresses that are known to be the contact's.
      summary: address.isVerified ? row.summary?.intact ?? "" : "",
      note: address.isVerified ? row.note?.intact ?? "" : "", battery: row.battery?.intact,
      place: row.kind.isSafety && book.settings.policy.allowsPlace ? row.place : nil,
      link: token.isEmpty
        ? "" : book.settings.linkBase.isEmpty ? "code \(token)" : book.settings.linkBase + token,
      isAgain: step.generation > 0)
    let text = words.text(for: step.route.channel)
    return SendRequest(
      dedupeKey: DeliveryKey.text(incident: row.id, step: step), userId: row.user.text,
      address: target,
      content: Content(
        title: text.title, body: text.body,
        // Ids and tokens need no escaping.
        dataJson:
          #"{"incident":"\#(row.id)","purpose":"\#(step.purpose.rawValue)","token":"\#(token)"}"#,
        actions: token.isEmpty ? [] : ["Acknowledge"],
        callerName: step.route.channel == .call ? "Family alert" : ""),
      collapseId: row.id, priority: row.kind.isSafety ? .safety : .normal,
      timeToLiveMs: UInt64(Self.lifetime / .milliseconds(1)), retry: .bySender)
  }

  /// The token of a step: the same for each attempt.
  private func token(for step: LadderStep, of row: StoredIncident) -> String {
    AcknowledgementToken(
      incident: row.id, contact: step.contact,
      expiresAt: (step.firstAttemptAt ?? now) + AcknowledgementToken.lifetime
    ).map(secret.text) ?? ""
  }
}
