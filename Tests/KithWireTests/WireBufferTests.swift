import KithWire
import Testing

@Suite struct WireBufferTests {
  @Test func growsBehind() {
    var buffer = WireBuffer(capacity: 0)
    for byte in UInt8(0)..<200 { buffer.append(byte) }
    #expect(buffer.count == 200)
    #expect(buffer.bytes == [UInt8](0..<200))
  }

  @Test func writesIntoHeadRoomWithoutMovingAByte() {
    var buffer = WireBuffer(headroom: 12, capacity: 100)
    buffer.append([7, 8, 9])
    let before = buffer.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    buffer.prepend([5, 6])
    buffer.prepend(4)
    let after = buffer.withUnsafeBytes { UInt(bitPattern: $0.baseAddress) }
    #expect(after + 3 == before)
    #expect(buffer.bytes == [4, 5, 6, 7, 8, 9])
    #expect(buffer.headroom == 9)
  }

  @Test func movesWhenTheHeadRoomIsTooSmall() {
    var buffer = WireBuffer(headroom: 1)
    buffer.append([4, 5])
    buffer.prepend([1, 2, 3])
    buffer.append(6)
    #expect(buffer.bytes == [1, 2, 3, 4, 5, 6])
  }

  @Test(
    arguments: [
      (0, [0]), (127, [0x7f]), (128, [0x80, 1]), (300, [0xac, 2]),
      (UInt64.max, [UInt8](repeating: 0xff, count: 9) + [1]),
    ] as [(UInt64, [UInt8])])
  func writesVarintsAtBothEnds(_ number: UInt64, _ expected: [UInt8]) {
    var buffer = WireBuffer()
    buffer.append(varint: number)
    buffer.prepend(varint: number)
    #expect(buffer.bytes == expected + expected)
  }

  @Test func copiesAreValues() {
    var buffer = WireBuffer(headroom: 4)
    buffer.append([1, 2])
    let copy = buffer
    buffer.append(3)
    buffer.prepend(0)
    #expect(copy.bytes == [1, 2])
    #expect(buffer.bytes == [0, 1, 2, 3])
    #expect(copy != buffer)
  }

  @Test func cutsAtBothEndsAndStartsAgain() {
    var buffer = WireBuffer(headroom: 4)
    buffer.append([1, 2, 3, 4])
    buffer.removeFirst(1)
    buffer.removeLast(1)
    #expect(buffer.bytes == [2, 3])
    buffer.removeAll(headroom: 8)
    #expect(buffer.isEmpty)
    #expect(buffer.headroom == 8)
  }

  @Test func writesNumbersHighestByteFirst() {
    var buffer = WireBuffer()
    buffer.append(bigEndian: UInt32(0x0102_0304))
    buffer.prepend(bigEndian: UInt16(5))
    #expect(buffer.bytes == [0, 5, 1, 2, 3, 4])
  }
}
