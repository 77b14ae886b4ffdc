import AlertsContract
import DeliveryContract
import FallsContract
import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTime
import KithTransportInProcess
import KithWire
import RemindersContract
import Synchronization

@testable import FamilyAlertsService

/// The alerts worker without its process: a store of its own, clocks that a test moves, and a
/// delivery worker that does what the test says.
final class Desk: Sendable {
  /// 2026-11-23T20:05:00Z, a Monday: 3:05 PM in New York.
  static let begin = Instant(seconds: 1_795_464_300)

  let store: Store
  let service: FamilyAlertsService
  let due: DueAlerts
  let delivery: RecordingDelivery
  private let folder: TemporaryFolder
  private let keys: SealingKeys
  private let clocks: Clocks
  private let server: RPCServer
  private let client: RPCClient
  private let sending: Task<Void, Never>

  /// What the clocks show; shared by the generations of a worker.
  final class Clocks: Sendable {
    let shown = Mutex((wall: Desk.begin, sinceBoot: Duration.seconds(5000)))

    func pass(_ length: Duration) {
      shown.withLock { $0 = ($0.wall + length, $0.sinceBoot + length) }
    }
  }

  /// A desk.
  /// - Parameters:
  ///   - other: a desk whose store, clocks and delivery worker it shares: the next generation of
  ///     its worker.
  ///   - waits: whether a run ends only when all that it began has an answer.
  init(
    settings: AlertsSettings? = nil, after other: Desk? = nil, waits: Bool = true,
    boot: String = "boot"
  ) async throws {
    folder = try other?.folder ?? TemporaryFolder()
    keys = other?.keys ?? SealingKeys(worker: "family-alerts")
    let (clocks, delivery) = (other?.clocks ?? Clocks(), other?.delivery ?? RecordingDelivery())
    (self.clocks, self.delivery) = (clocks, delivery)
    store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys, migrations: AlertsSchema.migrations)
    let transport = InProcessTransport()
    server = RPCServer(services: [.delivery(delivery)], authorize: { _ in true })
    try server.start(on: transport.listener)
    client = RPCClient(connector: transport.connector)
    service = try await FamilyAlertsService.opened(
      store: store,
      time: try await AlertsTime.resumed(
        in: store, boot: boot, sinceBoot: { clocks.shown.withLock(\.sinceBoot) },
        wall: { clocks.shown.withLock(\.wall) }),
      settings: try settings ?? AlertsSettings(), delivery: client)
    let due = service.dueAlerts(waitsForResults: waits) { _, _ in }
    self.due = due
    sending = Task { await due.send() }
  }

  deinit { close() }

  /// Ends the generation, as its process would.
  func close() {
    sending.cancel()
    client.close()
    server.close()
  }

  // MARK: - Time

  var wall: Instant { clocks.shown.withLock(\.wall) }

  /// Sets the wall clock.
  func step(wallBy length: Duration) { clocks.shown.withLock { $0.wall = $0.wall + length } }

  /// Lets time pass without anything being done.
  func wait(_ length: Duration) { clocks.pass(length) }

  /// Does all that is due.
  func settle() async throws {
    while let next = try await due.nextDue(), next <= wall { try await due.run() }
  }

  /// Lets time pass from one thing that is due to the next.
  func pass(_ length: Duration) async throws {
    var left = length
    while let next = try await due.nextDue(), next - wall <= left {
      let part = max(next - wall, .zero)
      clocks.pass(part)
      left -= part
      try await settle()
    }
    clocks.pass(left)
  }

  // MARK: - Calls

  func call(
    as user: String? = nil, _ method: MethodDescriptor = AlertsMethods.raiseIncident,
    key: String? = nil
  ) throws -> CallContext {
    CallContext(
      method: method, metadata: user.map { [CallContext.userKey: $0] } ?? [:],
      principal: .operator, idempotencyKey: try key.map { try IdempotencyKey($0) })
  }

  /// Adds a contact of somebody: with a mail address, unless told.
  @discardableResult
  func add(
    _ name: String, _ addresses: [Address] = [], of user: String = "", priority: UInt32 = 0,
    familyUser: String = "", quiet: QuietRule? = nil, digest: Bool = false
  ) async throws -> Contact {
    try await service.addContact(
      AddContactRequest(
        userId: user, name: name, addresses: addresses,
        email: addresses.isEmpty ? "\(name)@example.com" : "", priority: priority,
        quietRule: quiet, familyUserId: familyUser, hasConsented: true, wantsDigest: digest),
      context: call())
  }

  /// Raises an incident.
  @discardableResult
  func raise(
    _ key: String = "fall/1", _ kind: IncidentKind = .fall, of user: String = "",
    summary: String = ""
  ) async throws -> Incident {
    try await service.raiseIncident(
      RaiseIncidentRequest(userId: user, dedupeKey: key, kind: kind, summary: summary),
      context: call())
  }

  func get(_ id: String) async throws -> Incident {
    try await service.getIncident(GetIncidentRequest(id: id), context: call())
  }

  /// The token of the last message to an address.
  func token(to address: String) throws -> String {
    let body = delivery.sent.last { $0.address?.value == address }?.content?.body ?? ""
    return body.split(separator: " ").last.map(String.init) ?? ""
  }

  @discardableResult
  func acknowledge(token: String) async throws -> AcknowledgeResponse {
    try await service.acknowledge(AcknowledgeRequest(token: token), context: call())
  }

  // MARK: - Events

  /// Has a projection take an event of another worker, about a person.
  func take(
    _ message: some GeneratedMessage, by projection: some Projection, about user: String? = "me",
    ago: Duration = .zero
  ) async throws {
    let event = LoggedEvent(
      sequence: 1, type: type(of: message).fullName,
      atMilliseconds: Int64((wall - ago).milliseconds), user: user.flatMap(UserID.init),
      payload: try message.encoded())
    try await store.write { try projection.apply(event, in: $0) }
  }

  /// The names of all events so far, in order.
  func events() async throws -> [String] {
    try await store.read { try $0.events(after: EventPosition(), limit: 100_000) }.events.map {
      $0.type.split(separator: ".").last.map(String.init) ?? ""
    }
  }

  /// The last event of a type.
  func last<Message: GeneratedMessage>(_ type: Message.Type) async throws -> Message? {
    let page = try await store.read { try $0.events(after: EventPosition(), limit: 100_000) }
    return try page.events.last { $0.type == type.fullName }.map {
      try Message(decoding: $0.payload)
    }
  }

  /// To which addresses messages went, in order.
  var told: [String] { delivery.sent.map { $0.address?.value ?? "" } }
}

extension Address {
  static func push(_ token: String) -> Address { Address(channel: .push, value: token) }
  static func sms(_ number: String) -> Address { Address(channel: .sms, value: number) }
  static func email(_ address: String) -> Address { Address(channel: .email, value: address) }
}

/// The status that a body fails with; nil if it does not.
func code(_ body: () async throws -> some Sendable) async -> StatusCode? {
  do {
    _ = try await body()
    return nil
  } catch {
    return (error as? RPCError)?.code ?? .unknown
  }
}
