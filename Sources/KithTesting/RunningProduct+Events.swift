import EventsContract
import HostContract
import KithRPC
public import KithTime
public import KithWire
import Synchronization

/// An event that a worker has told.
public struct ToldEvent<Message: GeneratedMessage>: Sendable {
  /// Its number in the worker's log, from 1.
  public var sequence: Int64
  /// When it happened, by the product's clock.
  public var at: Instant
  /// Whom it is about; empty when it is about nobody.
  public var user: String
  /// What happened.
  public var message: Message
}

/// What workers tell.
extension RunningProduct {
  /// Waits until a worker has published an event of this type and kind, or finds that it has; the
  /// first of them.
  ///
  /// In virtual time an event that never comes is an error at once: no call of the test is in
  /// progress, all workers are ready, everything that is due has run, and the event is still not
  /// there.
  ///
  /// ```swift
  /// let sent = try await product.event(ReminderSent.self, of: "reminders") { $0.message.text == "Pills" }
  /// ```
  /// - Throws: `TestingError` if there is none, with the types of the events that there are and
  ///   when the next work is due; in real time after ``patience``.
  @discardableResult
  public func event<Message: GeneratedMessage>(
    _ type: Message.Type, of worker: String, fileID: String = #fileID, line: Int = #line,
    where isWanted: (ToldEvent<Message>) throws -> Bool = { _ in true }
  ) async throws -> ToldEvent<Message> {
    try await step(fileID, line) {
      if let due = try await dueEvent(type, of: worker, where: isWanted) { return due }
      var types: [String] = []
      do {
        return try await logs.read(of: worker, client(of: worker)) { events in
          types = events.map(\.type)
          return try Self.told(type, in: events).first(where: isWanted)
        }
      } catch let error as RPCError where error.code == .deadlineExceeded {
        throw Self.missing(type, of: worker, among: types)
      }
    }
  }

  /// The event that is there once everything that is due has run, in virtual time; nil if there is
  /// none and a call of the test may still lead to it.
  private func dueEvent<Message: GeneratedMessage>(
    _ type: Message.Type, of worker: String, where isWanted: (ToldEvent<Message>) throws -> Bool
  ) async throws -> ToldEvent<Message>? {
    guard isVirtual else { return nil }
    let before = calls.settled
    try await settle(allowsFailures: true)
    let clocks = try await clock.advance(by: .zero)
    var types: [String] = []
    let found = try await logs.read(of: worker, client(of: worker)) { events in
      types = events.map(\.type)
      return Optional(try Self.told(type, in: events).first(where: isWanted))
    }
    guard found == nil, let before, before == calls.settled else { return found }
    var error = Self.missing(type, of: worker, among: types)
    let next = clocks.nextDueMs.map { "the next work is due at \(Instant(milliseconds: Int($0)))" }
    error.message += "; everything due has run, and \(next ?? "nothing more is due")"
    throw error
  }

  private static func missing<Message: GeneratedMessage>(
    _ type: Message.Type, of worker: String, among types: [String]
  ) -> TestingError {
    let found = types.isEmpty ? "no event" : types.joined(separator: ", ")
    return TestingError("\(worker) published no such \(Message.fullName); its log holds \(found)")
  }

  /// The events of this type that a worker has told so far, the oldest first.
  public func events<Message: GeneratedMessage>(
    _ type: Message.Type, of worker: String
  ) async throws -> [ToldEvent<Message>] {
    try await logs.read(of: worker, client(of: worker)) { try Self.told(type, in: $0) }
  }

  private static func told<Message: GeneratedMessage>(
    _ type: Message.Type, in events: [Event]
  ) throws -> [ToldEvent<Message>] {
    try events.filter { $0.type == Message.fullName }.map { event in
      ToldEvent(
        sequence: event.sequence, at: Instant(milliseconds: Int(event.atMs)), user: event.userId,
        message: try Message(decoding: event.payload))
    }
  }

  /// Keeps account of the events of a type: at the end of the test no two of them may have the same
  /// key, and each key that was acknowledged must have its event.
  ///
  /// ```swift
  /// let sent = product.account(of: ReminderSent.self, by: "reminders") { $0.occurrenceID }
  /// ```
  public func account<Message: GeneratedMessage, Key: Hashable & Sendable>(
    of type: Message.Type, by worker: String, key: @escaping @Sendable (Message) -> Key
  ) -> EventAccount<Key> {
    let account = EventAccount<Key>()
    troubles.withLock { troubles in
      troubles.checks.append { product in
        let events = try await product.events(type, of: worker)
        try account.check(events.map { key($0.message) }, "\(Message.fullName) of \(worker)")
      }
    }
    return account
  }

  /// Remembers what stands in the logs that have been looked at; one whose worker is away just now
  /// is left as it was noted.
  func noteLogs() async throws {
    for worker in logs.workers {
      guard try await self.worker(worker).state == .ready else { continue }
      do {
        try await logs.read(of: worker, client(of: worker), within: .seconds(1)) { _ in () }
      } catch is RPCError {}
    }
  }

  // MARK: The end

  /// Puts right what went wrong and checks what must hold of any product whatever it suffered;
  /// ``run(_:fileID:line:_:)`` does so by itself.
  ///
  /// - In virtual time all events have been taken in by those that follow them, and no work that is
  ///   due is left or fails.
  /// - What stood in an event log when the test or a fault last looked stands there still,
  ///   unchanged, once and without a gap.
  /// - What the test keeps account of has happened once.
  ///
  /// That no process is left is checked by ``stop()``.
  /// - Throws: `TestingError` with what does not hold.
  public func checkAll() async throws {
    recoverFromAll()
    let checks = troubles.withLock(\.checks)
    guard !logs.workers.isEmpty || !checks.isEmpty else { return }
    try await settle(allowsFailures: true)
    if isVirtual { try await clock.advance(by: .zero) }
    for worker in logs.workers where try await self.worker(worker).state == .ready {
      try await logs.read(of: worker, client(of: worker)) { _ in () }
    }
    for check in checks { try await check(self) }
  }
}

/// What a test knows to have been promised, by key; see ``RunningProduct/account(of:by:key:)``.
public final class EventAccount<Key: Hashable & Sendable>: Sendable {
  private let promised = Mutex<Set<Key>>([])

  /// Notes that a worker has acknowledged this: its event must not be lost.
  public func acknowledged(_ key: Key) {
    promised.withLock { _ = $0.insert(key) }
  }

  func check(_ keys: [Key], _ what: String) throws(TestingError) {
    let told = Set(keys)
    let counts = Dictionary(keys.map { ($0, 1) }, uniquingKeysWith: +)
    if let (key, count) = counts.first(where: { $0.value > 1 }) {
      throw TestingError("\(key) stands \(count) times in the \(what)")
    }
    let lost = promised.withLock { $0.subtracting(told) }
    guard lost.isEmpty else {
      throw TestingError("acknowledged and lost, of the \(what): \(lost)")
    }
  }
}
