import KithJSON
import KithReflection
import KithWire
import RiskContract
import Testing
import TestingContract

/// The generated types are the measure: what they encode must come back byte for byte through a
/// contract that is only known at run time.
@Suite struct DynamicMessageWireTests {
  @Test func aMessageWithEveryFieldGoesThereAndBack() throws {
    let contracts = try Contracts.everything()
    let bytes = try Self.full.encoded()
    let message = try contracts.decode(bytes, as: Contracts.everythingName)
    #expect(message.unknownFieldCount == 0)
    #expect(message.encoded() == bytes)
  }

  @Test func anEmptyMessageIsNoBytes() throws {
    let message = try Contracts.everything().decode([], as: Contracts.everythingName)
    #expect(message.fields.isEmpty)
    #expect(message.encoded() == [])
  }

  @Test func presenceIsKept() throws {
    let contracts = try Contracts.everything()
    let value = Everything(maybeInt32: 0, maybeString: "", choice: .chosenBool(false))
    let message = try contracts.decode(try value.encoded(), as: Contracts.everythingName)
    #expect(message["maybe_int32"] == .signed(0))
    #expect(message["maybe_string"] == .string(""))
    #expect(message["chosen_bool"] == .bool(false))
    #expect(message["a_int32"] == nil)
    #expect(try Everything(decoding: message.encoded()) == value)
  }

  @Test func aNumberThatIsTooLongForItsTypeIsCutAsTheGeneratedDecoderDoes() throws {
    let long: [UInt8] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x2e]
    // Fields 3, 5, 7 and 13: an int32, a uint32, a sint32 and a bool.
    let bytes = [0x18, 0x28, 0x38, 0x68].flatMap { (tag: UInt8) in [tag] + long }
    let message = try Contracts.everything().decode(bytes, as: Contracts.everythingName)
    #expect(try Everything(decoding: message.encoded()) == Everything(decoding: bytes))
  }

  @Test func unpackedNumbersAreReadToo() throws {
    // Field 43, two values, one by one.
    let message = try Contracts.everything().decode(
      [0xd8, 0x02, 0x01, 0xd8, 0x02, 0x02], as: Contracts.everythingName)
    #expect(message["int32s"] == .list([.signed(1), .signed(2)]))
  }

  @Test func messagesGivenTwiceAreMerged() throws {
    let contracts = try Contracts.everything()
    let first = try Everything(aLeaf: Leaf(name: "a", tags: ["x"])).encoded()
    let second = try Everything(aLeaf: Leaf(weight: 7, tags: ["y"])).encoded()
    let message = try contracts.decode(first + second, as: Contracts.everythingName)
    #expect(
      try Everything(decoding: message.encoded()).aLeaf
        == Leaf(name: "a", weight: 7, tags: ["x", "y"]))
  }

  @Test func theLastMemberOfAChoiceStands() throws {
    let contracts = try Contracts.everything()
    let first = try Everything(choice: .chosenInt32(1)).encoded()
    let second = try Everything(choice: .chosenString("two")).encoded()
    let message = try contracts.decode(first + second, as: Contracts.everythingName)
    #expect(message["chosen_int32"] == nil)
    #expect(message["chosen_string"] == .string("two"))
  }

  @Test func unknownFieldsAreCounted() throws {
    let bytes = try AnalyzeResponse(score: 0.5, legalNote: "x").encoded()
    let message = try Contracts.risk().decode(bytes, as: "kith.risk.v1.GetModelRequest")
    #expect(message.unknownFieldCount == 2)
  }

  @Test func aTextThatIsNoUTF8IsRefused() throws {
    let error = #expect(throws: ContractError.self) {
      try Contracts.risk().decode([0x0a, 0x01, 0xff], as: "kith.risk.v1.AnalyzeRequest")
    }
    #expect(error?.code == .malformedMessage)
  }

  @Test func nestingIsBounded() throws {
    var bytes: [UInt8] = []
    for _ in 0..<200 {
      var writer = WireWriter()
      writer.varint(81 << 3 | 2)
      writer.bytes(bytes)
      bytes = writer.bytes
    }
    #expect(throws: ContractError.self) {
      try Contracts.everything().decode(bytes, as: Contracts.everythingName)
    }
  }

  @Test func damagedBytesAreRefusedOrReadButNeverCrash() throws {
    let contracts = try Contracts.everything()
    let whole = try Self.full.encoded()
    var random = SystemRandomNumberGenerator()
    for _ in 0..<2000 {
      var bytes = whole
      for _ in 0..<Int.random(in: 1...8, using: &random) {
        bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0..<bytes.count)) }
      guard let message = try? contracts.decode(bytes, as: Contracts.everythingName) else {
        continue
      }
      _ = message.json(contracts).text()
      // What is read of it all the same is written as it was read.
      let encoded = message.encoded()
      #expect(try contracts.decode(encoded, as: Contracts.everythingName).encoded() == encoded)
    }
  }

  /// A message that has a value in nearly every field.
  static let full = Everything(
    aDouble: -1.5, aFloat: 0.1, anInt32: .min, anInt64: .min, aUint32: .max, aUint64: .max,
    aSint32: .min, aSint64: .max, aFixed32: .max, aFixed64: .max, aSfixed32: .min,
    aSfixed64: .min, aBool: true, aString: "a\0b\u{1f600}", aBytes: [0, 255],
    aColour: .infrared, aLeaf: Leaf(name: "leaf", weight: -3, tags: ["a", "b"]),
    maybeDouble: 0, maybeFloat: .infinity, maybeInt32: 0, maybeSint64: -1, maybeFixed32: 0,
    maybeUint64: 0, maybeBool: false, maybeString: "", maybeBytes: [], maybeColour: .unspecified,
    maybeLeaf: Leaf(), doubles: [1, .nan, -0.0], floats: [1.25], int32s: [-1, 0, 1],
    int64s: [.max], uint32s: [1, 300], uint64s: [.max], sint32s: [-1], sint64s: [.min],
    fixed32s: [7], fixed64s: [8], sfixed32s: [-7], sfixed64s: [-8], bools: [true, false],
    strings: ["", "x"], byteStrings: [[], [1]], colours: [.red, .infrared], leaves: [Leaf()],
    textsByText: ["b": "2", "a": "1"], doublesByInt32: [-1: 0.5, 2: 0],
    bytesBySint64: [-5: [1, 2]], coloursByBool: [true: .red, false: .unspecified],
    leavesByFixed32: [9: Leaf(name: "nine")],
    treesByText: ["oak": Tree(name: "oak", children: [Tree(name: "twig")])],
    boolsByUint64: [.max: true], choice: .chosenLeaf(Leaf(name: "chosen")),
    nestedList: [Everything(anInt32: 1)], secret: "s", last: 1)
}
