import KithJSON
import Testing

@Suite struct JSONObjectTests {
  @Test func keepsTheOrderWhateverTheSize() {
    var object = JSONObject()
    let names = (0..<100).map { "key\($0 * 7919 % 101)" }
    for (position, name) in names.enumerated() { object[name] = .integer(Int64(position)) }
    #expect(object.names == names)
    for (position, name) in names.enumerated() {
      #expect(object[name] == .integer(Int64(position)))
    }
    for name in names.prefix(95) { object[name] = nil }
    #expect(object.names == Array(names.suffix(5)))
    #expect(object[names[99]] == 99)
    #expect(object[names[0]] == nil)
  }

  @Test func equalityLooksAtTheMembersOnly() {
    #expect(["a": 1, "b": 2] as JSONObject == ["b": 2, "a": 1])
    #expect(["a": 1] as JSONObject != ["a": 1, "b": 2])
    #expect(["a": 1] as JSONObject != ["b": 1])
  }

  @Test func ofANameGivenTwiceTheLastStandsInTheFirstPlace() {
    #expect((["a": 1, "b": 2, "a": 3] as JSONObject).members.map(\.value) == [3, 2])
  }

  @Test func numbersConvertOnlyWhenExact() {
    #expect(JSONValue.number(3).integerValue == 3)
    #expect(JSONValue.number(3.5).integerValue == nil)
    #expect(JSONValue.unsigned(.max).integerValue == nil)
    #expect(JSONValue.integer(-1).unsignedValue == nil)
    #expect(JSONValue.number(1e300).integerValue == nil)
    #expect(JSONValue(UInt64.max) == .unsigned(.max))
    #expect(JSONValue(UInt64(5)) == .integer(5))
    #expect(JSONValue.string("5").integerValue == nil)
  }
}
