import KithWire
import Testing

/// Each named difference between the two libraries, shown on one message: when one of them goes, so
/// may its name.
@Suite struct DifferenceTests {
  private let leaf = "kith.testing.v1.Leaf"

  @Test(
    arguments: [
      // The number 5 where a text belongs; a group; a length with zeros behind it.
      (Difference.otherType, [0x08, 5]), (.group, [0x4b, 0x4c]),
      (.overlongLength, [0x0a, 0x80, 0x80, 0x80, 0x80, 0x80, 0x00]),
    ] as [(Difference, [UInt8])])
  func isRefusedHereAndTakenThere(_ difference: Difference, _ bytes: [UInt8]) throws {
    let pair = try #require(Pair.all.first { $0.name == leaf })
    #expect(throws: WireError.self) { try pair.recode(bytes) }
    #expect(throws: Never.self) { try pair.recodeByOther(bytes) }
    #expect(Difference.all(in: bytes, of: leaf).contains(difference))
  }

  @Test func replacedTextIsTakenHereAndRefusedThere() throws {
    let pair = try #require(Pair.all.first { $0.name == leaf })
    let bytes: [UInt8] = [0x0a, 1, 0xff, 0x0a, 1, 0x61]
    #expect(try pair.recode(bytes) == [0x0a, 1, 0x61])
    #expect(throws: (any Error).self) { try pair.recodeByOther(bytes) }
    #expect(Difference.all(in: bytes, of: leaf) == [.replacedText])
  }

  @Test func theTagOfAnUnknownFieldLosesItsPadding() throws {
    let pair = try #require(Pair.all.first { $0.name == leaf })
    let bytes: [UInt8] = [0xc8, 0x00, 1]
    #expect(try pair.recode(bytes) == [0x48, 1])
    #expect(try pair.recodeByOther(bytes) == bytes)
    #expect(Difference.all(in: bytes, of: leaf) == [.paddedTag])
  }

  @Test func aChoiceThatIsSentTwiceIsReplacedHereAndMergedThere() throws {
    let tree = "kith.testing.v1.Tree"
    let pair = try #require(Pair.all.first { $0.name == tree })
    // right { name: "a" }, then right { number: 1 }.
    let bytes: [UInt8] = [0x2a, 3, 0x0a, 1, 0x61, 0x2a, 2, 0x30, 1]
    #expect(try pair.recode(bytes) == [0x2a, 2, 0x30, 1])
    #expect(try pair.recodeByOther(bytes) == [0x2a, 5, 0x0a, 1, 0x61, 0x30, 1])
    #expect(Difference.all(in: bytes, of: tree) == [.choiceTwice])
  }

  @Test func aNumberThatAClosedEnumerationLacksStaysHereAndMovesThere() throws {
    let field = "google.protobuf.FieldDescriptorProto"
    let pair = try #require(Pair.all.first { $0.name == field })
    // label: 99, type: TYPE_BOOL.
    let bytes: [UInt8] = [0x20, 99, 0x28, 8]
    #expect(try pair.recode(bytes) == bytes)
    #expect(try pair.recodeByOther(bytes) == [0x28, 8, 0x20, 99])
    #expect(Difference.all(in: bytes, of: field) == [.closedEnum])
  }
}
