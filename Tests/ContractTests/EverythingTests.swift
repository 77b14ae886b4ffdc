import KithWire
import Testing
import TestingContract

/// What a generated type is like to use.
@Suite struct EverythingTests {
  @Test func aMessageAtItsDefaultsHasNoBytes() throws {
    #expect(try Everything().encoded().isEmpty)
    #expect(try Everything(decoding: []) == Everything())
  }

  @Test func valuesComeBack() throws {
    var message = Everything(
      aDouble: -0.0, aFloat: 1.5, anInt32: -1, anInt64: .min, aUint32: .max, aUint64: .max,
      aSint32: -2, aSint64: -3, aFixed32: 4, aFixed64: 5, aSfixed32: -6, aSfixed64: -7,
      aBool: true, aString: "a\0b", aBytes: [0, 255], aColour: .infrared,
      aLeaf: Leaf(name: "leaf", weight: -1, tags: ["", "x"]))
    message.doublesByInt32 = [-1: 0.5, 7: 0]
    message.leavesByFixed32 = [3: Leaf(), 4: Leaf(name: "four")]
    message.coloursByBool = [true: .verdant, false: Colour(rawValue: 99)]
    message.choice = .chosenEverything(Everything(choice: .chosenLeaf(Leaf(weight: 3))))
    message.nested = Everything(nested: Everything(anInt32: 3))
    message.nestedList = [Everything(), Everything(aBool: true)]
    message.tree = Tree(
      name: "root", left: Tree(name: "left"), children: [Tree(), Tree(name: "child")],
      named: ["": Tree(side: .number(0))], side: .right(Tree(name: "right")))
    message.bools = [true, false]
    message.byteStrings = [[], [1]]
    let decoded = try Everything(decoding: message.encoded())
    #expect(decoded == message)
    #expect(decoded.aDouble.sign == .minus)
    #expect(decoded.aString.utf8.count == 3)
  }

  @Test func absentAndDefaultDifferWhereTheContractSaysOptional() throws {
    let message = Everything(
      maybeDouble: 0, maybeInt32: 0, maybeBool: false, maybeString: "", maybeBytes: [],
      maybeColour: .unspecified)
    let decoded = try Everything(decoding: message.encoded())
    #expect(decoded == message)
    #expect(decoded.maybeString == "")
    #expect(decoded.maybeBytes == [])
    #expect(decoded.maybeUint64 == nil)
    #expect(decoded != Everything())
  }

  @Test(
    arguments: [
      .chosenInt32(0), .chosenString(""), .chosenBytes([]), .chosenBool(false),
      .chosenColour(.unspecified), .chosenLeaf(Leaf()), .chosenDouble(0),
    ] as [Everything.Choice])
  func aChoiceIsKeptAtItsDefault(_ choice: Everything.Choice) throws {
    #expect(try Everything(decoding: Everything(choice: choice).encoded()).choice == choice)
  }

  @Test func anEnumerationIsOpen() throws {
    let unknown = Colour(rawValue: -77)
    #expect(try Everything(decoding: Everything(aColour: unknown).encoded()).aColour == unknown)
    #expect(unknown.name == nil)
    #expect("\(unknown)" == "-77")
    #expect(Colour.verdant == .green)
    #expect(Colour.green.name == "COLOUR_GREEN")
    #expect(Colour(name: "INFRARED") == .infrared)
    #expect(Colour(name: "MAUVE") == nil)
    #expect(Colour.allCases == [.unspecified, .red, .green, .infrared])
    #expect(Everything.Awkward.TypeValue.default.rawValue == 1)
  }

  @Test func wordsOfBothLanguagesCanBeFields() throws {
    let message = Everything.Awkward(
      base: "a", hasBase: true, default: 3, initField: "b", description: "c", fullName: "d",
      unknownFieldsField: [1], in: [4], nIn: 5, message: "e", arena: "f", text: "g", value: "h",
      c: "i", type: .negative, switch: .selfField("j"))
    #expect(try Everything.Awkward(decoding: message.encoded()) == message)
  }

  @Test func unknownFieldsAreWrittenAgainBehindTheOthers() throws {
    var writer = WireWriter()
    writer.tag(200, .fixed32)
    writer.fixed32(7)
    writer.tag(1, .lengthDelimited)
    writer.text("known")
    writer.tag(536_870_910, .lengthDelimited)
    writer.text("unknown")
    let leaf = try Leaf(decoding: writer.bytes)
    #expect(leaf.name == "known")
    #expect(leaf.unknownFields.text(536_870_910) == "unknown")
    let again = try Leaf(decoding: leaf.encoded())
    #expect(again == leaf)
    // Also inside of other messages.
    let tree = try Everything(decoding: Everything(leaves: [leaf]).encoded())
    #expect(tree.leaves == [leaf])
  }

  @Test func aMessageThatIsSentInPartsIsMerged() throws {
    let first = Everything(
      nested: Everything(
        aString: "first", strings: ["a"], textsByText: ["k": "1", "l": "2"],
        choice: .chosenLeaf(Leaf(name: "leaf", tags: ["x"]))))
    let second = Everything(
      nested: Everything(
        anInt32: 2, strings: ["b"], textsByText: ["k": "3"],
        choice: .chosenLeaf(Leaf(weight: 4, tags: ["y"]))))
    let merged = try Everything(decoding: first.encoded() + second.encoded())
    let expected = Everything(
      nested: Everything(
        anInt32: 2, aString: "first", strings: ["a", "b"], textsByText: ["k": "3", "l": "2"],
        choice: .chosenLeaf(Leaf(name: "leaf", weight: 4, tags: ["x", "y"]))))
    #expect(merged == expected)
  }

  @Test func mapsAreWrittenInTheOrderOfTheirKeys() throws {
    let keys = (0..<100).map { "key \($0)" }
    let one = Everything(textsByText: Dictionary(uniqueKeysWithValues: keys.map { ($0, "") }))
    let other = Everything(
      textsByText: Dictionary(uniqueKeysWithValues: keys.reversed().map { ($0, "") }))
    #expect(try one.encoded() == other.encoded())
  }

  @Test func aSensitiveValueIsNeverPrinted() {
    let message = Everything(secret: "4111 1111", maybeSecret: [41, 11])
    var dumped = ""
    dump(message, to: &dumped)
    for text in ["\(message)", String(reflecting: message), "\([message])", dumped] {
      #expect(!text.contains("4111"))
      #expect(!text.contains("[41"))
    }
    #expect(
      "\(message)"
        == "kith.testing.v1.Everything(secret: <sensitive>, maybeSecret: <sensitive>)")
    #expect(
      "\(Everything(nested: message))"
        == "kith.testing.v1.Everything(nested: \(message))")
    #expect("\(Everything.Awkward(description: "d"))".contains("Awkward(description: \"d\")"))
  }

  @Test func aMessageIsWrittenInFrontOfOthersWithoutACopy() throws {
    var buffer = WireBuffer(headroom: 64)
    let inner = Leaf(name: "inner")
    try inner.encode(into: &buffer)
    let size = buffer.count
    buffer.prepend(varint: UInt64(size))
    buffer.prepend(varint: 17 << 3 | 2)
    try Everything(anInt32: 5).encode(before: &buffer)
    #expect(try Everything(decoding: buffer.bytes) == Everything(anInt32: 5, aLeaf: inner))
    #expect(buffer.headroom > 0)
  }
}
