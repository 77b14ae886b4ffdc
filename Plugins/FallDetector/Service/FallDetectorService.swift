import FallDetectorDomain
public import FallsContract
import KithAccess
import KithAccessStore
public import KithRPC
public import KithStore
public import KithTime
import Synchronization

/// The fall detector behind its contract: checks requests, asks the domain what happens, and writes
/// it down.
///
/// Each call that changes something is one transaction: the case and the events. What is known of
/// the movement in progress of a wearer is in memory alone. No error or log repeats what was
/// measured.
public final class FallDetectorService: FallDetectorHandler {
  let store: Store
  let clock: @Sendable () -> ClockReading
  /// To be called when what is due next may be another.
  let changed: @Sendable () -> Void
  let wearers: Wearers
  let asked: AskedWearers
  private let current: Mutex<FallsSettings>

  /// A service over a store with the tables of ``FallsSchema``.
  /// - Parameters:
  ///   - clock: what the clocks show.
  ///   - changed: is called when what is due next may be another than ``due(trouble:)`` said.
  public init(
    store: Store, settings: FallsSettings, clock: @escaping @Sendable () -> ClockReading,
    changed: @escaping @Sendable () -> Void = {}
  ) {
    self.store = store
    self.clock = clock
    self.changed = changed
    current = Mutex(settings)
    wearers = Wearers(most: settings.mostWearers)
    asked = AskedWearers(store: store)
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .fallDetector(self) }

  /// What is to be done of itself when its time comes.
  /// - Parameter trouble: is told of a case that cannot be read, by its id.
  public func due(
    trouble: @escaping @Sendable (_ fallCase: String, _ error: any Error) -> Void
  ) -> DueCases {
    DueCases(
      store: store, settings: { self.settings }, clock: clock, trouble: trouble)
  }

  /// Goes by these settings from now on. How many wearers are followed stays as it is.
  public func use(_ settings: FallsSettings) {
    current.withLock { $0 = settings }
    changed()
  }

  var settings: FallsSettings { current.withLock(\.self) }

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

  /// Asks for an action on somebody's cases.
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

  /// The case of an id, if the caller may do this to it.
  func row(
    _ id: String, field: String, for action: Access.Action, _ context: CallContext,
    _ transaction: some Transaction
  ) throws -> StoredCase {
    guard !id.isEmpty else {
      throw RPCError.invalidArgument(field: field, "expected the id of a case, found an empty text")
    }
    let visible = try transaction.access(of: context.caller).grantAll(.read)
    guard
      let row = try transaction.record(
        StoredCase.self, id: id, under: visible, markingDamage: true)
    else {
      throw RPCError(.notFound, "there is no such case, or it is not one of the caller's")
    }
    _ = try allow(action, on: row.user, context, transaction)
    return row
  }

  /// A ledger of one transaction.
  func ledger(
    _ transaction: WriteTransaction, _ reading: ClockReading, _ context: CallContext
  ) -> CaseLedger {
    CaseLedger(
      policy: settings.policy, transaction: transaction, reading: reading,
      traceparent: context.traceparent)
  }

  // MARK: - Reading

  /// One case.
  public func getCase(
    _ request: GetCaseRequest, context: CallContext
  ) async throws -> FallCase {
    let reading = clock()
    return try await store.read { transaction in
      try self.row(request.id, field: "id", for: .read, context, transaction)
        .message(at: reading)
    }
  }

  /// The cases of a wearer, a page at a time, the latest first.
  public func listCases(
    _ request: ListCasesRequest, context: CallContext
  ) async throws -> ListCasesResponse {
    let user = try subject(request.userId, context)
    let size = try Page.size(request.pageSize)
    let place = try Page(token: request.pageToken)
    let reading = clock()
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      var condition: SQLText = "user_id = \(user)"
      if request.state != .unspecified {
        guard let state = CaseProgress.State(request.state) else { return ListCasesResponse() }
        condition += " AND state = \(state)"
      }
      let page = try transaction.page(
        of: StoredCase.self, where: condition, by: ["opened_at_ms", "id"], descending: true,
        after: place.map { [.integer($0.openedAt), .text($0.id)] }, limit: size, under: grant)
      return ListCasesResponse(
        cases: page.records.map { $0.message(at: reading) },
        nextPageToken: page.next == nil
          ? "" : page.records.last.map { Page.token(behind: $0) } ?? "")
    }
  }

  // MARK: - Sampling

  /// What a device is to sample, and why.
  public func getSamplingPolicy(
    _ request: GetSamplingPolicyRequest, context: CallContext
  ) async throws -> SamplingPolicy {
    if let battery = request.battery { try Check.battery(battery) }
    return SamplingAdvice(settings: settings).policy(
      placement: request.placement, battery: request.battery)
  }
}
