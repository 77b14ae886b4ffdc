public import DeliveryContract
import DeliveryDomain
import KithAccess
import KithAccessStore
import KithJSON
public import KithRPC
public import KithStore
public import KithTime
import Synchronization

/// Deliveries behind their contract. No error or log repeats an address or a content.
public final class DeliveryService: DeliveryHandler {
  let outbox: Outbox
  private let settings: Mutex<DeliverySettings>

  var store: Store { outbox.store }

  /// A service over a store with the tables of ``DeliverySchema``.
  /// - Parameters:
  ///   - now: what the wall clock shows.
  ///   - random: numbers from 0 to 1, for the pauses between attempts.
  ///   - changed: is called when what is due next may be another.
  public init(
    store: Store, settings: DeliverySettings, providers: ProviderSet,
    now: @escaping @Sendable () -> Instant,
    random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
    changed: @escaping @Sendable () -> Void = {}
  ) {
    self.settings = Mutex(settings)
    outbox = Outbox(
      store: store, configuration: Outbox.Configuration(settings, providers),
      mostAttempts: settings.mostAttempts, now: now, random: random, changed: changed)
  }

  /// What the worker serves.
  public var definition: ServiceDefinition { .delivery(self) }

  /// The attempts that are made by themselves, by channel.
  public var attempts: [DueAttempts] {
    MessageChannel.allCases.map { DueAttempts(outbox: outbox, channel: $0) }
  }

  /// What time alone does.
  public var housekeeping: Housekeeping { Housekeeping(outbox: outbox) }

  /// The reminders that are delivered.
  public var reminders: ReminderDeliveries { ReminderDeliveries(outbox: outbox) }

  /// Notes what an earlier process left under way. To be called before anything is served, in a
  /// process that is the only one of its worker.
  public func recover() async throws { try await outbox.recover() }

  /// Goes by these settings from now on.
  public func use(_ settings: DeliverySettings, _ providers: ProviderSet) {
    self.settings.withLock { $0 = settings }
    outbox.use(Outbox.Configuration(settings, providers))
  }

  // MARK: Whose

  /// Whom a request is about: whom it names, else the caller; the person of the configuration where
  /// that is the product.
  func subject(_ name: String, _ context: CallContext) throws(RPCError) -> UserID {
    guard name.isEmpty else {
      guard let user = UserID(name) else { throw .noUserID(field: "user_id") }
      return user
    }
    switch context.caller {
    case .user(let user): return user
    case .product: return settings.withLock(\.person)
    case .worker(let name):
      throw .invalidArgument(field: "user_id", "expected a person: \(name) calls in its own name")
    case .stranger: throw RPCError(.permissionDenied, "the caller has not shown who it is")
    }
  }

  /// What the caller may do to the records of these people.
  ///
  /// Workers send about people by themselves, when an alert or a reminder is due and nobody calls;
  /// which of them may is what a product's manifests say.
  func access(_ context: CallContext, _ transaction: some Transaction) throws -> Access {
    if case .worker = context.caller { return Access(of: .product) }
    return try transaction.access(of: context.caller)
  }

  func allow(
    _ action: Access.Action, on user: UserID, _ context: CallContext,
    _ transaction: some Transaction
  ) throws -> Access.Grant {
    do {
      return try access(context, transaction).grant(action, on: user)
    } catch let denial as Access.Denial {
      throw RPCError(denial)
    }
  }

  // MARK: Sending

  /// Takes a message and makes one attempt.
  public func send(_ request: SendRequest, context: CallContext) async throws -> SendResponse {
    let user = try subject(request.userId, context)
    let draft = try MessageDraft(
      request, user: user, traceparent: context.traceparent, at: outbox.now())
    let known = try await store.read { transaction in
      _ = try self.allow(.change, on: user, context, transaction)
      let known = try transaction.record(
        StoredMessage.self, id: draft.id, under: Outbox.ownGrant, markingDamage: true)
      if let known { _ = try self.allow(.read, on: known.user, context, transaction) }
      return known
    }
    if let known, !known.mayBeSent { return SendResponse(message: known.message, isRepeat: true) }
    let row = try await outbox.attempt(.draft(draft))
    return SendResponse(message: row.message, isRepeat: known != nil)
  }

  /// Gives a message up.
  public func cancel(_ request: CancelRequest, context: CallContext) async throws -> Message {
    let key = try MessageDraft.checkedKey(request.dedupeKey)
    let id = MessageDraft.id(of: key)
    let known = try await store.read { transaction in
      let known = try transaction.record(
        StoredMessage.self, id: id, under: Outbox.ownGrant, markingDamage: true)
      if let known { _ = try self.allow(.change, on: known.user, context, transaction) }
      return known
    }
    // One that is not there yet may be on its way into the outbox.
    guard
      let row = try await outbox.cancel(id, traceparent: context.traceparent) ?? known
    else { throw Self.notFound }
    return row.message
  }

  private static let notFound = RPCError(
    .notFound, "there is no such message, or it is not one of the caller's")

  // MARK: Reading

  /// One message.
  public func getMessage(
    _ request: GetMessageRequest, context: CallContext
  ) async throws -> Message {
    try await store.read { transaction in
      let visible = try self.access(context, transaction).grantAll(.read)
      guard
        let row = try transaction.record(
          StoredMessage.self, id: request.id, under: visible, markingDamage: true)
      else { throw Self.notFound }
      return row.message
    }
  }

  /// Messages about a person.
  public func listMessages(
    _ request: ListMessagesRequest, context: CallContext
  ) async throws -> ListMessagesResponse {
    let user = try subject(request.userId, context)
    guard request.pageSize <= 200 else {
      throw RPCError.invalidArgument(field: "page_size", "expected up to 200, or 0 for 50")
    }
    let size = request.pageSize == 0 ? 50 : Int(request.pageSize)
    let place = try MessagePlace(token: request.pageToken)
    return try await store.read { transaction in
      let grant = try self.allow(.read, on: user, context, transaction)
      let page = try transaction.page(
        of: StoredMessage.self,
        where: "user_id = \(user) AND state IN \(request.state.stored)",
        by: ["accepted_at_ms", "id"], descending: true, after: place?.values, limit: size,
        under: grant)
      return ListMessagesResponse(
        messages: page.records.map(\.message),
        nextPageToken: page.next == nil ? "" : page.records.last.map(MessagePlace.init)?.token ?? ""
      )
    }
  }

  /// The channels and what their providers have done of late.
  public func listChannels(
    _ request: ListChannelsRequest, context: CallContext
  ) async throws -> ListChannelsResponse {
    let waiting = try await store.read { transaction in
      try MessageChannel.allCases.map { channel in
        try transaction.count(
          of: StoredMessage.self,
          where: "channel = \(channel) AND state = \(literal: OutboxState.waiting)",
          under: Outbox.ownGrant)
      }
    }
    let counts = Dictionary(uniqueKeysWithValues: zip(MessageChannel.allCases, waiting))
    return ListChannelsResponse(
      channels: outbox.providers.all.map { channel, provider in
        let (attempts, failures) = outbox.counts(of: channel, provider)
        return ChannelStatus(
          channel: Channel(channel), provider: provider,
          waitingCount: UInt32(clamping: counts[channel] ?? 0),
          attemptCount: UInt32(clamping: attempts), failureCount: UInt32(clamping: failures),
          isFailing: AttemptWindow.isFailing(attempts: attempts, failures: failures))
      })
  }

  /// Channels of which more than 2 % of 20 attempts or more failed in the last 15 minutes, by name.
  public var failingChannels: [String] {
    outbox.providers.all.compactMap { channel, provider in
      let (attempts, failures) = outbox.counts(of: channel, provider)
      return AttemptWindow.isFailing(attempts: attempts, failures: failures)
        ? "\(channel.rawValue) by \(provider)" : nil
    }
  }
}

/// The place behind which a page of messages begins.
struct MessagePlace {
  private let acceptedAt: Int64
  private let id: String

  init(_ row: StoredMessage) { (acceptedAt, id) = (row.acceptedAt.contract, row.id) }

  /// The place of a token; nil for the first page.
  init?(token: String) throws(RPCError) {
    if token.isEmpty { return nil }
    let parts = token.split(separator: "_", maxSplits: 1)
    guard parts.count == 2, token.utf8.count < 100, let time = Int64(parts[0]) else {
      throw .invalidArgument(
        field: "page_token", "expected the next_page_token of the page before")
    }
    (acceptedAt, id) = (time, String(parts[1]))
  }

  var values: [StoreValue] { [.integer(acceptedAt), .text(id)] }
  var token: String { "\(acceptedAt)_\(id)" }
}

extension StoredMessage {
  /// Whether a further call with its key may make an attempt.
  var mayBeSent: Bool {
    switch entry.state {
    case .attempting: true  // It joins the attempt.
    case .waiting: entry.retries == .bySender
    case .unknown: entry.nextAttempt == nil
    case .handedOver, .delivered, .refused, .expired, .cancelled: false
    }
  }
}
