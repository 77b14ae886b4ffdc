import EventsContract
import KithAccess
import KithRPC
import KithStore
import KithTesting
import KithTransportInProcess
import KithWire
import KithWorkerStore
import Synchronization
import Testing
import TestingContract

/// Events from one store to the effect on another.
@Suite(.timeLimit(.minutes(2)))
struct EventConsumerTests {
  private let (producing, consuming): (TemporaryFolder, TemporaryFolder)

  init() throws { (producing, consuming) = (try TemporaryFolder(), try TemporaryFolder()) }

  /// Runs `body` with a client of the events of a store.
  private func serving(_ store: Store, _ body: (RPCClient) async throws -> Void) async throws {
    let transport = InProcessTransport()
    let server = RPCServer(services: [.events(EventsService(store: store))])
    try server.start(on: transport.listener)
    let client = RPCClient(connector: transport.connector)
    defer {
      client.close()
      server.close()
    }
    try await body(client)
  }

  /// Runs a consumer of all events into a store, until `isEnough` holds for what it has seen.
  private func consume(
    _ client: RPCClient, into store: Store, start: EventConsumer.Start = .oldest,
    handle: @escaping EventConsumer.Handle = Seen.add,
    lost: @escaping @Sendable (LostEvents, WriteTransaction) throws -> Void = { _, _ in },
    until isEnough: @escaping @Sendable ([Int64]) -> Bool
  ) async throws {
    let consumer = EventConsumer(
      "numbers", of: client, in: store, start: start,
      pauses: .milliseconds(1)...(.milliseconds(10)))
    let task = Task { await consumer.run(lost: lost, handle: handle) }
    defer { task.cancel() }
    try await waitUntil("enough was seen") { isEnough(try await Seen.all(in: store)) }
    task.cancel()
    await task.value
  }

  @Test func whatWasAndWhatComesIsSeenOnceAndInOrder() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    try await producer.tell(0..<300)
    try await serving(producer) { client in
      let telling = Task { try await producer.tell(300..<600) }
      try await consume(client, into: consumer) { $0.count >= 600 }
      try await telling.value
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == Array(0..<600))
  }

  @Test func onlyWhatIsNewIsSeenByOneThatAsksForThat() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    try await producer.tell(0..<5)
    try await serving(producer) { client in
      let stream = try await EventsClient(client).subscribe(SubscribeRequest(start: .new))
      var responses = stream.makeAsyncIterator()
      let first = try await responses.next()
      #expect(first?.events.isEmpty == true && first?.position?.sequence == 5)
      try await producer.tell(5..<6)
      let next = try await responses.next()
      #expect(next?.events.map(\.sequence) == [6])
      // One that was there before goes on where it was, also when it asks for what is new.
      try await consumer.write { transaction in
        let log = try #require(first?.position?.log)
        try transaction.setEventPosition(EventPosition(log: log, sequence: 2), of: "numbers")
      }
      try await consume(client, into: consumer, start: .new) { $0.count >= 4 }
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == [2, 3, 4, 5])
  }

  /// Where a consumer can be killed, as far as its store can tell one moment from another.
  enum Moment: CaseIterable {
    case beforeItsFirstTransaction, beforeAnEvent, afterAnEvent, afterTheTransaction
  }

  @Test(arguments: Moment.allCases)
  func aConsumerThatIsKilledGoesOnWhereItWas(_ moment: Moment) async throws {
    let producer = try producing.store()
    // Several transactions of the consumer: in each of them it is killed once.
    for begin in stride(from: UInt64(0), to: 40, by: 10) {
      try await producer.tell(begin..<begin + 10)
      let image = Mutex<CrashImage?>(nil)
      @Sendable func kill() throws {
        let copy = try CrashImage(of: consuming)
        image.withLock { $0 = $0 ?? copy }
      }
      try await serving(producer) { client in
        let store = try consuming.store()
        if moment == .beforeItsFirstTransaction { try kill() }
        try await consume(client, into: store) { event, transaction in
          let isHere = event.sequence == begin + 5
          if isHere, moment == .beforeAnEvent { try kill() }
          try Seen.add(event, transaction)
          if isHere, moment == .afterAnEvent { try kill() }
        } until: {
          $0.count >= begin + 10
        }
        if moment == .afterTheTransaction { try kill() }
        // The next process finds the effect of whole transactions, and makes up for the rest.
        let left = try #require(image.withLock { $0 })
        let next = try left.folder.store()
        let before = try await Seen.all(in: next)
        #expect(before.count == Int(moment == .afterTheTransaction ? begin + 10 : begin))
        try await consume(client, into: next) { $0.count >= begin + 10 }
        let seen = try await Seen.all(in: next)
        #expect(seen == Array(0..<Int64(begin + 10)))
      }
    }
  }

  @Test func aProducerThatIsKilledHasToldOfWhatItHasDoneAndOfNothingElse() async throws {
    let producer = try producing.store()
    try await producer.tell(0..<3)
    // Within the transaction, and after it was acknowledged.
    let within = Mutex<CrashImage?>(nil)
    try await producer.write { transaction in
      try transaction.append(Numbered(number: 3), about: nil, at: 3)
      try Seen.add(
        LoggedEvent(
          sequence: 1, type: "", atMilliseconds: 0, payload: Numbered(number: 3).encoded()),
        transaction)
      let copy = try CrashImage(of: producing)
      within.withLock { $0 = copy }
    }
    let after = try CrashImage(of: producing)
    for (image, count) in [(try #require(within.withLock { $0 }), 3), (after, 4)] {
      let store = try image.folder.store()
      let page = try await store.read { try $0.events(after: EventPosition()) }
      let changes = try await Seen.all(in: store)
      #expect(page.events.count == count && changes.count == count - 3)
      // It goes on with the next number.
      try await store.tell(10..<11)
      let next = try await store.read { try $0.events(after: page.position) }
      #expect(next.events.map(\.sequence) == [Int64(count) + 1])
    }
  }

  @Test func anEventThatCannotBeHandledHoldsUpNothingBeforeItAndComesAgain() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    try await producer.tell(0..<10)
    struct Failure: Error {}
    let attempts = Atomic(0)
    try await serving(producer) { client in
      try await consume(client, into: consumer) { event, transaction in
        if event.sequence == 8, attempts.add(1, ordering: .relaxed).newValue < 5 { throw Failure() }
        try Seen.add(event, transaction)
      } until: { seen in
        // Those before it do not wait for it.
        seen.count >= 10
      }
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == Array(0..<10) && attempts.load(ordering: .relaxed) >= 5)
  }

  @Test func aConsumerThatFellBehindIsToldBeforeWhatFollows() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    try await producer.tell(0..<10)
    try await serving(producer) { client in
      try await consume(client, into: consumer) { $0.count >= 10 }
      try await producer.tell(10..<20)
      // As retention does, when the consumer is away for too long.
      try await producer.write { transaction in
        try transaction.execute("DELETE FROM kith_event WHERE sequence <= 15")
        try transaction.execute("UPDATE kith_event_head SET removed = 15, removed_end = 0")
      }
      let losses = Mutex<[LostEvents]>([])
      try await consume(
        client, into: consumer,
        lost: { lost, _ in losses.withLock { $0.append(lost) } }
      ) { $0.count >= 15 }
      #expect(losses.withLock { $0 } == [LostEvents(reason: .retention, from: 11, to: 15)])
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == Array(0..<10) + Array(15..<20))
  }

  @Test func aWrongRequestIsRefused() async throws {
    try await serving(try producing.store()) { client in
      for request in [
        SubscribeRequest(after: Position(log: "x", sequence: -1)),
        SubscribeRequest(types: (0..<101).map { "\($0)" }),
      ] {
        let error = await #expect(throws: RPCError.self) {
          for try await _ in try await EventsClient(client).subscribe(request) {}
        }
        #expect(error?.code == .invalidArgument)
      }
    }
  }

  /// While a worker is replaced two processes of it follow the same events into the same store.
  @Test func whatTwoProcessesOfAWorkerFollowTakesEffectOnce() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    let other = try consuming.store()
    try await serving(producer) { client in
      let telling = Task {
        for number: UInt64 in 0..<200 { try await producer.tell(number..<number + 1) }
      }
      let leaving = Task { try await consume(client, into: other) { $0.count >= 200 } }
      try await consume(client, into: consumer) { $0.count >= 200 }
      try await leaving.value
      try await telling.value
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == Array(0..<200))
    try other.close()
  }

  /// The events of a store, told to a subscriber when a gate is opened.
  private struct Gated: EventsHandler {
    let service: EventsService
    /// Ends when a subscriber has come, with the position that it has read.
    let arrived: AsyncStream<Never>.Continuation
    let gate: AsyncStream<Never>

    func subscribe(
      _ request: SubscribeRequest, responses: ResponseWriter<SubscribeResponse>,
      context: CallContext
    ) async throws {
      arrived.finish()
      for await _ in gate {}
      try await service.subscribe(request, responses: responses, context: context)
    }
  }

  /// One process of a worker takes a page whose first half another one has taken since the page was
  /// asked for.
  @Test func ofAPageThatOverlapsInPartOnlyTheRestTakesEffect() async throws {
    let (producer, coming) = (try producing.store(), try consuming.store())
    let leaving = try consuming.store()
    try await producer.tell(0..<5)
    let (arrived, arrival) = AsyncStream<Never>.makeStream()
    let (gate, opening) = AsyncStream<Never>.makeStream()
    let transport = InProcessTransport()
    let server = RPCServer(services: [
      .events(Gated(service: EventsService(store: producer), arrived: arrival, gate: gate))
    ])
    try server.start(on: transport.listener)
    let client = RPCClient(connector: transport.connector)
    defer {
      client.close()
      server.close()
    }
    let slow = Task { try await consume(client, into: coming) { $0.count >= 10 } }
    // It has read that nothing was taken, and asks for all from the begin.
    for await _ in arrived {}
    try await serving(producer) { client in
      try await consume(client, into: leaving) { $0.count >= 5 }
    }
    try await producer.tell(5..<10)
    opening.finish()
    try await slow.value
    let seen = try await Seen.all(in: coming)
    #expect(seen == Array(0..<10))
    try leaving.close()
  }

  /// A restored worker tells under another name of numbers that were seen: all of it follows, and
  /// the consumer is told.
  @Test func anotherLogIsTakenFromItsBeginAfterTheConsumerWasTold() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    try await producer.tell(0..<10)
    try await serving(producer) { client in
      try await consume(client, into: consumer) { $0.count >= 10 }
      try await producer.write { transaction in
        try transaction.execute("UPDATE kith_store SET log = 'restored'")
      }
      try await producer.tell(10..<12)
      let losses = Mutex<[LostEvents]>([])
      try await consume(
        client, into: consumer, lost: { lost, _ in losses.withLock { $0.append(lost) } }
      ) {
        $0.count >= 22
      }
      #expect(losses.withLock { $0 } == [LostEvents(reason: .otherLog, from: 1, to: 0)])
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == Array(0..<10) + Array(0..<12))
  }

  /// What is lost is told once, also when the event behind it cannot be handled at first.
  @Test func aLossIsToldOnceBeforeAnEventThatCannotBeHandled() async throws {
    let (producer, consumer) = (try producing.store(), try consuming.store())
    try await producer.tell(0..<10)
    struct Failure: Error {}
    try await serving(producer) { client in
      try await consume(client, into: consumer) { $0.count >= 10 }
      try await producer.tell(10..<20)
      try await producer.write { transaction in
        try transaction.execute("DELETE FROM kith_event WHERE sequence <= 15")
        try transaction.execute("UPDATE kith_event_head SET removed = 15, removed_end = 0")
      }
      let attempts = Atomic(0)
      try await consume(
        client, into: consumer,
        handle: { event, transaction in
          if event.sequence == 16, attempts.add(1, ordering: .relaxed).newValue < 4 {
            throw Failure()
          }
          try Seen.add(event, transaction)
        },
        lost: { _, transaction in
          try transaction.execute("INSERT INTO seen (number) VALUES (-1)")
        }
      ) { $0.count >= 16 }
    }
    let seen = try await Seen.all(in: consumer)
    #expect(seen == Array(0..<10) + [-1] + Array(15..<20))
  }

  @Test func asManyTypesAreTakenAsItSays() async throws {
    let producer = try producing.store()
    try await producer.tell(0..<1)
    try await serving(producer) { client in
      let types = (0..<99).map { "\($0)" } + [Numbered.fullName]
      let stream = try await EventsClient(client).subscribe(SubscribeRequest(types: types))
      for try await response in stream {
        #expect(response.events.count == 1)
        break
      }
    }
  }
}
