import FallsContract
import FamilyAlertsDomain
import KithAccess
import KithRPC
public import KithStore
import KithTime
import KithWire

/// Opens an incident for each fall that is alerted, and resolves it with its case.
public struct FallEvents: Projection {
  /// The full name of the service whose worker tells of falls.
  public static let service = FallDetectorMethods.report.service
  /// As the store names it.
  public static let name = "falls"
  /// The messages that it takes.
  public static let types = [FallAlerted.fullName, FallResolved.fullName]
  /// None of its own.
  public static let migrations: [Store.Migration] = []

  private let service: FamilyAlertsService

  init(_ service: FamilyAlertsService) { self.service = service }

  /// Takes an event.
  public func apply(_ event: LoggedEvent, in transaction: WriteTransaction) throws {
    guard let user = event.user else { return }
    let ledger = service.ledger(transaction, service.book, traceparent: event.traceparent)
    switch event.type {
    case FallAlerted.fullName:
      let fall = try FallAlerted(decoding: event.payload)
      let at = Instant(milliseconds: Int(fall.atMs))
      try DayCounts.change(
        of: user, on: ledger.book.zone.civil(at: at).date, in: transaction
      ) { $0.falls += 1 }
      guard service.isRecent(event) else { return }
      _ = try ledger.open(
        IncidentDraft(
          user: user, dedupeKey: Self.key(fall.caseId), kind: .fall, at: at,
          summary: Self.words(of: fall.cause), battery: fall.battery,
          place: fall.location.flatMap {
            AlertPlace(latitude: $0.latitude, longitude: $0.longitude)
          }))
    case FallResolved.fullName:
      let fall = try FallResolved(decoding: event.payload)
      // A case that only expired is no all-clear.
      try service.resolve(
        Self.key(fall.caseId), of: user, tellsAllClear: fall.resolution != .expired, ledger)
    default: break
    }
  }

  /// Nothing is found anew: what was not told of a fall when it happened is no alert later.
  public func restart(after lost: LostEvents, in transaction: WriteTransaction) throws {}

  private static func words(of cause: String) -> String {
    switch cause {
    case "no_answer": "Nobody has answered when asked."
    case "need_help": "Help was asked for."
    case "device_confirmed": "The device is sure of it."
    default: ""
    }
  }

  private static func key(_ id: String) -> String { "fall/\(id)" }
}

extension FamilyAlertsService {
  /// Opens incidents for falls.
  public var fallEvents: FallEvents { FallEvents(self) }

  /// Whether an event is young enough to be an alert: one of the day before or later. A worker that
  /// is new in a product reads old ones too.
  func isRecent(_ event: LoggedEvent) -> Bool {
    event.atMilliseconds > Int64((time.onTheWall - .seconds(86_400)).milliseconds)
  }

  /// Resolves the incident that its source names so, if there is one.
  func resolve(
    _ key: String, of user: UserID, tellsAllClear: Bool = true, _ ledger: IncidentLedger
  ) throws {
    let known: [StoredIncident] = try ledger.transaction.records(
      where: "user_id = \(user) AND dedupe_key = \(key)", limit: 1, under: AlertsBook.ownGrant)
    guard var row = known.first else { return }
    try IncidentLedger.load(&row, in: ledger.transaction)
    try Self.resolve(&row, tellsAllClear: tellsAllClear, ledger)
  }
}
