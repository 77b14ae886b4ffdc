import DeliveryContract
import DeliveryDomain
import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTime
import KithWire
import Synchronization

@testable import DeliveryService

/// A service of deliveries over a store of its own, with a clock that a test moves and providers
/// that it scripts.
final class PostOffice: Sendable {
  let folder: TemporaryFolder
  let store: Store
  let service: DeliveryService
  let provider: ScriptedProvider
  private let keys: SealingKeys
  private let time: Clock

  /// - Parameter other: an office that has the store already: the next process of its worker.
  init(
    _ channels: [MessageChannel] = MessageChannel.allCases,
    provider: ScriptedProvider = ScriptedProvider(), real: ProviderSet? = nil,
    mostAttempts: Int = 16, rates: [String] = [], beside other: PostOffice? = nil
  ) throws {
    folder = try other?.folder ?? TemporaryFolder()
    keys = other?.keys ?? SealingKeys(worker: "delivery")
    self.provider = provider
    store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys, migrations: DeliverySchema.migrations)
    let clock = Clock(other?.now ?? Instant(seconds: 1_000_000))
    time = clock
    service = DeliveryService(
      store: store, settings: try DeliverySettings(mostAttempts: mostAttempts, rates: rates),
      providers: real
        ?? ProviderSet(Dictionary(uniqueKeysWithValues: channels.map { ($0, [provider]) })),
      now: { clock.now }, random: { 0.5 })
  }

  private final class Clock: Sendable {
    private let value: Mutex<Instant>
    init(_ now: Instant) { value = Mutex(now) }
    var now: Instant {
      get { value.withLock(\.self) }
      set { value.withLock { $0 = newValue } }
    }
  }

  /// What the clock shows.
  var now: Instant { time.now }

  /// Moves the clock, and does all that is due then.
  func pass(_ duration: Duration) async throws {
    time.now = time.now + duration
    try await settle()
  }

  /// Does all that is due; answers in how many runs.
  @discardableResult
  func settle() async throws -> Int {
    var runs = 0
    var isDone = false
    while !isDone {
      isDone = true
      for attempts in service.attempts {
        guard let due = try await attempts.nextDue(), due <= now else { continue }
        try await attempts.run(at: now)
        (isDone, runs) = (false, runs + 1)
      }
      if let due = try await service.housekeeping.nextDue(), due <= now {
        try await service.housekeeping.run(at: now)
        (isDone, runs) = (false, runs + 1)
      }
      guard runs < 10_000 else { throw TestingError("work is due over and over") }
    }
    return runs
  }

  /// The context of a call by a process of this user, in the name of a person or of nobody.
  func call(as user: String? = nil) -> CallContext {
    CallContext(
      method: DeliveryMethods.send, metadata: user.map { [CallContext.userKey: $0] } ?? [:],
      principal: .operator)
  }

  /// Sends a message.
  @discardableResult
  func send(
    _ key: String, _ channel: Channel = .push, to address: String = "abcd",
    retry: Retry = .bySender,
    collapse: String = "", user: String = "ada", body: String = "Hello",
    priority: Priority = .normal, life: UInt64 = 0
  ) async throws -> SendResponse {
    try await service.send(
      SendRequest(
        dedupeKey: key, userId: user, address: Address(channel: channel, value: address),
        content: Content(title: "Title", body: body), collapseId: collapse, priority: priority,
        timeToLiveMs: life, retry: retry), context: call())
  }

  func message(_ key: String) async throws -> Message {
    try await service.getMessage(
      GetMessageRequest(id: MessageDraft.id(of: key)), context: call())
  }

  /// All events so far, in short: `HANDED_OVER key`.
  func events() async throws -> [String] {
    let page = try await store.read { try $0.events(after: EventPosition(), limit: 100_000) }
    return try page.events.map { event in
      switch event.type {
      case MessageChanged.fullName:
        let changed = try MessageChanged(decoding: event.payload)
        return "\(changed.state.name ?? "") \(changed.dedupeKey)"
      case ReplyReceived.fullName:
        let reply = try ReplyReceived(decoding: event.payload)
        return "reply \(reply.text) to \(reply.dedupeKey)"
      case ConsentChanged.fullName:
        return try ConsentChanged(decoding: event.payload).isWanted ? "wanted" : "unwanted"
      default: return event.type
      }
    }
  }
}
