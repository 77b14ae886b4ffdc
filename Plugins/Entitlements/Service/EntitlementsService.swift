public import BillingContract
import EntitlementsDomain
import KithAccess
import KithAccessStore
public import KithRPC
public import KithStore
public import KithTime
import Synchronization

/// Entitlements behind their contract: keeps what stores say, decides by it, and counts what is
/// used. Each call that changes something is one transaction; a repeat of it changes nothing.
public final class EntitlementsService: EntitlementsHandler {
  let store: Store
  let product: String
  let zones: Zones
  private let held: Mutex<EntitlementsSettings>
  private let wall: @Sendable () -> Instant
  let folded = FoldedFacts()
  /// To be called when what is due next may be another.
  let changed: @Sendable () -> Void

  /// A service over a store with the tables of ``EntitlementsSchema``.
  /// - Parameters:
  ///   - product: who issues passes.
  ///   - now: what the wall clock shows.
  ///   - changed: is called when what is due next may be another than ``due`` said.
  public init(
    store: Store, product: String, zones: Zones = Zones(), settings: EntitlementsSettings,
    now: @escaping @Sendable () -> Instant, changed: @escaping @Sendable () -> Void = {}
  ) throws(RPCError) {
    let checked = try settings.checked(in: zones)
    held = Mutex(checked)
    (self.store, self.product, self.zones) = (store, product, zones)
    (wall, self.changed) = (now, changed)
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .entitlements(self) }

  /// What is to be done of itself when its time comes.
  public var due: DueEntitlements { DueEntitlements(store: store) { self.book } }

  /// Goes by these settings from now on.
  public func use(_ settings: EntitlementsSettings) throws(RPCError) {
    let checked = try settings.checked(in: zones)
    held.withLock { $0 = checked }
    changed()
  }

  var settings: EntitlementsSettings { held.withLock(\.self) }

  var book: EntitlementsBook {
    EntitlementsBook(settings: settings, zones: zones, wall: wall(), folded: folded)
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
    case .product: return settings.person
    case .worker(let name):
      throw RPCError(
        .permissionDenied, "\(name) calls in its own name: name a person in 'kith-user'")
    case .stranger: throw RPCError(.permissionDenied, "the caller has not shown who it is")
    }
  }

  /// Asks for an action on somebody's records.
  static func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext,
    _ transaction: some Transaction
  ) throws {
    do {
      _ = try transaction.access(of: context.caller).grant(action, on: user)
    } catch let denial as Access.Denial {
      throw RPCError(denial)
    }
  }

  /// Reads somebody.
  func show<Answer: Sendable>(
    _ name: String, _ context: CallContext,
    _ body:
      @escaping @Sendable (StoredPerson, EntitlementsLedger<ReadTransaction>) throws -> Answer
  ) async throws -> Answer {
    let (user, book) = (try subject(name, context), book)
    return try await store.read { transaction in
      try Self.allow(.read, on: user, context, transaction)
      let ledger = try EntitlementsLedger(book, transaction)
      return try body(try ledger.person(user), ledger)
    }
  }

  // MARK: - Reading

  /// What a person is entitled to now.
  public func getEntitlement(
    _ request: GetEntitlementRequest, context: CallContext
  ) async throws -> BillingContract.Entitlement {
    try await show(request.userId, context) { person, ledger in
      try ledger.entitlement(of: person).message(of: person.user)
    }
  }

  /// Whether a person may use a feature, and why.
  public func explain(
    _ request: ExplainRequest, context: CallContext
  ) async throws -> Explanation {
    try Check.text(request.feature, "feature", bytes: 1...64)
    return try await show(request.userId, context) { person, ledger in
      let (catalogue, now) = (ledger.book.settings.catalogue, ledger.now)
      let entitlement = try ledger.entitlement(of: person)
      let subscriptions = try ledger.subscriptions(of: person)
      return Explanation(
        isAllowed: entitlement.allows(request.feature, in: catalogue),
        isSafety: catalogue.safety.contains(request.feature),
        entitlement: entitlement.message(of: person.user),
        subscriptions: subscriptions.map { $0.message(at: now) },
        changes: Outlook(
          entitlement: entitlement, subscriptions: subscriptions, feature: request.feature,
          catalogue: catalogue, countsTests: ledger.book.settings.countsTests, now: now
        ).sentences)
    }
  }

  /// The quotas of a person.
  public func listQuotas(
    _ request: ListQuotasRequest, context: CallContext
  ) async throws -> ListQuotasResponse {
    try await show(request.userId, context) { person, ledger in
      let plan = try ledger.entitlement(of: person).plan
      return ListQuotasResponse(
        quotas: try plan.limits.sorted { $0.key < $1.key }.map { name, limit in
          try QuotaDesk(ledger, person).state(name, limit)
        })
    }
  }

  /// Pins the zone of a person's day.
  public func setZone(
    _ request: SetZoneRequest, context: CallContext
  ) async throws -> SetZoneResponse {
    let (user, book) = (try subject(request.userId, context), book)
    do throws(ZoneError) {
      _ = try zones.zone(named: request.zone)
    } catch {
      throw RPCError.invalidArgument(field: "zone", error.description)
    }
    return try await store.write { transaction in
      try Self.allow(.change, on: user, context, transaction)
      let ledger = try EntitlementsLedger.writing(book, transaction)
      var person = try ledger.person(user)
      person.zone = request.zone
      try ledger.settle(person, traceparent: context.traceparent)
      return SetZoneResponse(zone: request.zone)
    }
  }
}

/// Checks of requests.
enum Check {
  /// - Throws: INVALID_ARGUMENT for a text of another length, or with control characters.
  static func text(_ text: String, _ field: String, bytes: ClosedRange<Int>) throws(RPCError) {
    guard bytes.contains(text.utf8.count), text.utf8.allSatisfy({ $0 >= 32 && $0 != 127 }) else {
      throw .invalidArgument(
        field: field,
        "expected \(bytes.lowerBound) to \(bytes.upperBound) bytes without control characters")
    }
  }
}
