import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTime
import KithWire
import LockContract
import Synchronization

@testable import UsageLockService

/// A usage lock over a store of its own, with clocks that a test moves.
final class Desk: Sendable {
  let folder: TemporaryFolder
  let store: Store
  let service: UsageLockService
  let due: DueLocks
  private let keys: SealingKeys
  private let shown: Held<ClockReading>

  /// A desk at 2026-11-22T12:00:00Z (7 in the morning in New York), on a machine that has been up
  /// for a thousand seconds.
  /// - Parameters:
  ///   - isVirtual: whether an app can be taken to be in the foreground.
  ///   - other: a desk that has the store already: the next generation of its worker.
  init(
    at time: String = "2026-11-22T12:00:00Z", settings: LockSettings? = nil,
    isVirtual: Bool = false, beside other: Desk? = nil
  ) throws {
    folder = try other?.folder ?? TemporaryFolder()
    keys = other?.keys ?? SealingKeys(worker: "usage-lock")
    store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys, migrations: LockSchema.migrations)
    let held = Held(
      other?.reading
        ?? ClockReading(wall: Instant(time)!, sinceBoot: .seconds(1_000), boot: "one"))
    shown = held
    service = try UsageLockService(
      store: store, settings: try settings ?? LockSettings(), reading: { held.value },
      simulated: isVirtual ? SimulatedForeground() : nil)
    due = service.due { _ in }
  }

  /// What the clocks show.
  var reading: ClockReading {
    get { shown.value }
    set { shown.value = newValue }
  }

  /// Lets time pass, and does nothing.
  func tick(_ seconds: Int) {
    reading.wall = reading.wall + .seconds(seconds)
    reading.sinceBoot += .seconds(seconds)
  }

  /// Sets the wall clock.
  func setWall(by seconds: Int) { reading.wall = reading.wall + .seconds(seconds) }

  /// Restarts the machine, which was off for some time and has been up for ten seconds.
  func reboot(down: Int, wallOff: Int = 0) {
    reading = ClockReading(
      wall: reading.wall + .seconds(down + wallOff + 10), sinceBoot: .seconds(10),
      boot: reading.boot + "'")
  }

  /// Does all that is due now.
  func settle() async throws {
    for _ in 0..<1_000 {
      guard let next = try await due.nextDue(), next <= reading.wall else { return }
      try await due.run()
    }
  }

  /// The context of a call by a process of this user, in the name of a person or of nobody.
  func call(as user: String? = nil, key: String? = nil) throws -> CallContext {
    CallContext(
      method: UsageLockMethods.setProfile,
      metadata: user.map { [CallContext.userKey: $0] } ?? [:], principal: .operator,
      idempotencyKey: try key.map { try IdempotencyKey($0) })
  }

  @discardableResult
  func set(
    _ mode: Mode, _ change: (inout Profile) -> Void = { _ in }
  ) async throws -> SetProfileResponse {
    var profile = Profile(
      mode: mode, apps: [GuardedApp(appId: "feed"), GuardedApp(appId: "clips")])
    change(&profile)
    return try await service.setProfile(SetProfileRequest(profile: profile), context: call())
  }

  func status() async throws -> Status {
    try await service.getStatus(GetStatusRequest(), context: call())
  }

  func open(_ app: String = "feed") async throws -> OpenAppResponse {
    try await service.openApp(OpenAppRequest(appId: app), context: call())
  }

  @discardableResult
  func unlock() async throws -> Status {
    try await service.unlock(UnlockRequest(), context: call())
  }

  /// Reports that an app was in the foreground until now.
  @discardableResult
  func use(
    _ seconds: Int, of app: String = "feed", on device: String = "phone",
    _ measure: Measure = .counted
  ) async throws -> Status {
    let sent = Int64(reading.sinceBoot.components.seconds) * 1000 + 1_000_000_000
    let length = Int64(seconds) * 1000
    return try await service.reportUse(
      ReportUseRequest(
        deviceId: device, sentMs: sent,
        uses: [
          ForegroundUse(
            appId: app, startMs: sent - length, lengthMs: length, measure: measure)
        ]), context: call())
  }

  func begin() async throws -> Challenge {
    try await service.beginChallenge(BeginChallengeRequest(), context: call())
  }

  func say(
    _ text: String, to challenge: String, isTyped: Bool = false
  ) async throws -> AnswerChallengeResponse {
    try await service.answerChallenge(
      AnswerChallengeRequest(challengeId: challenge, transcript: text, isTyped: isTyped),
      context: call())
  }

  func choose(_ choice: Choice) async throws -> Status {
    try await service.choose(ChooseRequest(choice: choice, appId: "feed"), context: call())
  }

  func activity() async throws -> [String] {
    try await service.listActivity(ListActivityRequest(), context: call()).activities.map(\.type)
  }

  /// The names of all events so far.
  func events() async throws -> [String] {
    try await store.read { try $0.events(after: EventPosition(), limit: 100_000) }.events.map {
      String($0.type.split(separator: ".").last ?? "")
    }
  }
}

/// A value that several tasks change.
final class Held<Value: Sendable>: Sendable {
  private let held: Mutex<Value>

  init(_ value: Value) { held = Mutex(value) }

  var value: Value {
    get { held.withLock(\.self) }
    set { held.withLock { $0 = newValue } }
  }
}

/// What a call was refused with; nil when it was not.
func refusal(_ body: () async throws -> some Sendable) async -> RPCError? {
  do {
    _ = try await body()
    return nil
  } catch {
    return error as? RPCError ?? (error as? any RPCErrorConvertible)?.rpcError
  }
}
