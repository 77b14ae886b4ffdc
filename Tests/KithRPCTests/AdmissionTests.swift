import KithWire
import Testing

@testable import KithRPC

/// Who gets memory, and who gets a place: values.
struct AdmissionTests {
  // MARK: - Memory

  /// What one connection has taken.
  private final class Connection {
    private(set) var charge = ConnectionCharge()
    private let budget: MessageBudget

    init(_ budget: MessageBudget) { self.budget = budget }

    func hold(_ bytes: Int, isTrusted: Bool) -> Bool {
      charge.hold(bytes, isTrusted: isTrusted, of: budget)
    }
  }

  @Test func strangersShareAPartOfTheBudget() {
    let budget = MessageBudget(maximumBytes: 100)
    #expect(budget.maximumBytesOfStrangers == 50)
    #expect(budget.take(50, isTrusted: false))
    #expect(!budget.take(1, isTrusted: false))
    #expect(budget.take(50, isTrusted: true))
    #expect(!budget.take(1, isTrusted: true), "the whole is a bound for all")
    budget.giveBack(1, isTrusted: false)
    #expect(budget.take(1, isTrusted: false))
  }

  @Test func whoProvesItselfLeavesTheStrangersTheirShare() {
    let budget = MessageBudget(maximumBytes: ConnectionCharge.free * 4)
    let charge = Connection(budget)
    let most = ConnectionCharge.free + budget.maximumBytesOfStrangers
    #expect(charge.hold(most, isTrusted: false))
    #expect(!charge.hold(most + 1, isTrusted: false))
    #expect(charge.hold(most + 1, isTrusted: true))
    let other = Connection(budget)
    #expect(other.hold(most - 1, isTrusted: false), "what was a stranger's is free")
    #expect(charge.hold(0, isTrusted: true))
    #expect(other.hold(0, isTrusted: false))
    #expect(budget.bytesTaken == 0)
  }

  @Test func aConnectionHoldsALittleWithoutAsking() {
    let budget = MessageBudget(maximumBytes: 0)
    let charge = Connection(budget)
    #expect(charge.hold(ConnectionCharge.free, isTrusted: false))
    #expect(!charge.hold(ConnectionCharge.free + 1, isTrusted: false))
    #expect(charge.charge.taken == 0 && budget.bytesTaken == 0)
  }

  @Test func theBudgetIsAQuarterOfTheMemoryAtMost64MiB() {
    #expect(MessageBudget(memoryLimit: 0).maximumBytes == 64 << 20)
    #expect(MessageBudget(memoryLimit: 64 << 20).maximumBytes == 16 << 20)
    #expect(MessageBudget(memoryLimit: 256 << 20).maximumBytes == 64 << 20)
    #expect(MessageBudget(memoryLimit: .max).maximumBytes == 64 << 20)
  }

  // MARK: - Places

  private func standing(
    _ arrival: UInt64, greeted: Bool = true, busy: Bool = false, heard: UInt64 = 0,
    trusted: Bool = false
  ) -> ConnectionStanding {
    ConnectionStanding(
      arrival: arrival, hasGreeted: greeted, isBusy: busy, lastHeard: Moment(nanoseconds: heard),
      isTrusted: trusted)
  }

  @Test func whoHasSaidNothingGoesFirstTheOldestBeforeTheOthers() {
    let connections = [
      standing(1, heard: 1), standing(4, greeted: false), standing(3, greeted: false, heard: 9),
    ]
    #expect(connections.firstToGo(limit: 3, kept: 1) == 2)
  }

  @Test func whoHasBeenIdleForLongestGoesNext() {
    let connections = [
      standing(1, heard: 8), standing(2, busy: true, heard: 1), standing(3, heard: 7),
    ]
    #expect(connections.firstToGo(limit: 3, kept: 1) == 2)
  }

  @Test func ofEquallyIdleConnectionsTheFirstGoes() {
    #expect([standing(2, heard: 5), standing(1, heard: 5)].firstToGo(limit: 2, kept: 0) == 1)
  }

  @Test func whoHasProvedItselfStaysWhileStrangersAreIdle() {
    let connections = [standing(1, trusted: true), standing(2, heard: 9)]
    #expect(connections.firstToGo(limit: 2, kept: 1) == 1)
  }

  @Test func busyStrangersCannotKeepAllPlaces() {
    let strangers = (1...4).map { standing($0, busy: true) }
    // The first one that sits on a place that is not theirs to keep.
    #expect(strangers.firstToGo(limit: 4, kept: 2) == 2)
    #expect(strangers.firstToGo(limit: 4, kept: 0) == nil)
    let settled =
      Array(strangers.prefix(2)) + [3, 4].map { standing($0, busy: true, trusted: true) }
    #expect(
      settled.firstToGo(limit: 4, kept: 2) == nil, "strangers keep the places that are theirs")
  }

  @Test func anIdleConnectionOfOneThatHasProvedItselfGoesLast() {
    let connections = [
      standing(1, busy: true), standing(2, heard: 5, trusted: true),
      standing(3, heard: 4, trusted: true),
    ]
    #expect(connections.firstToGo(limit: 3, kept: 1) == 2)
    #expect(connections.firstToGo(limit: 3, kept: 2) == nil, "the places that are kept are theirs")
    let busy = [standing(1, busy: true), standing(2, busy: true, trusted: true)]
    #expect(busy.firstToGo(limit: 2, kept: 0) == nil)
  }

  @Test func anEighthOfThePlacesIsKept() {
    #expect(RPCLimits(maximumConnections: 1024).keptConnections == 128)
    #expect(RPCLimits(maximumConnections: 4).keptConnections == 1)
    #expect(RPCLimits(maximumConnections: 1).keptConnections == 0)
  }

  // MARK: - Frames that are dropped

  private static let hello = MessageHeader.callerHello
  private static let id = MessageHeader.idMark | 7

  private func message(_ size: Int) -> [UInt8] {
    var buffer = WireBuffer()
    buffer.append([UInt8](repeating: 3, count: size))
    MessageFraming.ipc.seal(&buffer, id: Self.id)
    return buffer.bytes
  }

  private func feed(_ parser: inout FrameParser, _ bytes: some Collection<UInt8>) throws
    -> [FrameParser.Event]
  {
    var events: [FrameParser.Event] = []
    try Array(bytes).withUnsafeBytes { bytes in try parser.parse(bytes, into: &events) }
    return events
  }

  @Test(arguments: [1, 3, 1000])
  func theStreamGoesOnBehindADroppedMessage(_ piece: Int) throws {
    var parser = FrameParser(framing: .ipc, expectedHello: Self.hello, maximumBytes: 1 << 20)
    let large = message(5_000)
    #expect(try feed(&parser, Self.hello + large.prefix(1_000)) == [.hello])
    #expect(parser.isWithinMessage && parser.bytesReceived == 991)
    #expect(parser.dropMessage() == Self.id)
    #expect(parser.memoryTaken == 0 && parser.bytesReceived == 991)
    var events: [FrameParser.Event] = []
    var rest = (large.dropFirst(1_000) + message(2))[...]
    while !rest.isEmpty {
      events += try feed(&parser, rest.prefix(piece))
      rest = rest.dropFirst(piece)
      #expect(parser.memoryTaken < 100)
    }
    guard case .message(let next)? = events.first, events.count == 1 else {
      Issue.record("one message comes behind it, not \(events)")
      return
    }
    #expect(next.id == Self.id && next.frame.count == 2 && !parser.isWithinMessage)
  }

  @Test func nothingIsDroppedWhereNothingIsUnderWay() throws {
    var parser = FrameParser(framing: .ipc, expectedHello: Self.hello, maximumBytes: 1 << 20)
    #expect(parser.dropMessage() == nil && !parser.isWithinMessage)
    _ = try feed(&parser, Self.hello)
    #expect(parser.dropMessage() == nil && !parser.isWithinMessage)
    _ = try feed(&parser, message(9).prefix(12))
    #expect(parser.dropMessage() == nil && parser.isWithinMessage, "its id has not come")
  }

  @Test func memoryIsTakenAsBytesComeNotAsTheyAreAnnounced() throws {
    var parser = FrameParser(framing: .ipc, expectedHello: Self.hello, maximumBytes: 16 << 20)
    let large = message(8 << 20)
    _ = try feed(&parser, Self.hello + large.prefix(100_000))
    #expect(parser.bytesReceived < 100_000 && parser.memoryTaken < 300_000)
    let rest = try feed(&parser, large.dropFirst(100_000))
    guard case .message(let whole)? = rest.first else {
      Issue.record("the message is complete")
      return
    }
    #expect(whole.frame.count == 8 << 20)
  }
}
