import KithJSON
import Testing

@Suite struct JSONParserTests {
  private static let values: [(String, JSONValue)] = [
    ("null", .null),
    (" true\n", .bool(true)),
    ("false", .bool(false)),
    ("0", .integer(0)),
    ("-0", .number(-0.0)),
    ("-7", .integer(-7)),
    ("9223372036854775807", .integer(.max)),
    ("-9223372036854775808", .integer(.min)),
    ("9223372036854775808", .unsigned(9_223_372_036_854_775_808)),
    ("18446744073709551615", .unsigned(.max)),
    ("18446744073709551616", .number(18_446_744_073_709_551_616)),
    ("1.0", .number(1)),
    ("1e3", .number(1000)),
    ("5e-324", .number(.leastNonzeroMagnitude)),
    ("1e-400", .number(0)),
    (#""a\"\\\/\b\f\n\r\t""#, .string("a\"\\/\u{8}\u{c}\n\r\t")),
    (#""\u00e9\ud83d\ude00\u0000""#, .string("é😀\0")),
    ("\"é😀\u{7f}\"", .string("é😀\u{7f}")),
    ("[]", .array([])),
    ("[1, [2], {}]", [1, [2], [:]]),
    (#"{"b": 1, "a": {"c": null}}"#, ["b": 1, "a": ["c": nil]]),
  ]

  @Test(arguments: values)
  func readsValues(text: String, value: JSONValue) throws {
    #expect(try JSONValue(parsing: text) == value)
  }

  @Test func keepsTheSignOfZero() throws {
    #expect(try JSONValue(parsing: "-0").doubleValue?.sign == .minus)
  }

  @Test(arguments: [
    ("", JSONError.Code.syntax, 1, 1),
    ("   ", .syntax, 1, 4),
    ("{", .syntax, 1, 2),
    ("[1,]", .syntax, 1, 4),
    ("[1 2]", .syntax, 1, 4),
    ("{\"a\" 1}", .syntax, 1, 6),
    ("{\"a\": 1,}", .syntax, 1, 9),
    ("{a: 1}", .syntax, 1, 2),
    ("{\n  'a': 1}", .syntax, 2, 3),
    ("nul", .syntax, 1, 1),
    ("1 1", .syntax, 1, 3),
    ("01", .syntax, 1, 1),
    ("-", .syntax, 1, 2),
    ("1.", .syntax, 1, 3),
    (".5", .syntax, 1, 1),
    ("+1", .syntax, 1, 1),
    ("1e", .syntax, 1, 3),
    ("NaN", .syntax, 1, 1),
    ("1e400", .number, 1, 1),
    ("\"a", .syntax, 1, 1),
    ("\"a\nb\"", .syntax, 1, 3),
    ("\"\\", .syntax, 1, 3),
    ("\"\\x\"", .syntax, 1, 2),
    ("\"\\u12\"", .syntax, 1, 6),
    ("\"\\ud800\"", .encoding, 1, 2),
    ("\"\\udc00\"", .encoding, 1, 2),
    ("\"\\ud800\\u0041\"", .encoding, 1, 2),
    ("{\"a\": 1, \"a\": 2}", .duplicateName, 1, 10),
    ("[\"éé\", x]", .syntax, 1, 8),
    ("\u{feff}1", .syntax, 1, 1),
  ])
  func refusesAndSaysWhere(text: String, code: JSONError.Code, line: Int, column: Int) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
    #expect(error?.code == code)
    #expect(error?.line == line)
    #expect(error?.column == column)
  }

  @Test(arguments: [
    [0x22, 0xff, 0x22], [0x22, 0xc0, 0x80, 0x22], [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0x22, 0xf4, 0x90, 0x80, 0x80, 0x22], [0x22, 0xe2, 0x82, 0x22], [0x22, 0x5c, 0x6e, 0xff, 0x22],
  ])
  func refusesInvalidUTF8(bytes: [UInt8]) throws {
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: bytes) }
    #expect(error?.code == .encoding)
  }

  @Test func boundsTheDepth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }
    #expect(throws: Never.self) { try JSONValue(parsing: nested(100)) }
    for depth in [101, 1_000_000] {
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: nested(depth)) }
      #expect(error?.code == .tooDeep)
    }
    #expect(JSONLimits(maximumDepth: .max).maximumDepth == 1000)
  }

  @Test func boundsTheSize() throws {
    let limits = JSONLimits(maximumBytes: 4)
    #expect(try JSONValue(parsing: "1234", limits: limits) == 1234)
    let error = #expect(throws: JSONError.self) { try JSONValue(parsing: "12345", limits: limits) }
    #expect(error?.code == .tooLarge)
  }

  @Test func neverQuotesTheText() throws {
    for text in ["{\"a\": secret}", "[\"x\" secret]", "secret", "{\"secret\": 1, \"secret\": 2}"] {
      let error = #expect(throws: JSONError.self) { try JSONValue(parsing: text) }
      #expect(error?.description.contains("secret") == false)
    }
  }

  /// Cuts, flips and swaps bytes of valid texts: the answer is a value or an error, never a trap.
  @Test func survivesMutatedTexts() throws {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<3_000 {
      var bytes = Array(JSONValue.random(using: &generator).text().utf8)
      for _ in 0..<Int.random(in: 1...4, using: &generator) where !bytes.isEmpty {
        let position = Int.random(in: bytes.indices, using: &generator)
        switch Int.random(in: 0..<3, using: &generator) {
        case 0: bytes[position] = UInt8.random(in: 0...255, using: &generator)
        case 1: bytes.removeSubrange(position...)
        default: bytes.insert(UInt8(ascii: "["), at: position)
        }
      }
      // What is read of it all the same is written as it was read.
      guard let value = try? JSONValue(parsing: bytes) else { continue }
      #expect(try JSONValue(parsing: value.text()) == value)
    }
  }
}
