import KithAccess
import KithAccessStore
public import KithRPC
public import KithStore
public import KithTime
import KithWire
public import LockContract
import Synchronization
import UsageLockDomain

/// The usage lock behind its contract: checks requests, asks the domain what is granted, and writes
/// it down. Each call that changes something is one transaction.
public final class UsageLockService: UsageLockHandler {
  let store: Store
  private let zones: Zones
  private let settings: Mutex<LockSettings>
  private let reading: @Sendable () -> ClockReading
  /// To be called when what is due next may be another.
  let changed: @Sendable () -> Void
  let pins = PINHash()
  /// The app that is taken to be in the foreground; nil in the machine's time.
  let simulated: SimulatedForeground?

  /// A service over a store with the tables of ``LockSchema``.
  /// - Parameters:
  ///   - reading: what the machine's clocks show.
  ///   - simulated: lets an app be taken to be in the foreground, in virtual time.
  ///   - changed: is called when what is due next may be another than ``due(trouble:)`` said.
  public init(
    store: Store, zones: Zones = Zones(), settings: LockSettings,
    reading: @escaping @Sendable () -> ClockReading, simulated: SimulatedForeground? = nil,
    changed: @escaping @Sendable () -> Void = {}
  ) throws(RPCError) {
    let checked = try settings.checked(in: zones)
    self.settings = Mutex(checked)
    self.store = store
    self.zones = zones
    self.reading = reading
    self.simulated = simulated
    self.changed = changed
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .usageLock(self).keepingAnswers(in: store) }

  /// What is to be done of itself when its time comes.
  /// - Parameter trouble: is told of a person whose row cannot be read.
  public func due(
    trouble: @escaping @Sendable (_ error: any Error) -> Void
  ) -> DueLocks {
    DueLocks(store: store, book: { self.book }, trouble: trouble)
  }

  /// What looks at the programs of this machine.
  /// - Parameter report: is told why the host refused, in words for a log.
  public func looks(
    at source: some ProgramSource, report: @escaping @Sendable (_ reason: String) -> Void
  ) -> ProgramLooks {
    ProgramLooks(
      store: store, book: { self.book }, source: source, simulated: simulated, report: report)
  }

  /// Goes by these settings from now on.
  public func use(_ settings: LockSettings) throws(RPCError) {
    let settings = try settings.checked(in: zones)
    self.settings.withLock { $0 = settings }
    changed()
  }

  var book: LockBook {
    LockBook(zones: zones, settings: settings.withLock(\.self), reading: reading())
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

  /// Asks for an action on somebody's records.
  func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext,
    _ transaction: some Transaction
  ) throws {
    do {
      _ = try transaction.access(of: context.caller).grant(action, on: user)
    } catch let denial as Access.Denial {
      throw RPCError(denial)
    }
  }

  /// Changes somebody, and answers the call with what came of it.
  func change<Answer: WireMessage>(
    _ name: String, _ request: some WireMessage, _ context: CallContext,
    _ body: @escaping @Sendable (LockLedger, inout StoredPerson) throws -> Answer
  ) async throws -> Answer {
    let user = try subject(name, context)
    let book = book
    let answer = try await store.write(for: context, request, now: book.reading.wall.seconds) {
      transaction in
      try self.allow(.change, on: user, context, transaction)
      let ledger = try LockLedger(book, transaction, traceparent: context.traceparent)
      do {
        return try ledger.change(user) { try body(ledger, &$0) }
      } catch let refusal as LockRefusal {
        throw RPCError(refusal)
      } catch let refusal as ChallengeLadder.Refusal {
        throw RPCError(refusal)
      } catch let refusal as PassBook.Refusal {
        throw RPCError(refusal)
      }
    }
    changed()
    return answer
  }

  /// Reads somebody as they are now.
  func show<Answer: Sendable>(
    _ name: String, _ context: CallContext,
    _ body: @escaping @Sendable (StoredPerson, TrustedClock, ReadTransaction) throws -> Answer
  ) async throws -> Answer {
    let user = try subject(name, context)
    let book = book
    return try await store.read { transaction in
      try self.allow(.read, on: user, context, transaction)
      let clock = try LockLedger.clock(book, transaction)
      return try body(
        try LockLedger.shown(user, book, clock, transaction), clock, transaction)
    }
  }

  // MARK: - Status

  /// What is open, what is left and when it changes.
  public func getStatus(
    _ request: GetStatusRequest, context: CallContext
  ) async throws -> Status {
    try await show(request.userId, context) { try Self.status(of: $0, $1, $2) }
  }

  /// Whether an app may be used now.
  public func openApp(
    _ request: OpenAppRequest, context: CallContext
  ) async throws -> OpenAppResponse {
    try Check.text(request.appId, "app_id", bytes: 1...200)
    return try await show(request.userId, context) { person, clock, _ in
      let decision = person.state.decision(on: request.appId, at: clock.now)
      return OpenAppResponse(
        isOpen: decision.reason == nil, reason: decision.reason?.message ?? .unspecified,
        mode: decision.mode.message, untilMs: decision.until?.contract)
    }
  }

  static func status(
    of person: StoredPerson, _ clock: TrustedClock, _ transaction: some Transaction
  ) throws -> Status {
    let (state, now) = (person.state, clock.now)
    let modes = Set([state.profile.mode] + state.profile.apps.compactMap(\.mode))
    let hasWindow = modes.contains(.hourlyRation) || modes.contains(.extreme)
    let missing = try person.protectionOff.map { _ in
      try Self.missing(of: person, transaction)
    }
    return Status(
      userId: person.user.text, nowMs: now.contract, isTimeTrusted: clock.isTrusted,
      unprovenMs: clock.unproven.milliseconds, mode: state.profile.mode.message,
      isLocked: state.decision(on: state.profile.mode, at: now).reason != nil,
      day: "\(state.day.date)", dayEndsMs: state.day.end.contract,
      budgetMs: state.budget.milliseconds, usedMs: state.used.milliseconds,
      leftMs: state.left.milliseconds,
      extrasLeft: UInt32(clamping: max(state.profile.extrasPerDay - state.extrasTaken, 0)),
      openUntilMs: state.openUntil?.contract,
      nextWindowMs: hasWindow ? state.nextWindow(at: now).contract : nil,
      coolDownUntilMs: state.ladder.coolDownUntil.flatMap { $0 > now ? $0.contract : nil },
      protectionOffSinceMs: person.protectionOff?.contract, missingPermissions: missing ?? [],
      pendingDueMs: state.pendingDue?.contract, passUntilMs: state.passes.openUntil?.contract,
      hasPass: !state.profile.isWithoutPass && !state.passes.isUsed && clock.isTrusted)
  }

  /// What the devices of somebody lack: `phone/overlay`.
  static func missing(
    of person: StoredPerson, _ transaction: some Transaction
  ) throws -> [String] {
    try transaction.records(
      StoredDevice.self, where: "user_id = \(person.user)", orderedBy: "device",
      limit: StoredDevice.most, under: LockBook.ownGrant
    ).flatMap { device in device.missing.split(separator: " ").map { "\(device.device)/\($0)" } }
  }
}
