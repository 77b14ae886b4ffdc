import HostContract
import KithWire
import Testing
import TestingContract

/// What is refused, and how that is said.
@Suite struct LimitsTests {
  @Test func aHundredMessagesInOneAnotherAreTakenAndNoMore() throws {
    #expect(try Tree(decoding: nested(100)).left != nil)
    let error = #expect(throws: WireError.self) { try Tree(decoding: nested(101)) }
    #expect(error?.code == .tooDeep)
  }

  @Test func bytesThatAreNestedWithoutEndAreRefused() {
    let error = #expect(throws: WireError.self) { try Tree(decoding: nested(50_000)) }
    #expect(error?.code == .tooDeep)
  }

  @Test func aLimitBelowTheDepthOfTheContractHolds() throws {
    let bytes = try GetStatusResponse(workers: [WorkerStatus(lastExit: WorkerExit())]).encoded()
    _ = try GetStatusResponse(decoding: bytes, limits: DecodingLimits(maximumDepth: 2))
    let error = #expect(throws: WireError.self) {
      try GetStatusResponse(decoding: bytes, limits: DecodingLimits(maximumDepth: 1))
    }
    #expect(error?.code == .tooDeep)
  }

  @Test func aValueThatIsNestedTooDeepIsNotWritten() throws {
    var tree = Tree()
    for _ in 0..<100 { tree = Tree(left: tree) }
    #expect(try Tree(decoding: tree.encoded()) == tree)
    let deeper = Tree(left: tree)
    var buffer = WireBuffer()
    let error = #expect(throws: WireError.self) { try deeper.encode(into: &buffer) }
    #expect(error?.code == .tooDeep)
    #expect(buffer.isEmpty)
  }

  @Test func tooManyBytesAreRefused() throws {
    let bytes = try Leaf(name: "0123456789").encoded()
    let error = #expect(throws: WireError.self) {
      try Leaf(decoding: bytes, limits: DecodingLimits(maximumBytes: 11))
    }
    #expect(error?.code == .tooLarge)
    #expect(error?.message == "kith.testing.v1.Leaf has 12 bytes; at most 11 are taken")
  }

  @Test func fewBytesThatNeedMuchMemoryAreRefused() {
    // Two bytes an element, each of which stands for a large struct.
    let bytes = [[UInt8]](repeating: [0x92, 0x05, 0], count: 100_000).flatMap { $0 }
    let error = #expect(throws: WireError.self) {
      try Everything(decoding: bytes, limits: DecodingLimits(maximumMemory: 1 << 20))
    }
    #expect(error?.code == .tooLarge)
  }

  @Test func aLengthPastTheEndIsRefused() {
    for length in [[0xff, 0xff, 0xff, 0xff, 0x0f], [0xfb, 0xff, 0xff, 0xff, 0x0f], [0x7f]] {
      let error = #expect(throws: WireError.self) {
        try Leaf(decoding: [0x0a] + length.map(UInt8.init) + [0, 0, 0, 0, 0, 0])
      }
      #expect(error?.code == .malformed)
    }
  }

  @Test func textThatIsNotUTF8IsRefusedByItsField() {
    let error = #expect(throws: WireError.self) { try Leaf(decoding: [0x0a, 2, 0xc3, 0x28]) }
    #expect(error?.code == .invalidUTF8)
    #expect(error?.message.hasPrefix("kith.testing.v1.Leaf.name ") == true)
  }

  @Test func aFieldWithoutANumberIsRefused() {
    let error = #expect(throws: WireError.self) { try Leaf(decoding: [0x00, 1]) }
    #expect(error?.code == .malformed)
  }

  @Test func messagesWithAChoiceMayBeSentTwice() throws {
    // libprotobuf-c 1.4 reads out of bounds when it merges these by itself.
    let exit = try WorkerStatus(lastExit: WorkerExit(generation: 1)).encoded()
    let status = try WorkerStatus(decoding: exit + exit)
    #expect(status.lastExit == WorkerExit(generation: 1))
  }

  /// A tree with `depth` trees in one another on its left.
  private func nested(_ depth: Int) -> [UInt8] {
    // Built from the inside out; lengths first, since each tag and length is part of the length
    // around it.
    var lengths = [0]
    for _ in 1..<depth {
      let inner = lengths[lengths.count - 1]
      var length = WireWriter()
      length.varint(UInt64(inner))
      lengths.append(inner + 1 + length.bytes.count)
    }
    var writer = WireWriter()
    for length in lengths.reversed() {
      writer.tag(2, .lengthDelimited)
      writer.varint(UInt64(length))
    }
    return writer.bytes
  }
}
