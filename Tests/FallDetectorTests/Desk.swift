import FallDetectorDomain
import FallsContract
import KithAccess
import KithRPC
import KithSealing
import KithStore
import KithTesting
import KithTime
import KithWire
import Synchronization

@testable import FallDetectorService

/// A fall detector over a store of its own, with clocks that a test moves.
final class Desk: Sendable {
  /// 2026-11-22T12:00:00Z
  static let noon = 1_795_348_800

  let folder: TemporaryFolder
  let store: Store
  let service: FallDetectorService
  let due: DueCases
  private let keys: SealingKeys
  private let shown: Held<ClockReading>
  private let troubles: Held<[String]>

  /// A desk at noon, on a machine that has been up for a thousand seconds.
  /// - Parameter other: a desk that has the store already: the next generation of its worker.
  init(
    settings: FallsSettings? = nil, beside other: Desk? = nil, at reading: ClockReading? = nil
  ) throws {
    folder = try other?.folder ?? TemporaryFolder()
    keys = other?.keys ?? SealingKeys(worker: "fall-detector")
    store = try Store(
      path: "\(folder.path)/store.sqlite", keys: keys, migrations: FallsSchema.migrations)
    let first =
      reading ?? other?.reading
      ?? ClockReading(wall: Instant(seconds: Self.noon), sinceBoot: .seconds(1_000), boot: "one")
    let held = Held(first)
    shown = held
    troubles = Held([])
    service = FallDetectorService(
      store: store, settings: try settings ?? FallsSettings(), clock: { held.value })
    due = service.due { [troubles] id, _ in troubles.change { $0.append(id) } }
  }

  /// What the clocks show.
  var reading: ClockReading {
    get { shown.value }
    set { shown.value = newValue }
  }
  /// The cases that could not be read.
  var unreadable: [String] { troubles.value }

  /// Lets time pass, from one thing that is due to the next.
  func pass(_ duration: Duration) async throws {
    let end = reading.sinceBoot + duration
    while true {
      try await settle()
      let left = end - reading.sinceBoot
      let next = try await due.nextDue().map { $0 - reading.wall }
      let step = min(left, next ?? left)
      guard step > .zero else { break }
      tick(step)
    }
  }

  /// Moves the clocks on, and does nothing: as while the worker is down.
  func tick(_ duration: Duration) {
    var reading = reading
    reading.wall = reading.wall + duration
    reading.sinceBoot += duration
    self.reading = reading
  }

  /// Sets the wall clock.
  func setWall(by step: Duration) {
    reading.wall = reading.wall + step
  }

  /// Does all that is due now.
  func settle() async throws {
    for _ in 0..<1_000 {
      guard let due = try await due.nextDue(), due <= reading.wall else { return }
      try await self.due.run(at: reading.wall)
    }
  }

  /// The context of a call by a process of this user, in the name of a person or of nobody.
  func call(as user: String? = nil) -> CallContext {
    CallContext(
      method: FallDetectorMethods.report,
      metadata: user.map { [CallContext.userKey: $0] } ?? [:], principal: .operator)
  }

  /// Reports an event of a device; `id` names it.
  @discardableResult
  func report(
    _ type: EventType, _ id: String, as user: String? = nil,
    _ change: (inout ReportRequest) -> Void = { _ in }
  ) async throws -> ReportResponse {
    var request = ReportRequest(eventId: id, type: type)
    change(&request)
    return try await service.report(request, context: call(as: user))
  }

  @discardableResult
  func answer(
    _ answer: WearerAnswer, _ id: String = "", as user: String? = nil
  ) async throws -> FallCase {
    try await service.answer(AnswerRequest(caseId: id, answer: answer), context: call(as: user))
  }

  func get(_ id: String, as user: String? = nil) async throws -> FallCase {
    try await service.getCase(GetCaseRequest(id: id), context: call(as: user))
  }

  /// All cases, the latest first.
  func cases(as user: String? = nil) async throws -> [FallCase] {
    try await service.listCases(ListCasesRequest(), context: call(as: user)).cases
  }

  /// All events so far, in short, with the seconds since noon at which the log has them.
  func events() async throws -> [String] {
    let page = try await store.read { try $0.events(after: EventPosition(), limit: 100_000) }
    return try page.events.map { event in
      let at = Double(event.atMilliseconds - Int64(Self.noon) * 1000) / 1000
      let seconds = at == at.rounded() ? "\(Int(at))" : "\(at)"
      switch event.type {
      case FallSuspected.fullName: return "suspected at \(seconds)"
      case FallAlerted.fullName:
        return "\(try FallAlerted(decoding: event.payload).cause) at \(seconds)"
      case FallResolved.fullName:
        let resolved = try FallResolved(decoding: event.payload)
        let told = resolved.wasAlerted ? " all-clear" : ""
        return "\(resolved.resolution.name ?? "")\(told) at \(seconds)"
      default: return event.type
      }
    }
  }

  /// Sends batches on one stream; answers them.
  @discardableResult
  func watch(_ batches: [SampleBatch], as user: String? = nil) async throws -> [WatchResponse] {
    let left = Held(batches[...])
    let answers = Held<[WatchResponse]>([])
    try await service.watch(
      RequestStream { () async throws(RPCError) in left.change { $0.popFirst() } },
      responses: ResponseWriter { answer async throws(RPCError) in
        answers.change { $0.append(answer) }
      }, context: call(as: user))
    return answers.value
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

  func change<Answer: Sendable>(_ body: (inout Value) -> Answer) -> Answer {
    held.withLock { body(&$0) }
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
