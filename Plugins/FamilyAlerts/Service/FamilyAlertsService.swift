import AlertsContract
import DeliveryContract
import FamilyAlertsDomain
import KithAccess
import KithAccessStore
public import KithRPC
public import KithStore
public import KithTime
import Synchronization

/// Contacts and incidents behind their contracts: checks requests, asks the domain what follows,
/// and writes it down.
///
/// Each change of an incident is one transaction with its steps and its events. No error or log
/// repeats a name, an address or what a person wrote.
public final class FamilyAlertsService: Sendable {
  let store: Store
  let time: AlertsTime
  let zones: Zones
  /// Called when what is due next may be another.
  let changed: @Sendable () -> Void
  /// Called with the id of an incident and the reason when nobody was reached.
  let unreached: @Sendable (_ incident: String, _ reason: String) -> Void
  let delivery: DeliveryClient
  /// What tokens of links are made with.
  let secret: LinkSecret
  private let settings: Mutex<AlertsSettings>

  /// A service over a store with the tables of ``AlertsSchema``.
  /// - Parameters:
  ///   - delivery: a client of the delivery worker.
  ///   - changed: called when what is due next may be another.
  ///   - unreached: called with the id of an incident and the reason when nobody was reached.
  public static func opened(
    store: Store, time: AlertsTime, zones: Zones = Zones(), settings: AlertsSettings,
    delivery: RPCClient, changed: @escaping @Sendable () -> Void = {},
    unreached: @escaping @Sendable (_ incident: String, _ reason: String) -> Void = { _, _ in }
  ) async throws -> FamilyAlertsService {
    let fresh = LinkSecret.fresh()
    let (zone, today) = (
      try zones.zone(named: settings.checked(in: zones).zone), time.onTheWall
    )
    let secret = try await store.write { transaction in
      if try transaction.record(StoredDigest.self, id: "progress") == nil {
        let monday = FamilyWeek.monday(of: zone.civil(at: today).date)
        try transaction.save(StoredDigest(week: monday.adding(days: -7), afterContact: nil))
      }
      if let known: StoredSecret = try transaction.record(id: "acknowledgement") {
        return try known.value.value
      }
      try transaction.save(StoredSecret(id: "acknowledgement", value: fresh))
      return fresh
    }
    return FamilyAlertsService(
      store, time, zones, settings, DeliveryClient(delivery), LinkSecret(secret), changed,
      unreached)
  }

  private init(
    _ store: Store, _ time: AlertsTime, _ zones: Zones, _ settings: AlertsSettings,
    _ delivery: DeliveryClient, _ secret: LinkSecret, _ changed: @escaping @Sendable () -> Void,
    _ unreached: @escaping @Sendable (String, String) -> Void
  ) {
    self.store = store
    self.time = time
    self.zones = zones
    self.settings = Mutex(settings)
    self.delivery = delivery
    self.secret = secret
    self.changed = changed
    self.unreached = unreached
  }

  /// What the worker serves.
  public var definitions: [ServiceDefinition] {
    [.contacts(self).keepingAnswers(in: store), .alerts(self).keepingAnswers(in: store)]
  }

  /// Goes by these settings from now on.
  public func use(_ settings: AlertsSettings) throws(RPCError) {
    let settings = try settings.checked(in: zones)
    self.settings.withLock { $0 = settings }
    changed()
  }

  var book: AlertsBook { AlertsBook(zones: zones, settings: settings.withLock(\.self)) }

  func ledger(
    _ transaction: WriteTransaction, _ book: AlertsBook, traceparent: String = ""
  ) -> IncidentLedger {
    IncidentLedger(
      book: book, time: time, transaction: transaction, now: time.now, traceparent: traceparent,
      unreached: unreached)
  }

  // MARK: - Whose

  /// Whom a request is about: whom it names, else the caller; the person of the configuration where
  /// that is the product.
  func subject(_ name: String, _ context: CallContext) throws(RPCError) -> UserID {
    guard name.isEmpty else {
      guard let user = UserID(name) else { throw .noUserID(field: "user_id") }
      return user
    }
    switch context.caller {
    case .user(let user): return user
    case .product: return book.settings.person
    case .worker(let name):
      throw RPCError(
        .permissionDenied, "\(name) calls in its own name: name a person in 'kith-user'")
    case .stranger: throw RPCError(.permissionDenied, "the caller has not shown who it is")
    }
  }

  /// Asks for an action on somebody's contacts and incidents.
  @discardableResult
  func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext,
    _ transaction: some Transaction
  ) throws -> Access.Grant {
    do {
      return try transaction.access(of: context.caller).grant(action, on: user)
    } catch let denial as Access.Denial {
      throw RPCError(denial)
    }
  }

  /// The contact of an id, if the caller may do this to it.
  func contact(
    _ id: String, field: String, for action: Access.Action, _ context: CallContext,
    _ transaction: some Transaction
  ) throws -> StoredContact {
    guard !id.isEmpty else { throw RPCError.invalidArgument(field: field, "it is empty") }
    let visible = try transaction.access(of: context.caller).grantAll(.read)
    guard
      let row: StoredContact = try transaction.record(
        id: id, under: visible, markingDamage: true)
    else {
      throw RPCError(.notFound, "there is no such contact, or it is not one of the caller's")
    }
    try allow(action, on: row.user, context, transaction)
    return row
  }

  /// The incident of an id with its steps, if the caller may see it: family by links, and contacts
  /// of the person.
  func incident(
    _ id: String, field: String = "id", _ context: CallContext, _ transaction: some Transaction
  ) throws -> StoredIncident {
    guard !id.isEmpty else { throw RPCError.invalidArgument(field: field, "it is empty") }
    if let row = try IncidentLedger.incident(id, in: transaction) {
      let visible = try transaction.access(of: context.caller).grantAll(.read)
      if visible.covers(.read, on: row.user) { return row }
      if try callingContact(of: row.user, context, transaction) != nil { return row }
    }
    throw RPCError(.notFound, "there is no such incident, or it is not one of the caller's")
  }

  /// The contact of a person that the caller is.
  func callingContact(
    of user: UserID, _ context: CallContext, _ transaction: some Transaction
  ) throws -> StoredContact? {
    guard case .user(let caller) = context.caller else { return nil }
    return try AlertsBook.contacts(of: user, in: transaction).first {
      $0.familyUser?.intact == caller.text
    }
  }
}
