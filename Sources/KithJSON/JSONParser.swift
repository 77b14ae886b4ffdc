extension JSONValue {
  /// Reads one JSON value; white space around it is allowed, anything else is not.
  ///
  /// Strict RFC 8259: no comments, no trailing commas, no duplicate names, UTF-8 only. Nothing that
  /// a hostile text can hold costs more than time and memory in proportion to its length.
  public init(parsing text: String, limits: JSONLimits = .standard) throws(JSONError) {
    try self.init(parsing: Array(text.utf8), limits: limits)
  }

  /// Reads one JSON value from UTF-8.
  public init(parsing bytes: [UInt8], limits: JSONLimits = .standard) throws(JSONError) {
    guard bytes.count <= limits.maximumBytes else {
      throw JSONError(
        .tooLarge, "the text has \(bytes.count) bytes; at most \(limits.maximumBytes) are read",
        line: 1, column: 1)
    }
    var parser = JSONParser(bytes: bytes, maximumDepth: limits.maximumDepth)
    self = try parser.parseDocument()
  }
}

/// One pass over the bytes by recursive descent; the depth limit bounds the stack.
struct JSONParser {
  let bytes: [UInt8]
  let maximumDepth: Int
  private var position = 0

  init(bytes: [UInt8], maximumDepth: Int) {
    self.bytes = bytes
    self.maximumDepth = maximumDepth
  }

  mutating func parseDocument() throws(JSONError) -> JSONValue {
    skipWhitespace()
    let value = try parseValue(depth: 0)
    skipWhitespace()
    guard position == bytes.count else {
      throw failure(.syntax, "expected the end after the value, found \(found())")
    }
    return value
  }

  private mutating func parseValue(depth: Int) throws(JSONError) -> JSONValue {
    switch current {
    case UInt8(ascii: "{"): return try parseObject(depth: depth + 1)
    case UInt8(ascii: "["): return try parseArray(depth: depth + 1)
    case UInt8(ascii: "\""): return .string(try parseString())
    case let byte? where byte == UInt8(ascii: "-") || isDigit(byte): return try parseNumber()
    case UInt8(ascii: "t"): return try parseWord("true", .bool(true))
    case UInt8(ascii: "f"): return try parseWord("false", .bool(false))
    case UInt8(ascii: "n"): return try parseWord("null", .null)
    default: throw failure(.syntax, "expected a value, found \(found())")
    }
  }

  private mutating func parseObject(depth: Int) throws(JSONError) -> JSONValue {
    try checkDepth(depth)
    position += 1
    var object = JSONObject()
    skipWhitespace()
    if accept(UInt8(ascii: "}")) { return .object(object) }
    while true {
      skipWhitespace()
      guard current == UInt8(ascii: "\"") else {
        throw failure(.syntax, "expected a name in double quotes, found \(found())")
      }
      let nameStart = position
      let name = try parseString()
      skipWhitespace()
      guard accept(UInt8(ascii: ":")) else {
        throw failure(.syntax, "expected ':' after the name, found \(found())")
      }
      skipWhitespace()
      let value = try parseValue(depth: depth)
      guard object[name] == nil else {
        throw failure(.duplicateName, "the object has this name already", at: nameStart)
      }
      object[name] = value
      skipWhitespace()
      if accept(UInt8(ascii: "}")) { return .object(object) }
      guard accept(UInt8(ascii: ",")) else {
        throw failure(.syntax, "expected ',' or '}', found \(found())")
      }
    }
  }

  private mutating func parseArray(depth: Int) throws(JSONError) -> JSONValue {
    try checkDepth(depth)
    position += 1
    var values: [JSONValue] = []
    skipWhitespace()
    if accept(UInt8(ascii: "]")) { return .array(values) }
    while true {
      skipWhitespace()
      values.append(try parseValue(depth: depth))
      skipWhitespace()
      if accept(UInt8(ascii: "]")) { return .array(values) }
      guard accept(UInt8(ascii: ",")) else {
        throw failure(.syntax, "expected ',' or ']', found \(found())")
      }
    }
  }

  private mutating func parseWord(
    _ word: StaticString, _ value: JSONValue
  ) throws(JSONError) -> JSONValue {
    let start = position
    let matches = word.withUTF8Buffer { expected in
      bytes.count - start >= expected.count
        && bytes[start..<start + expected.count].elementsEqual(expected)
    }
    guard matches else {
      throw failure(.syntax, "expected a value; a text needs double quotes")
    }
    position += word.utf8CodeUnitCount
    return value
  }

  private mutating func parseNumber() throws(JSONError) -> JSONValue {
    let start = position
    let isNegative = accept(UInt8(ascii: "-"))
    let integerStart = position
    try skipDigits("a digit")
    if bytes[integerStart] == UInt8(ascii: "0"), position - integerStart > 1 {
      throw failure(.syntax, "a number may not begin with 0", at: start)
    }
    var isWhole = true
    if accept(UInt8(ascii: ".")) {
      isWhole = false
      try skipDigits("a digit after the decimal point")
    }
    if accept(UInt8(ascii: "e")) || accept(UInt8(ascii: "E")) {
      isWhole = false
      if !accept(UInt8(ascii: "+")) { _ = accept(UInt8(ascii: "-")) }
      try skipDigits("a digit of the exponent")
    }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    if isWhole {
      // `-0` stays a double, the only case that keeps its sign.
      if let value = Int64(text), !(isNegative && value == 0) { return .integer(value) }
      if !isNegative, let value = UInt64(text) { return .unsigned(value) }
    }
    guard let value = Double(text), value.isFinite else {
      throw failure(.number, "the number is too large for a double", at: start)
    }
    return .number(value)
  }

  private mutating func skipDigits(_ expected: String) throws(JSONError) {
    let start = position
    while let byte = current, isDigit(byte) {
      position += 1
    }
    if position == start { throw failure(.syntax, "expected \(expected), found \(found())") }
  }

  /// Reads a string at its opening quote.
  private mutating func parseString() throws(JSONError) -> String {
    let start = position
    position += 1
    var hasEscapes = false
    var unescaped: [UInt8] = []
    var runStart = position
    while let byte = current {
      switch byte {
      case UInt8(ascii: "\""):
        let run = bytes[runStart..<position]
        let text: String?
        if hasEscapes {
          unescaped.append(contentsOf: run)
          text = String(validating: unescaped, as: UTF8.self)
        } else {
          text = String(validating: run, as: UTF8.self)
        }
        guard let text else {
          throw failure(.encoding, "the text in these quotes is not valid UTF-8", at: start)
        }
        position += 1
        return text
      case UInt8(ascii: "\\"):
        hasEscapes = true
        unescaped.append(contentsOf: bytes[runStart..<position])
        try parseEscape(into: &unescaped)
        runStart = position
      case 0..<0x20:
        throw failure(.syntax, "a control character in a text must be escaped")
      default:
        position += 1
      }
    }
    throw failure(.syntax, "the text that begins here has no closing quote", at: start)
  }

  private mutating func parseEscape(into unescaped: inout [UInt8]) throws(JSONError) {
    let start = position
    position += 1
    guard let letter = current else {
      throw failure(.syntax, "expected a character after '\\', found \(found())")
    }
    position += 1
    switch letter {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): unescaped.append(letter)
    case UInt8(ascii: "b"): unescaped.append(0x08)
    case UInt8(ascii: "f"): unescaped.append(0x0c)
    case UInt8(ascii: "n"): unescaped.append(0x0a)
    case UInt8(ascii: "r"): unescaped.append(0x0d)
    case UInt8(ascii: "t"): unescaped.append(0x09)
    case UInt8(ascii: "u"):
      let scalar = try parseUnicodeEscape(start: start)
      unescaped.append(contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
    default:
      throw failure(.syntax, "JSON knows no such escape; '\\\\' is a backslash", at: start)
    }
  }

  /// Reads the digits after `\u`, and the second half when they are the first half of a surrogate
  /// pair.
  private mutating func parseUnicodeEscape(start: Int) throws(JSONError) -> Unicode.Scalar {
    let first = try parseHexadecimalDigits()
    if let scalar = Unicode.Scalar(first) { return scalar }
    guard UTF16.isLeadSurrogate(first), accept(UInt8(ascii: "\\")), accept(UInt8(ascii: "u")) else {
      throw failure(.encoding, "the escape is half a surrogate pair", at: start)
    }
    let second = try parseHexadecimalDigits()
    guard UTF16.isTrailSurrogate(second) else {
      throw failure(.encoding, "the escape is half a surrogate pair", at: start)
    }
    let value = 0x10000 + (UInt32(first) - 0xd800) << 10 + (UInt32(second) - 0xdc00)
    return Unicode.Scalar(value) ?? "\u{fffd}"
  }

  private mutating func parseHexadecimalDigits() throws(JSONError) -> UInt16 {
    var value: UInt16 = 0
    for _ in 0..<4 {
      guard let byte = current, let digit = Character(Unicode.Scalar(byte)).hexDigitValue,
        byte < 0x80
      else {
        throw failure(.syntax, "expected four hexadecimal digits after '\\u', found \(found())")
      }
      value = value << 4 | UInt16(digit)
      position += 1
    }
    return value
  }

  // MARK: Bytes

  private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

  private func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private mutating func accept(_ byte: UInt8) -> Bool {
    guard current == byte else { return false }
    position += 1
    return true
  }

  private mutating func skipWhitespace() {
    while let byte = current, byte == 0x20 || byte == 0x0a || byte == 0x0d || byte == 0x09 {
      position += 1
    }
  }

  // MARK: Errors

  private func checkDepth(_ depth: Int) throws(JSONError) {
    guard depth <= maximumDepth else {
      throw failure(.tooDeep, "more than \(maximumDepth) lists and objects within each other")
    }
  }

  /// What stands here: the end, or punctuation; letters and digits are not quoted, since they may
  /// be personal.
  private func found() -> String {
    guard let byte = current else { return "the end" }
    switch byte {
    case UInt8(ascii: "{"), UInt8(ascii: "}"), UInt8(ascii: "["), UInt8(ascii: "]"),
      UInt8(ascii: ","), UInt8(ascii: ":"), UInt8(ascii: "\""), UInt8(ascii: "'"):
      return "'\(Character(Unicode.Scalar(byte)))'"
    case 0x80...: return "a character outside ASCII"
    case 0..<0x20: return "a control character"
    default: return "something else"
    }
  }

  private func failure(
    _ code: JSONError.Code, _ message: String, at place: Int? = nil
  ) -> JSONError {
    let before = bytes[..<min(place ?? position, bytes.count)]
    let line = before.count { $0 == 0x0a } + 1
    let lineStart = before.lastIndex(of: 0x0a).map { $0 + 1 } ?? 0
    // Bytes that continue a character are not counted, so that the column is what an editor shows.
    let column = bytes[lineStart..<before.endIndex].count { $0 & 0xc0 != 0x80 } + 1
    return JSONError(code, message, line: line, column: column)
  }
}
