import DeliveryContract
import DeliveryDomain
import KithAccess
import KithRPC
import KithStore
import KithTime
import Synchronization

/// The durable outbox: takes messages, makes attempts under leases, and writes down what became of
/// them.
///
/// An attempt is three steps: a transaction that leases the row, the provider, and a transaction
/// that notes the outcome under the same lease. Between the first and the last the message may be
/// on its way, and a process that ends there leaves it unknown.
final class Outbox: Sendable {
  /// The worker's own right to all records.
  static let ownGrant = Access(of: .product).grantAll(.own)

  let store: Store
  let now: @Sendable () -> Instant
  private let changed: @Sendable () -> Void
  private let random: @Sendable () -> Double
  private let gate: ProviderGate
  private let configuration: Mutex<Configuration>
  private let paces = Mutex<[String: SendingPace]>([:])
  private let underWay = Mutex<[String: Attempt]>([:])
  private let windows = Mutex<[String: AttemptWindow]>([:])

  /// What can change while the worker runs.
  struct Configuration: Sendable {
    var providers: ProviderSet
    /// The most attempts a second, by provider.
    var rates: [String: Int]
    var contentLife: Duration

    init(_ settings: DeliverySettings, _ providers: ProviderSet) {
      (self.providers, rates, contentLife) = (providers, settings.rates, settings.contentLife)
    }
  }

  init(
    store: Store, configuration: Configuration, mostAttempts: Int,
    now: @escaping @Sendable () -> Instant, random: @escaping @Sendable () -> Double,
    changed: @escaping @Sendable () -> Void
  ) {
    self.store = store
    self.now = now
    self.random = random
    self.changed = changed
    gate = ProviderGate(most: mostAttempts)
    self.configuration = Mutex(configuration)
  }

  var providers: ProviderSet { configuration.withLock(\.providers) }

  // MARK: Taking

  /// Takes a message into the outbox, in a transaction.
  /// - Returns: its row, which is refused where no provider would take it.
  func accept(
    _ draft: MessageDraft, at now: Instant, in transaction: WriteTransaction
  ) throws -> StoredMessage {
    let provider = providers.provider(of: draft.channel, hint: draft.providerHint)
    var row = draft.stored(provider: provider?.name ?? "", at: now)
    let earlier = try row.order.map { try pending($0, transaction) } ?? []
    // Those that keep an order are told apart by when they were accepted.
    if let last = earlier.last, last.acceptedAt >= now {
      row.acceptedAt = last.acceptedAt + .milliseconds(1)
    }
    row.wipeAt = wipeTime(of: row)
    try transaction.save(row, under: Self.ownGrant)
    let failure: AttemptOutcome.Failure? =
      if let provider {
        row.outbound.flatMap(provider.problem).map { .init(.malformed, $0) }
      } else {
        .init(.noProvider, "no provider is configured for \(draft.channel.rawValue)")
      }
    if let failure {
      try change(&row, draft.traceparent, transaction) { $0.refuse(failure, at: now) }
    } else {
      try keepOrder(&row, behind: earlier, transaction)
    }
    return row
  }

  /// Has a message wait for those before it with the same collapse id. Of pushes the later takes
  /// the place of the earlier instead, when it is attempted.
  private func keepOrder(
    _ row: inout StoredMessage, behind earlier: [StoredMessage], _ transaction: WriteTransaction
  ) throws {
    guard !row.replacesEarlier, row.entry.retries == .byWorker,
      earlier.contains(where: { $0.entry.state != .unknown || $0.entry.nextAttempt != nil })
    else { return }
    try change(&row, "", transaction) { $0.hold() }
  }

  /// Ends those that a later push takes the place of.
  private func supersede(before row: StoredMessage, _ transaction: WriteTransaction) throws {
    guard row.replacesEarlier, let order = row.order else { return }
    let now = now()
    for var old in try pending(order, transaction)
    where (old.acceptedAt, old.id) < (row.acceptedAt, row.id) && old.entry.nextAttempt != nil {
      try change(&old, "", transaction) { $0.supersede(at: now) }
    }
  }

  /// Those of an order that the outbox has still to hand over, or tries again by itself.
  private func pending(
    _ order: String, _ transaction: WriteTransaction
  ) throws -> [StoredMessage] {
    let index = transaction.index(of: order, in: StoredMessage.self, "order_index")
    return try transaction.records(
      StoredMessage.self,
      where: """
        order_index = \(index) AND retries = \(OutboxEntry.Retries.byWorker)
        AND state IN \([OutboxState.waiting, .attempting, .unknown])
        """, orderedBy: "accepted_at_ms, id", limit: 100, under: Self.ownGrant)
  }

  // MARK: Attempts

  /// What an attempt is made for.
  enum Job: Sendable {
    /// A message that may be new.
    case draft(MessageDraft)
    /// A row.
    case row(StoredMessage)

    var id: String {
      switch self {
      case .draft(let draft): draft.id
      case .row(let row): row.id
      }
    }
  }

  /// An attempt that is under way in this process.
  private final class Attempt: Sendable {
    struct State {
      var work: Task<StoredMessage, any Error>?
      var delivery: Task<AttemptOutcome, Never>?
      var isGivenUp = false
    }
    let state = Mutex(State())
  }

  /// Makes an attempt and answers the row that it left; joins one that is under way.
  ///
  /// The attempt goes on when the caller's task is cancelled: what became of it is to be written
  /// down.
  /// - Throws: CANCELLED when it was given up before it began.
  func attempt(_ job: Job) async throws -> StoredMessage {
    let work = underWay.withLock { underWay in
      if let work = underWay[job.id]?.state.withLock(\.work) { return work }
      let attempt = Attempt()
      let work = Task {
        // Waits for the lock that is held here, and so finds the attempt.
        defer { _ = self.underWay.withLock { $0.removeValue(forKey: job.id) } }
        return try await self.make(job, attempt)
      }
      attempt.state.withLock { $0.work = work }
      underWay[job.id] = attempt
      return work
    }
    return try await work.value
  }

  private func make(_ job: Job, _ attempt: Attempt) async throws -> StoredMessage {
    let (channel, hint, urgency, retries, user, order):
      (
        MessageChannel, String, Urgency, OutboxEntry.Retries, UserID, String?
      ) =
        switch job {
        case .draft(let draft):
          (
            draft.channel, draft.providerHint, draft.urgency, draft.retries, draft.user,
            draft.collapseID.isEmpty
              ? nil : "\(draft.channel.rawValue)\n\(draft.address)\n\(draft.collapseID)"
          )
        case .row(let row):
          (
            row.channel, row.providerHint, row.urgency, row.entry.retries, row.user,
            row.order
          )
        }
    let lane = providers.provider(of: channel, hint: hint)?.name ?? ""
    // Of equal urgency those come first whose sender waits for the answer.
    let rank = urgency.rawValue * 2 + (retries == .bySender ? 1 : 0)
    return try await gate.pass(lane: lane, rank: rank, person: user.text, order: order) {
      try await self.makeInTurn(job, attempt)
    }
  }

  /// Leases the row, calls the provider, and notes the outcome.
  private func makeInTurn(_ job: Job, _ attempt: Attempt) async throws -> StoredMessage {
    guard !attempt.state.withLock(\.isGivenUp) else {
      throw RPCError(.cancelled, "the message was given up")
    }
    let lease = Self.newLease()
    let claimed = try await store.write { transaction in
      try self.claim(job, lease: lease, in: transaction)
    }
    guard claimed.entry.lease == lease else { return claimed }
    let begun = now()
    guard let message = claimed.outbound else {
      return try await finish(
        claimed, .refused(.malformed, "its address or content can be read no more"),
        begun: begun, repeatsAreOne: false)
    }
    guard let provider = providers.provider(named: claimed.provider, of: claimed.channel) else {
      return try await finish(
        claimed, .refused(.noProvider, "no provider is configured for \(claimed.channel.rawValue)"),
        begun: begun, repeatsAreOne: false)
    }
    // A task of its own, because giving up cancels the provider's call and not what follows.
    let delivery = Task { await provider.deliver(message) }
    let isGivenUp = attempt.state.withLock { state in
      state.delivery = delivery
      return state.isGivenUp
    }
    if isGivenUp { delivery.cancel() }
    let outcome = await delivery.value
    windows.withLock {
      $0[Self.windowKey(claimed.channel, claimed.provider), default: AttemptWindow()]
        .add(failed: !outcome.isAccepted, at: now())
    }
    return try await finish(
      claimed, outcome, begun: begun, repeatsAreOne: provider.makesRepeatsOne(message))
  }

  private static func newLease() -> String {
    let digits = String(UInt64.random(in: .min ... .max), radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }

  /// Leases a row if an attempt may begin; takes the message first when it is new.
  private func claim(
    _ job: Job, lease: String, in transaction: WriteTransaction
  ) throws -> StoredMessage {
    let now = now()
    let known = try transaction.record(
      StoredMessage.self, id: job.id, under: Self.ownGrant, markingDamage: true)
    var row: StoredMessage
    switch (known, job) {
    case (let known?, _): row = known
    case (nil, .draft(let draft)): row = try accept(draft, at: now, in: transaction)
    case (nil, .row(let gone)): return gone
    }
    // One that waits for others before it is not to begin.
    if row.entry.retries == .byWorker, row.entry.state == .waiting, row.entry.nextAttempt == nil {
      return row
    }
    // The configuration may be another since it was taken.
    row.provider = providers.provider(of: row.channel, hint: row.providerHint)?.name ?? row.provider
    try supersede(before: row, transaction)
    let traceparent = if case .draft(let draft) = job { draft.traceparent } else { "" }
    let mayBegin = row.entry.state == .waiting || row.entry.state == .unknown
    if mayBegin, now < row.entry.expiresAt, let free = pace(of: row.provider, at: now) {
      try change(&row, traceparent, transaction) { $0.putOff(until: free, because: Self.tooMany) }
    } else {
      try change(&row, traceparent, transaction) { _ = $0.begin(lease: lease, at: now) }
    }
    return row
  }

  private static let tooMany = AttemptOutcome.Failure(
    .rateLimited, "its provider may not be called more often")

  /// How often a provider may be called now; nil for any number.
  func room(of provider: String, at now: Instant) -> Int? {
    guard let rate = configuration.withLock({ $0.rates[provider] }) else { return nil }
    return paces.withLock { ($0[provider] ?? SendingPace(perSecond: rate)).room(at: now) }
  }

  /// Takes the right to call a provider; answers when to ask again where it may not be called yet.
  private func pace(of provider: String, at now: Instant) -> Instant? {
    guard let rate = configuration.withLock({ $0.rates[provider] }) else { return nil }
    return paces.withLock { paces in
      var pace = paces[provider] ?? SendingPace(perSecond: rate)
      if pace.perSecond != rate { pace = SendingPace(perSecond: rate) }
      defer { paces[provider] = pace }
      return pace.take(at: now)
    }
  }

  /// Notes an outcome.
  private func finish(
    _ claimed: StoredMessage, _ outcome: AttemptOutcome, begun: Instant, repeatsAreOne: Bool
  ) async throws -> StoredMessage {
    let (now, random) = (now(), random())
    guard let lease = claimed.entry.lease else { return claimed }
    let row = try await store.write { transaction in
      guard
        var row = try transaction.record(
          StoredMessage.self, id: claimed.id, under: Self.ownGrant, markingDamage: true)
      else { return claimed }
      try self.change(&row, "", transaction) {
        $0.finish(outcome, lease: lease, at: now, random: random, repeatsAreOne: repeatsAreOne)
      }
      if case .refused(let failure, let goneSince) = outcome, let address = row.address?.intact {
        try Registry(transaction: transaction, now: now).note(
          failure.kind, at: address, row, before: goneSince ?? begun)
      }
      return row
    }
    changed()
    return row
  }

  // MARK: Giving up

  /// Gives a message up, once no attempt is under way.
  /// - Returns: its row; nil when there is none.
  func cancel(_ id: String, traceparent: String) async throws -> StoredMessage? {
    if let attempt = underWay.withLock({ $0[id] }) {
      let (work, delivery) = attempt.state.withLock { state in
        state.isGivenUp = true
        return (state.work, state.delivery)
      }
      delivery?.cancel()
      _ = try? await work?.value
    }
    let now = now()
    let row = try await store.write { transaction -> StoredMessage? in
      guard
        var row = try transaction.record(
          StoredMessage.self, id: id, under: Self.ownGrant, markingDamage: true)
      else { return nil }
      try self.change(&row, traceparent, transaction) { $0.cancel(at: now) }
      return row
    }
    changed()
    return row
  }

  // MARK: Writing down

  /// Changes an entry, and writes what follows: the row, the event, and the turn of the next that
  /// waits for it.
  func change(
    _ row: inout StoredMessage, _ traceparent: String, _ transaction: WriteTransaction,
    _ body: (inout OutboxEntry) -> Void
  ) throws {
    let before = row
    body(&row.entry)
    guard row.entry != before.entry else { return }
    if before.wipeAt != nil { row.wipeAt = wipeTime(of: row) }
    try transaction.update(row, columns: StoredMessage.changing, under: Self.ownGrant)
    let shown = (DeliveryState(before.entry.state), DeliveryState(row.entry.state))
    guard shown.0 != shown.1 else { return }
    try transaction.append(
      row.changed, about: row.user, at: now().contract, traceparent: traceparent)
    if row.entry.state.isFinal || row.entry.state == .unknown && row.entry.nextAttempt == nil {
      try release(after: row, transaction)
    }
  }

  /// Lets the next begin that waits for a message that has come to its end.
  private func release(after row: StoredMessage, _ transaction: WriteTransaction) throws {
    guard let order = row.order else { return }
    let index = transaction.index(of: order, in: StoredMessage.self, "order_index")
    let next = try transaction.records(
      StoredMessage.self,
      where: """
        order_index = \(index) AND retries = \(OutboxEntry.Retries.byWorker)
        AND state = \(OutboxState.waiting)
        """, orderedBy: "accepted_at_ms, id", limit: 1, under: Self.ownGrant)
    guard var next = next.first, next.entry.nextAttempt == nil else { return }
    let now = now()
    try change(&next, "", transaction) { $0.release(at: now) }
  }

  private func wipeTime(of row: StoredMessage) -> Instant {
    (row.entry.endedAt ?? row.entry.expiresAt) + configuration.withLock(\.contentLife)
  }

  // MARK: Configuration and figures

  /// Goes by these from now on.
  func use(_ configuration: Configuration) {
    self.configuration.withLock { $0 = configuration }
    changed()
  }

  /// The attempts of the last 15 minutes.
  func counts(of channel: MessageChannel, _ provider: String) -> (attempts: Int, failures: Int) {
    windows.withLock {
      $0[Self.windowKey(channel, provider), default: AttemptWindow()].counts(at: now())
    }
  }

  private static func windowKey(_ channel: MessageChannel, _ provider: String) -> String {
    "\(channel.rawValue)/\(provider)"
  }

  /// Has due work look again.
  func wake() { changed() }
}

extension Outbox {
  /// How many rows are written in one transaction.
  static let batch = 200

  /// Turns what was being attempted into unknown. To be called before anything else, in a process
  /// that is the only one of its worker: what is leased then was leased by one that is gone.
  func recover() async throws {
    while try await recoverSome() == Self.batch {}
  }

  private func recoverSome() async throws -> Int {
    let (now, random) = (now(), random())
    return try await store.write { transaction in
      let rows = try transaction.records(
        StoredMessage.self, where: "lease IS NOT NULL", orderedBy: "id", limit: Self.batch,
        under: Self.ownGrant)
      for var row in rows {
        let provider = self.providers.provider(named: row.provider, of: row.channel)
        let repeatsAreOne = row.outbound.flatMap { provider?.makesRepeatsOne($0) } ?? false
        try self.change(&row, "", transaction) {
          $0.interrupt(at: now, random: random, repeatsAreOne: repeatsAreOne)
        }
      }
      return rows.count
    }
  }
}
