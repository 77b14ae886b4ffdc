import KithJSON
import KithReflection
import KithWire
import Testing
import TestingContract

@Suite struct JSONMappingTests {
  // MARK: From JSON

  @Test(arguments: [
    (#"{"aDouble": 1.5, "a_float": "0.25"}"#, Everything(aDouble: 1.5, aFloat: 0.25)),
    (#"{"aDouble": "NaN", "aFloat": "-Infinity"}"#, Everything(aDouble: .nan, aFloat: -.infinity)),
    (
      #"{"anInt32": "-7", "anInt64": -9223372036854775808}"#, Everything(anInt32: -7, anInt64: .min)
    ),
    (#"{"anInt32": 1e3, "aUint32": 3.0}"#, Everything(anInt32: 1000, aUint32: 3)),
    (#"{"aUint64": "18446744073709551615"}"#, Everything(aUint64: .max)),
    (#"{"aUint64": 18446744073709551615}"#, Everything(aUint64: .max)),
    (#"{"aBool": true, "aString": "a\u0000b"}"#, Everything(aBool: true, aString: "a\0b")),
    (#"{"aBytes": "AP8=", "maybeBytes": "_w"}"#, Everything(aBytes: [0, 255], maybeBytes: [255])),
    (
      #"{"aColour": "COLOUR_GREEN", "colours": [1, "VERDANT", 99]}"#,
      Everything(
        aColour: .init(rawValue: 2), colours: [.red, .init(rawValue: 2), .init(rawValue: 99)])
    ),
    (
      #"{"aLeaf": {}, "maybeLeaf": {"tags": ["x"]}}"#,
      Everything(aLeaf: Leaf(), maybeLeaf: Leaf(tags: ["x"]))
    ),
    (
      #"{"maybeInt32": 0, "maybeString": "", "maybeBool": null}"#,
      Everything(maybeInt32: 0, maybeString: "")
    ),
    (#"{"aLeaf": null, "strings": null, "textsByText": null}"#, Everything()),
    (
      #"{"textsByText": {"a": "1"}, "doublesByInt32": {"-1": 2}}"#,
      Everything(textsByText: ["a": "1"], doublesByInt32: [-1: 2])
    ),
    (
      #"{"coloursByBool": {"true": "RED", "false": 0}}"#,
      Everything(coloursByBool: [true: .red, false: .unspecified])
    ),
    (
      #"{"boolsByUint64": {"18446744073709551615": true}}"#, Everything(boolsByUint64: [.max: true])
    ),
    (#"{"chosenInt32": 0, "chosenString": null}"#, Everything(choice: .chosenInt32(0))),
    (
      #"{"treesByText": {"a": {"left": {"name": "b"}}}}"#,
      Everything(treesByText: ["a": Tree(left: Tree(name: "b"))])
    ),
  ])
  func jsonBecomesTheMessage(_ json: String, _ expected: Everything) throws {
    let message = try Contracts.everything().message(
      Contracts.everythingName, from: try JSONValue(parsing: json))
    #expect(message.encoded() == (try expected.encoded()))
  }

  @Test(arguments: [
    (#"[]"#, "expected an object with the fields of Everything, found a list"),
    (#"{"aDuoble": 1}"#, "Everything has no field 'aDuoble'"),
    (#"{"aLeaf": {"wieght": 1}}"#, "a_leaf: Leaf has no field 'wieght'"),
    (#"{"leaves": [{}, {"name": 7}]}"#, "leaves[1].name: expected a text, found a whole number"),
    (#"{"anInt32": 2147483648}"#, "an_int32: out of range; expected -2147483648 to 2147483647"),
    (#"{"aUint32": -1}"#, "a_uint32: out of range; expected 0 to 4294967295"),
    (#"{"anInt32": 1.5}"#, "an_int32: expected a whole number, found a fraction"),
    (#"{"anInt32": " 1"}"#, "an_int32: expected a whole number"),
    (#"{"anInt32": true}"#, "an_int32: expected a whole number, found true or false"),
    (
      #"{"aFloat": 1e39}"#,
      "a_float: out of range; expected a number that 32 bits hold, up to 3.4e38"
    ),
    (#"{"aBool": "true"}"#, "a_bool: expected true or false, found a text"),
    (#"{"aBytes": "a"}"#, "a_bytes: expected base64"),
    (#"{"aBytes": "%%%%"}"#, "a_bytes: expected base64"),
    (#"{"strings": ["x", null]}"#, "strings[1]: expected a text, found null"),
    (#"{"strings": "x"}"#, "strings: expected a list, found a text"),
    (#"{"doublesByInt32": {"x": 1}}"#, "doubles_by_int32[0] (the key): expected a whole number"),
    (#"{"doublesByInt32": {"1": 1, "1.0": 2}}"#, "doubles_by_int32[1]: the key is given twice"),
    (
      #"{"aString": "x", "a_string": "y"}"#,
      "a_string: the field is given twice, as a_string and as aString"
    ),
    (
      #"{"chosenInt32": 1, "chosenBool": true}"#,
      "chosen_bool: 'choice' is one of several fields, and chosen_int32 is given already"
    ),
  ])
  func whatDoesNotFitIsNamed(_ json: String, _ expected: String) throws {
    let value = try JSONValue(parsing: json)
    let error = #expect(throws: ContractError.self) {
      try Contracts.everything().message(Contracts.everythingName, from: value)
    }
    #expect(error?.description == expected)
  }

  @Test func anUnknownEnumNameListsTheNames() throws {
    let error = #expect(throws: ContractError.self) {
      try Contracts.everything().message(
        Contracts.everythingName, from: ["aColour": "REDD"])
    }
    #expect(error?.unknownName == "REDD")
    #expect(error?.candidates.contains("RED") == true)
  }

  // MARK: To JSON

  @Test(arguments: [
    (Everything(), "{}"),
    (Everything(aDouble: 0.1, aFloat: 0.1), #"{"aDouble":0.1,"aFloat":0.1}"#),
    (
      Everything(aDouble: .nan, maybeDouble: -.infinity),
      #"{"aDouble":"NaN","maybeDouble":"-Infinity"}"#
    ),
    (
      Everything(anInt32: -1, anInt64: .min, aUint32: .max, aUint64: .max),
      #"{"anInt32":-1,"anInt64":"-9223372036854775808","aUint32":4294967295,"aUint64":"18446744073709551615"}"#
    ),
    (Everything(aBytes: [0, 255]), #"{"aBytes":"AP8="}"#),
    (
      Everything(aColour: .red, colours: [.infrared, .init(rawValue: 9)]),
      #"{"aColour":"RED","colours":["INFRARED",9]}"#
    ),
    (
      Everything(aLeaf: Leaf(), maybeInt32: 0, choice: .chosenString("")),
      #"{"aLeaf":{},"maybeInt32":0,"chosenString":""}"#
    ),
    (
      Everything(doublesByInt32: [10: 1, 9: 2, -1: 3]),
      #"{"doublesByInt32":{"-1":3.0,"9":2.0,"10":1.0}}"#
    ),
    (
      Everything(coloursByBool: [true: .red, false: .unspecified]),
      #"{"coloursByBool":{"false":"COLOUR_UNSPECIFIED","true":"RED"}}"#
    ),
  ])
  func theMessageBecomesJSON(_ value: Everything, _ expected: String) throws {
    let contracts = try Contracts.everything()
    let message = try contracts.decode(try value.encoded(), as: Contracts.everythingName)
    #expect(message.json(contracts).text() == expected)
  }

  @Test func defaultsAreWrittenWhenAskedFor() throws {
    let contracts = try Contracts.everything()
    let leaf = try contracts.decode([], as: "kith.testing.v1.Leaf")
    #expect(
      leaf.json(contracts, options: MessageJSONOptions(includesDefaults: true)).text()
        == #"{"name":"","weight":0,"tags":[]}"#)
    let tree = try contracts.decode([], as: "kith.testing.v1.Tree")
    #expect(
      tree.json(contracts, options: MessageJSONOptions(includesDefaults: true)).text()
        == #"{"name":"","children":[],"named":{}}"#)
  }

  @Test func jsonThereAndBackIsTheSameMessage() throws {
    let contracts = try Contracts.everything()
    let bytes = try DynamicMessageWireTests.full.encoded()
    let json = try contracts.decode(bytes, as: Contracts.everythingName).json(contracts)
    let back = try contracts.message(
      Contracts.everythingName, from: try JSONValue(parsing: json.text()))
    #expect(back.encoded() == bytes)
  }

  @Test(arguments: [[], [1], [1, 2], [1, 2, 3], [255, 254, 253, 252]] as [[UInt8]])
  func base64GoesThereAndBack(_ bytes: [UInt8]) {
    #expect(Base64.decode(Base64.encode(bytes)) == bytes)
  }

  @Test(arguments: ["=", "A", "AA=A", "AA===", "AAA==", "A A=", "AAAAA"])
  func whatIsNoBase64IsRefused(_ text: String) {
    #expect(Base64.decode(text) == nil)
  }
}
