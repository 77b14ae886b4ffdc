import KithJSON
import Testing

@Suite struct JSONWriterTests {
  @Test func writesOneLineInTheOrderOfTheMembers() {
    let value: JSONValue = ["b": [1, 2.5, "x"], "a": nil, "c": [:], "d": []]
    #expect(value.text() == #"{"b":[1,2.5,"x"],"a":null,"c":{},"d":[]}"#)
  }

  @Test func writesPrettyAndSorted() {
    let value: JSONValue = ["b": [1, [:]], "a": true]
    #expect(
      value.text(pretty: true, sorted: true)
        == """
        {
          "a": true,
          "b": [
            1,
            {}
          ]
        }
        """)
  }

  @Test func escapesWhatCouldSteerATerminal() {
    #expect(
      JSONValue.string("\u{1b}[31m\u{9b}\u{7f}\0\"\\\n").text()
        == #""\u001b[31m\u009b\u007f\u0000\"\\\n""#)
  }

  @Test func writesWhatJSONCannotHoldAsNull() {
    #expect(JSONValue.array([.number(.nan), .number(.infinity)]).text() == "[null,null]")
  }

  @Test func everyValueComesBack() throws {
    var generator = SeededGenerator(seed: 1)
    for _ in 0..<2_000 {
      let value = JSONValue.random(using: &generator)
      let text = value.text()
      let read = try JSONValue(parsing: text)
      #expect(read == value, "\(text)")
      #expect(read.text() == text)
      #expect(try JSONValue(parsing: value.text(pretty: true, sorted: true)) == value)
    }
  }
}
