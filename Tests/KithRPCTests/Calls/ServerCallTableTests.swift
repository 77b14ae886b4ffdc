import KithWire
import Testing

@testable import KithRPC

/// A server's calls on one connection: every order of events to a depth, and long random ones.
struct ServerCallTableTests {
  fileprivate static let unary = MethodDescriptor(service: "a.B", method: "One")
  fileprivate static let stream = MethodDescriptor(
    service: "a.B", method: "Many", shape: .bidirectional)
  fileprivate static let unaryID = MessageHeader.idMark | 1
  fileprivate static let streamID = MessageHeader.idMark | 2

  /// A table, what its handlers do and who waits. A value: each order of events is a copy.
  private struct World {
    enum Event: CaseIterable {
      case startUnary, startUnaryWithoutMessage, startStream, message, part, unaryMessage
      case halfClose, cancelUnary, cancelStream, grant, damage
      case read, writeLarge, withdrawReader, withdrawMessage, unaryReturns, streamReturns
      case deadline, close
    }

    var table: ServerCallTable<Int> = {
      var table = ServerCallTable<Int>(limits: RPCLimits(maximumCallsPerConnection: 3))
      table.peerTakesParts = true
      return table
    }()
    var waiting: Set<Int> = []
    var woken: Set<Int> = []
    var lastWaiter = 0
    var lastTicket: UInt64 = 0
    /// Handlers that were started and have not returned.
    var handlers: [ServedCall] = []
    /// Calls that the caller is owed an end of: opened, and neither answered nor cancelled.
    var unanswered: Set<UInt32> = []
    /// How many places were taken for handlers.
    var places = 0
    var isClosed = false

    private mutating func newWaiter() -> Int {
      lastWaiter += 1
      waiting.insert(lastWaiter)
      return lastWaiter
    }

    private mutating func wake(_ wakes: [Wake<Int>]) {
      for wake in wakes {
        #expect(waiting.remove(wake.waiter) != nil, "a waiter that does not wait was woken")
        #expect(woken.insert(wake.waiter).inserted, "a waiter was woken twice")
      }
    }

    private mutating func carryOut(_ reaction: ServerCallTable<Int>.Reaction) {
      wake(reaction.wakes)
      if let ending = reaction.ending, ending.status != nil {
        unanswered.remove(ending.id)
      }
      if let call = reaction.start {
        handlers.append(call)
        places -= 1
      }
      #expect(places == 0, "a place for each handler that starts, and for nothing else")
    }

    private mutating func receive(
      _ id: UInt32, _ frame: CallerFrame, _ method: MethodDescriptor
    ) {
      let isOpen = table.openIDs.contains(id)
      func place() -> CallStatus? {
        places += 1
        return nil
      }
      carryOut(
        table.receive(id, frame, .allowed(method), place: place(), now: Moment(nanoseconds: 1)))
      if !isOpen, table.openIDs.contains(id) { unanswered.insert(id) }
    }

    private func handler(of id: UInt32) -> ServedCall? { handlers.last { $0.id == id } }

    private mutating func handlerReturns(_ id: UInt32) {
      guard let call = handler(of: id) else { return }
      handlers.removeAll { $0 === call }
      let (isWanted, wakes) = table.finish(call)
      wake(wakes)
      if isWanted {
        #expect(unanswered.remove(id) != nil || isClosed, "a call was answered twice")
      }
    }

    mutating func happen(_ event: Event) {
      let (unaryID, streamID) = (ServerCallTableTests.unaryID, ServerCallTableTests.streamID)
      let start = CallerFrame.Start(timeoutMicroseconds: 1)
      switch event {
      case .startUnary:
        receive(unaryID, CallerFrame(start: start, message: [1]), ServerCallTableTests.unary)
      case .startUnaryWithoutMessage:
        receive(unaryID, CallerFrame(start: start), ServerCallTableTests.unary)
      case .startStream:
        receive(streamID, CallerFrame(start: start), ServerCallTableTests.stream)
      case .message: receive(streamID, CallerFrame(message: [1]), ServerCallTableTests.stream)
      case .part:
        receive(streamID, CallerFrame(isPart: true, message: [1]), ServerCallTableTests.stream)
      case .unaryMessage: receive(unaryID, CallerFrame(message: [1]), ServerCallTableTests.unary)
      case .halfClose:
        receive(streamID, CallerFrame(isHalfClose: true), ServerCallTableTests.stream)
        receive(unaryID, CallerFrame(isHalfClose: true), ServerCallTableTests.unary)
      case .cancelUnary: receive(unaryID, CallerFrame(cancel: ""), ServerCallTableTests.unary)
      case .cancelStream: receive(streamID, CallerFrame(cancel: ""), ServerCallTableTests.stream)
      case .grant:
        receive(
          streamID, CallerFrame(credit: Credit(messages: 9, bytes: 1 << 20)),
          ServerCallTableTests.stream)
      case .damage:
        carryOut(table.receiveMalformed(unaryID, "cut"))
        carryOut(table.receiveMalformed(streamID, "cut"))
      case .read:
        guard let call = handler(of: streamID) else { return }
        carryOut(table.read(call, newWaiter()))
      case .writeLarge:
        guard let call = handler(of: streamID) else { return }
        let frame = OutgoingFrame.worker(
          streamID, message: WireBuffer(), metadata: [:], end: nil, framing: .ipc, inParts: true)
        let (reaction, ticket) = table.write(
          call, frame, size: Credit.initial.bytes, newWaiter())
        carryOut(reaction)
        if let ticket { lastTicket = ticket }
      case .withdrawReader:
        guard let call = handler(of: streamID), let waiter = table.withdrawReader(of: call) else {
          return
        }
        wake([Wake(waiter: waiter, wakeup: .failed(.callIsOver))])
      case .withdrawMessage:
        guard let call = handler(of: streamID),
          let waiter = table.withdrawMessage(lastTicket, of: call)
        else { return }
        wake([Wake(waiter: waiter, wakeup: .failed(.callIsOver))])
      case .unaryReturns: handlerReturns(unaryID)
      case .streamReturns: handlerReturns(streamID)
      case .deadline:
        for reaction in table.expire(Moment(nanoseconds: .max)) { carryOut(reaction) }
        #expect(table.nextDeadline == nil && unanswered.isEmpty, "a deadline leaves no call open")
      case .close:
        isClosed = true
        unanswered = []
        for reaction in table.close() {
          #expect(reaction.ending?.status == nil, "nobody is left to answer")
          carryOut(reaction)
        }
      }
      #expect(table.count <= 3)
      #expect(table.running == handlers.count, "what runs is what was started and has not returned")
      #expect(table.bytesHeld >= 0)
      if table.openIDs.isEmpty { #expect(table.bytesHeld == 0, "nothing is held for nobody") }
    }

    /// When the connection is over and all handlers have returned, nobody waits and no place is
    /// taken.
    func checkEnd() {
      var end = self
      end.happen(.close)
      #expect(end.waiting.isEmpty, "somebody waits for ever")
      #expect(end.table.count == end.handlers.count, "a place for each handler that runs")
      for call in end.handlers { #expect(!end.table.finish(call).isWanted) }
      #expect(end.table.count == 0)
    }
  }

  private static func explore(_ world: World, depth: Int) -> Int {
    world.checkEnd()
    guard depth > 0 else { return 1 }
    var count = 1
    for event in World.Event.allCases {
      var next = world
      next.happen(event)
      count += explore(next, depth: depth - 1)
    }
    return count
  }

  @Test func everyOrderOfFourEventsAnswersEachCallOnce() {
    #expect(Self.explore(World(), depth: 4) > 130_000)
  }

  @Test func everyOrderOfThreeEventsOnOpenCallsAnswersEachCallOnce() {
    var world = World()
    for event in [World.Event.startUnary, .startStream, .read, .writeLarge, .writeLarge] {
      world.happen(event)
    }
    #expect(world.waiting.count == 2, "the reader and one writer wait")
    #expect(world.handlers.count == 2)
    #expect(Self.explore(world, depth: 3) > 7_000)
  }

  @Test func longRandomOrdersAnswerEachCallOnce() throws {
    for seed in 0..<2_000 {
      var random = SeededGenerator(seed: UInt64(seed))
      var world = World()
      for _ in 0..<40 {
        let event = try #require(World.Event.allCases.randomElement(using: &random))
        if event != .close || Int.random(in: 0..<8, using: &random) == 0 { world.happen(event) }
      }
      world.checkEnd()
    }
  }

  @Test func aHandlerThatOutlivesItsCallIsNotTakenForTheNextOne() throws {
    var table = ServerCallTable<Int>(limits: .standard)
    let frame = CallerFrame(start: CallerFrame.Start(), message: [])
    let first = try #require(
      table.receive(Self.unaryID, frame, .allowed(Self.unary), now: .now).start)
    _ = table.receive(Self.unaryID, CallerFrame(cancel: ""), .allowed(Self.unary), now: .now)
    let second = try #require(
      table.receive(Self.unaryID, frame, .allowed(Self.unary), now: .now).start)
    #expect(table.count == 2, "the first handler still runs")
    #expect(!table.finish(first).isWanted)
    #expect(table.finish(second).isWanted)
    #expect(table.count == 0)
  }
}
