import KithWire
import Testing

@testable import KithRPC

/// What is written next: order within a call, fairness between calls, and what was handed over.
struct WriteQueueTests {
  private func sealed(_ id: UInt32, _ size: Int) -> OutgoingFrame {
    var buffer = WireBuffer(headroom: 32)
    buffer.append([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: size))
    buffer.prependMessageTag()
    MessageFraming.ipc.seal(&buffer, id: MessageHeader.idMark | id)
    return OutgoingFrame(id: MessageHeader.idMark | id, sealed: buffer)
  }

  private func large(_ id: UInt32, _ size: Int) -> OutgoingFrame {
    var buffer = WireBuffer()
    buffer.append([UInt8](repeating: UInt8(truncatingIfNeeded: id), count: size))
    return OutgoingFrame(id: MessageHeader.idMark | id, message: buffer)
  }

  /// The ids and message sizes of the frames in a batch.
  private func frames(_ batch: WireBuffer) throws -> [(id: UInt32, size: Int, isPart: Bool)] {
    var parser = FrameParser(
      framing: .ipc, expectedHello: MessageHeader.workerHello, maximumBytes: 64 << 20)
    var events: [FrameParser.Event] = []
    var bytes = MessageHeader.workerHello
    bytes += batch.bytes
    try bytes.withUnsafeBytes { try parser.parse($0, into: &events) }
    #expect(parser.isBetweenMessages, "a batch holds whole frames")
    return try events.compactMap { event in
      guard case .message(let message) = event else { return nil }
      let frame = try KithRPC.WorkerFrame(decoding: message.frame)
      return (message.id & ~MessageHeader.idMark, frame.message?.count ?? 0, frame.isPart)
    }
  }

  @Test func smallFramesGoOutTogetherInOrder() throws {
    var queue = WriteQueue(framing: .ipc)
    for id in 1...5 { queue.append(sealed(UInt32(id), id)) }
    let next = queue.next()
    let batch = try #require(next)
    #expect(try frames(batch).map(\.id) == [1, 2, 3, 4, 5])
    let second = queue.next()
    #expect(second == nil, "one write at a time")
    queue.wrote()
    let last = queue.next()
    #expect(queue.isEmpty && last == nil)
  }

  @Test func aSmallFrameWaitsForOnePartAtMostWhateverIsBeforeIt() throws {
    var queue = WriteQueue(framing: .ipc)
    for id in 1...3 { queue.append(large(UInt32(id), 16 << 20)) }
    _ = queue.next()
    queue.append(sealed(9, 100))
    queue.wrote()
    let next = queue.next()
    let batch = try #require(next)
    #expect(try frames(batch).map(\.id).first == 9)
    #expect(batch.count < 2 * OutgoingFrame.partSize)
  }

  /// The start of a call may wait in a later batch than the one that is next.
  @Test func aLaneOvertakesNoSmallFrameOfItsCall() throws {
    var queue = WriteQueue(framing: .ipc)
    for _ in 0..<40 { queue.append(sealed(1, WriteQueue.smallFrame / 2)) }
    queue.append(sealed(9, 10))
    for _ in 0..<4 { queue.append(sealed(9, WriteQueue.smallFrame + 1)) }
    queue.append(large(2, 2 * OutgoingFrame.partSize))
    var sizes: [Int] = []
    while let batch = queue.next() {
      sizes += try frames(batch).filter { $0.id == 9 }.map(\.size)
      queue.wrote()
    }
    #expect(sizes == [10] + Array(repeating: WriteQueue.smallFrame + 1, count: 4))
    #expect(queue.isEmpty)
  }

  @Test func lanesTakeTurns() throws {
    var queue = WriteQueue(framing: .ipc)
    let parts = 4
    for id in 1...3 { queue.append(large(UInt32(id), parts * OutgoingFrame.partSize)) }
    var order: [UInt32] = []
    while let batch = queue.next() {
      order += try frames(batch).map(\.id)
      queue.wrote()
    }
    #expect(order == Array(repeating: [1, 2, 3], count: parts).flatMap(\.self))
    #expect(queue.isEmpty)
  }

  @Test func theFramesOfOneCallStayInOrder() throws {
    var queue = WriteQueue(framing: .ipc)
    queue.append(large(1, 3 * OutgoingFrame.partSize))
    queue.append(sealed(1, 10))
    queue.append(sealed(2, 20))
    var seen: [(id: UInt32, size: Int, isPart: Bool)] = []
    while let batch = queue.next() {
      seen += try frames(batch)
      queue.wrote()
    }
    #expect(seen.map(\.id) == [2, 1, 1, 1, 1])
    #expect(seen.last?.size == 10)
  }

  @Test func whatIsDiscardedIsNotWritten() throws {
    var queue = WriteQueue(framing: .ipc)
    queue.append(large(1, 3 * OutgoingFrame.partSize))
    _ = queue.next()
    queue.discard(MessageHeader.idMark | 1)
    queue.wrote()
    let last = queue.next()
    #expect(queue.isEmpty && last == nil)
  }

  @Test func itIsKnownWhatWasHandedOver() throws {
    var queue = WriteQueue(framing: .ipc)
    let small = sealed(1, 10)
    let big = large(2, 3 * OutgoingFrame.partSize)
    let (smallPlace, bigPlace) = (queue.place(of: small), queue.place(of: big))
    queue.append(small)
    queue.append(big)
    #expect(!queue.isSubmitted(smallPlace, of: small.id))
    #expect(!queue.isSubmitted(bigPlace, of: big.id))
    _ = queue.next()
    #expect(queue.isSubmitted(smallPlace, of: small.id))
    #expect(queue.isSubmitted(bigPlace, of: big.id), "a part of it is on its way")
  }

  @Test func randomTrafficComesOutWholeAndInOrder() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<50 {
      var queue = WriteQueue(framing: .ipc)
      var expected: [UInt32: [Int]] = [:]
      var seen: [UInt32: [Int]] = [:]
      var unfinished: [UInt32: Int] = [:]
      func read(_ batch: WireBuffer) throws {
        for (id, size, isPart) in try frames(batch) {
          let total = unfinished.removeValue(forKey: id, default: 0) + size
          if isPart { unfinished[id] = total } else { seen[id, default: []].append(total) }
        }
      }
      for _ in 0..<60 {
        let id = UInt32.random(in: 1...4, using: &random)
        let size = Int.random(in: 0...5, using: &random) == 0 ? 200_000 : 3_000
        let exact = size + Int.random(in: 0...1_000, using: &random)
        queue.append(exact > OutgoingFrame.partSize ? large(id, exact) : sealed(id, exact))
        expected[id, default: []].append(exact)
        if Bool.random(using: &random), let batch = queue.next() {
          try read(batch)
          queue.wrote()
        }
      }
      while let batch = queue.next() {
        try read(batch)
        queue.wrote()
      }
      #expect(seen == expected && queue.isEmpty && queue.bytesQueued == 0)
    }
  }
}

extension Dictionary {
  fileprivate mutating func removeValue(forKey key: Key, default value: Value) -> Value {
    removeValue(forKey: key) ?? value
  }
}
