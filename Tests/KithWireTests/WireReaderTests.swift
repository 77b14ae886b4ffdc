import KithWire
import Testing

@Suite struct WireReaderTests {
  @Test func readsWhatAWriterWrote() throws {
    var writer = WireWriter()
    writer.varint(300)
    writer.zigZag(-2)
    writer.zigZag(.min)
    writer.fixed32(0x0102_0304)
    writer.fixed64(.max)
    writer.text("a\0é")
    writer.bytes([1, 2, 3])
    try writer.bytes.withWireReader { reader throws(WireError) in
      #expect(try reader.varint() == 300)
      #expect(try reader.zigZag() == -2)
      #expect(try reader.zigZag() == .min)
      #expect(try reader.fixed32() == 0x0102_0304)
      #expect(try reader.fixed64() == .max)
      #expect(try reader.text() == "a\0é")
      #expect([UInt8](try reader.bytes()) == [1, 2, 3])
      #expect(reader.isAtEnd)
    }
  }

  @Test func skipsEveryKindOfFieldAndReturnsItsBytes() throws {
    // A varint, eight bytes, two bytes with a length, a group with a varint in it, four bytes.
    let fields: [UInt8] =
      [0x08, 0x96, 0x01] + [0x11, 1, 2, 3, 4, 5, 6, 7, 8] + [0x1a, 2, 9, 9] + [0x23, 0x08, 5, 0x24]
      + [0x2d, 1, 2, 3, 4]
    let skipped = try fields.withWireReader { reader throws(WireError) in
      var counts: [Int] = []
      while !reader.isAtEnd { counts.append(try reader.skip(try reader.tag()).count) }
      return counts
    }
    #expect(skipped == [2, 8, 3, 3, 4])
  }

  @Test(
    arguments: [
      [], [0x80], [UInt8](repeating: 0xff, count: 11), [0x00], [0x07], [0x06, 1],
      [0x08], [0x0a, 5, 1], [0x0d, 1, 2, 3], [0x09, 1, 2], [0x0b], [0x0b, 0x14], [0x0c],
      [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1],
      [0x88, 0x80, 0x80, 0x80, 0x80, 0x80, 0x01, 1],
    ] as [[UInt8]])
  func refusesWhatIsNoField(_ bytes: [UInt8]) {
    #expect(throws: WireError.self) {
      try bytes.withWireReader { reader throws(WireError) in
        _ = try reader.skip(try reader.tag())
      }
    }
  }

  @Test func refusesGroupsThatAreNestedWithoutEnd() {
    let bytes = [UInt8](repeating: 0x0b, count: 100_000)
    let error = #expect(throws: WireError.self) {
      try bytes.withWireReader { reader throws(WireError) in
        _ = try reader.skip(try reader.tag())
      }
    }
    #expect(error?.code == .tooDeep)
  }

  @Test func refusesTextThatIsNotUTF8() {
    let error = #expect(throws: WireError.self) {
      try [2, 0xc3, 0x28].withWireReader { reader throws(WireError) in _ = try reader.text() }
    }
    #expect(error?.code == .invalidUTF8)
  }
}
