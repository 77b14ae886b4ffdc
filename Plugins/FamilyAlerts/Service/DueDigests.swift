import DeliveryContract
import FamilyAlertsDomain
import KithAccess
import KithRPC
import KithStore
public import KithTime

/// Sends the digest of the last week on Mondays, by the wall clock, to the contacts that want it.
public struct DueDigests: Sendable {
  /// How many contacts are looked at in one run.
  private static let batch = 50
  private static let day = 86_400_000 as UInt64

  private let service: FamilyAlertsService

  init(_ service: FamilyAlertsService) { self.service = service }

  /// When the next digests are due, or the rest of those that were begun.
  public func nextDue() async throws -> Instant? {
    guard let progress = try await progress() else { return nil }
    if progress.afterContact != nil { return Instant(milliseconds: 0) }
    let book = service.book
    return book.zone.instant(
      of: progress.week.adding(days: 14).at(book.settings.digestAt))
  }

  /// Sends some of the digests.
  public func run() async throws {
    guard var progress = try await progress() else { return }
    let book = service.book
    if progress.afterContact == nil {
      // After a long downtime only the last week is told.
      let today = book.zone.civil(at: service.time.onTheWall).date
      progress.week = max(
        FamilyWeek.monday(of: today).adding(days: -7), progress.week.adding(days: 7))
      progress.afterContact = ""
    }
    let (requests, next) = try await service.store.read { [progress] transaction in
      try Self.requests(progress, in: transaction)
    }
    for request in requests {
      _ = try await service.delivery.send(
        request, options: CallOptions(timeout: DueAlerts.callTimeout, inheritsContext: false))
    }
    progress.afterContact = next
    try await service.store.write { [progress] in try $0.save(progress) }
  }

  private func progress() async throws -> StoredDigest? {
    try await service.store.read { try $0.record(id: "progress") }
  }

  /// The digests of the next contacts, and the last of these; nil when there are no more.
  private static func requests(
    _ progress: StoredDigest, in transaction: some Transaction
  ) throws -> ([SendRequest], String?) {
    let contacts: [StoredContact] = try transaction.records(
      where: "id > \(progress.afterContact ?? "")", orderedBy: "id", limit: batch,
      under: AlertsBook.ownGrant)
    var requests: [SendRequest] = []
    for contact in contacts where contact.wantsDigest {
      let addresses = try FamilyAlertsService.addresses(of: contact, transaction)
      guard
        let target = addresses.first(where: {
          $0.channel == .email && $0.isVerified && AlertsBook.mayUse($0, of: contact)
        })?.message
      else { continue }
      let week = try DayCounts.week(of: contact.user, from: progress.week, in: transaction)
      requests.append(
        SendRequest(
          dedupeKey: "digest/\(progress.week)/\(contact.id)", userId: contact.user.text,
          address: target,
          content: Content(title: week.title, body: week.text, html: week.html),
          priority: .low, timeToLiveMs: 3 * day, retry: .byWorker))
    }
    return (requests, contacts.count < batch ? nil : contacts.last?.id)
  }
}

extension FamilyAlertsService {
  /// Sends the digest of the last week on Mondays.
  public var dueDigests: DueDigests { DueDigests(self) }
}
