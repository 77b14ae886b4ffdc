import KithWire
import Testing

@testable import KithRPC

/// A client's calls on one connection: every order of events to a depth, and long random ones.
struct ClientCallTableTests {
  fileprivate static let unaryID = MessageHeader.idMark | 1
  fileprivate static let streamID = MessageHeader.idMark | 2

  /// A table with a unary and a streaming call, and a record of who waits. A value: each order of
  /// events is a copy.
  private struct World {
    enum Event: CaseIterable {
      case openUnary, openStream, read, writeLarge, finish, cancelUnary, cancelStream, forget
      case answer, lateMessage, message, part, grant, endOK, endWithError, damage
      case deadline, close
    }

    private let unaryID = ClientCallTableTests.unaryID
    private let streamID = ClientCallTableTests.streamID
    var table = ClientCallTable<Int>(limits: RPCLimits(maximumCallsPerConnection: 2))
    var queue = WriteQueue(framing: .ipc)
    var waiting: Set<Int> = []
    var woken: Set<Int> = []
    var lastWaiter = 0
    var opened: Set<UInt32> = []
    var isClosed = false

    private mutating func newWaiter() -> Int {
      lastWaiter += 1
      waiting.insert(lastWaiter)
      return lastWaiter
    }

    private mutating func carryOut(_ reaction: ClientCallTable<Int>.Reaction) {
      for frame in reaction.frames { queue.append(frame) }
      for wake in [reaction.wake].compactMap(\.self) + reaction.otherWakes {
        #expect(waiting.remove(wake.waiter) != nil, "a waiter that does not wait was woken")
        #expect(woken.insert(wake.waiter).inserted, "a waiter was woken twice")
      }
    }

    private mutating func open(_ id: UInt32, _ shape: ClientCallTable<Int>.Shape, _ waiter: Int?) {
      guard !opened.contains(id) else { return }
      opened.insert(id)
      let frame = OutgoingFrame.caller(
        id, message: WireBuffer(), framing: .ipc, inParts: true)
      let deadline = Moment(nanoseconds: 10)
      if let error = table.open(id, shape, deadline: deadline, place: queue.place(of: frame)) {
        #expect(isClosed && error.execution == .notStarted)
        if let waiter { waiting.remove(waiter) }
      } else {
        queue.append(frame)
      }
    }

    mutating func happen(_ event: Event) {
      switch event {
      case .openUnary:
        guard !opened.contains(unaryID) else { return }
        let waiter = newWaiter()
        open(unaryID, .unary(waiter), waiter)
      case .openStream: open(streamID, .streaming(sendsMore: true), nil)
      case .read: carryOut(table.read(streamID, newWaiter()))
      case .writeLarge:
        var message = WireBuffer()
        message.append([0])
        let frame = OutgoingFrame.caller(
          streamID, message: message, framing: .ipc, inParts: true)
        carryOut(table.write(streamID, frame, size: Credit.initial.bytes, newWaiter()))
      case .finish:
        var frame = CallerFrame.halfClose
        MessageFraming.ipc.seal(&frame, id: streamID)
        carryOut(
          table.finishWriting(streamID, OutgoingFrame(id: streamID, sealed: frame)))
      case .cancelUnary: carryOut(table.cancel(unaryID))
      case .cancelStream: carryOut(table.cancel(streamID))
      case .forget: carryOut(table.forget(streamID))
      case .answer:
        carryOut(table.receive(unaryID, WorkerFrame(status: CallStatus(), message: [1])))
      case .lateMessage: carryOut(table.receive(unaryID, WorkerFrame(message: [1])))
      case .message: carryOut(table.receive(streamID, WorkerFrame(message: [1])))
      case .part: carryOut(table.receive(streamID, WorkerFrame(isPart: true, message: [1])))
      case .grant:
        carryOut(table.receive(streamID, WorkerFrame(credit: Credit(messages: 9, bytes: 1 << 20))))
      case .endOK: carryOut(table.receive(streamID, WorkerFrame(status: CallStatus())))
      case .endWithError:
        carryOut(table.receive(streamID, WorkerFrame(status: CallStatus(.notFound, "no"))))
        carryOut(table.receive(unaryID, WorkerFrame(status: CallStatus(.notFound, "no"))))
      case .damage:
        carryOut(table.receiveMalformed(unaryID, "cut"))
        carryOut(table.receiveMalformed(streamID, "cut"))
      case .deadline:
        for ended in table.expire(Moment(nanoseconds: 10)) { carryOut(ended.reaction) }
        #expect(table.nextDeadline == nil)
      case .close:
        isClosed = true
        for ended in table.close(RPCError(.unavailable, "gone"), queue) {
          carryOut(ended.reaction)
        }
      }
      #expect(table.count >= 0 && table.count <= opened.count)
    }

    /// When the connection is over, nobody waits and nothing is in progress.
    func checkEnd() {
      var end = self
      end.happen(.close)
      #expect(end.waiting.isEmpty, "somebody waits for ever: \(end.waiting)")
      #expect(end.table.count == 0)
      end.happen(.read)
      #expect(end.waiting.isEmpty, "a read of a stream that is over waits")
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

  @Test func everyOrderOfFourEventsWakesEachWaiterOnce() {
    #expect(Self.explore(World(), depth: 4) == (0...4).reduce(0) { $0 + power(18, $1) })
  }

  @Test func everyOrderOfThreeEventsOnOpenCallsWakesEachWaiterOnce() {
    var world = World()
    for event in [World.Event.openUnary, .openStream, .read, .writeLarge, .writeLarge] {
      world.happen(event)
    }
    #expect(world.waiting.count == 3, "the unary caller, the reader and one writer wait")
    #expect(Self.explore(world, depth: 3) == (0...3).reduce(0) { $0 + power(18, $1) })
  }

  @Test func longRandomOrdersWakeEachWaiterOnce() throws {
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

  @Test func messagesThatCameBeforeTheEndAreReadBeforeIt() {
    var table = ClientCallTable<Int>(limits: .standard)
    _ = table.open(
      Self.streamID, .streaming(sendsMore: false), deadline: nil, place: .gathered(0))
    _ = table.receive(Self.streamID, WorkerFrame(message: [1]))
    _ = table.receive(
      Self.streamID, WorkerFrame(status: CallStatus(.aborted, "lost"), message: [2]))
    var seen: [String] = []
    for waiter in 0..<4 {
      switch table.read(Self.streamID, waiter).wake?.wakeup {
      case .message(let message): seen.append("\(Array(message))")
      case .failed(let error): seen.append("\(error.code)")
      default: seen.append("?")
      }
    }
    #expect(seen == ["[1]", "[2]", "ABORTED", "ABORTED"])
  }

  @Test func aLostCallKnowsWhetherItWasSent() {
    var table = ClientCallTable<Int>(limits: .standard)
    var queue = WriteQueue(framing: .ipc)
    for (waiter, id) in [Self.unaryID, Self.streamID].enumerated() {
      let frame = OutgoingFrame.caller(id, message: WireBuffer(), framing: .ipc, inParts: true)
      _ = table.open(id, .unary(waiter), deadline: nil, place: queue.place(of: frame))
      queue.append(frame)
      if waiter == 0 { _ = queue.next() }
    }
    let errors = table.close(RPCError(.unavailable, "gone"), queue).compactMap { ended in
      if case .failed(let error) = ended.reaction.wake?.wakeup { return error.execution }
      return nil
    }
    #expect(errors == [CallExecution.mayHaveRun, .notStarted])
  }

  @Test func anIDIsNotGivenTwice() {
    var table = ClientCallTable<Int>(limits: .standard)
    var seen: Set<UInt32> = []
    for _ in 0..<1_000 { #expect(seen.insert(table.reserveID()).inserted) }
    #expect(!seen.contains(MessageHeader.connectionID))
  }

  private func power(_ base: Int, _ exponent: Int) -> Int {
    (0..<exponent).reduce(1) { product, _ in product * base }
  }
}
