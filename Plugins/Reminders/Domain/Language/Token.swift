/// A word, a number or a sign, with its place.
struct Token: Sendable {
  enum Kind: Sendable {
    case word, number, sign
  }

  var kind: Kind
  /// The bytes of the text that it is.
  var range: Range<Int>
  /// What the word can mean; nothing for words that the grammar does not know, numbers and signs.
  var lexeme = Lexeme()
  /// The word in lower case, without 's; empty where it is longer than any that the grammar knows.
  var text = ""
  /// The number, -1 where it has more than nine digits.
  var value = 0
  /// The ASCII character of a sign.
  var sign: UInt8 = 0
  /// Whether nothing is between it and the token before.
  var isAdjacent = false
  /// Whether the grammar knows the word.
  var isKnown = false
  /// Written with 's at its end.
  var isPossessive = false
}

/// Cuts a text into tokens in one pass: letters, digits and signs apart, so that `16h30` is three.
struct Tokenizer {
  /// Longer texts are read up to here; a reminder in more words is none.
  static let longestText = 2048

  static func tokens(of text: [UInt8]) -> [Token] {
    var tokens: [Token] = []
    tokens.reserveCapacity(16)
    let end = min(text.count, longestText)
    var index = 0
    while index < end {
      let byte = text[index]
      let start = index
      if byte <= 32 {
        index += 1
        continue
      }
      let isAdjacent = tokens.last.map { $0.range.upperBound == start } ?? false
      if isDigit(byte) {
        while index < end, isDigit(text[index]) { index += 1 }
        var token = Token(kind: .number, range: start..<index, isAdjacent: isAdjacent)
        token.value = value(text[start..<index])
        tokens.append(token)
      } else if isLetter(byte) || byte == UInt8(ascii: "@") || byte == UInt8(ascii: "&") {
        tokens.append(word(text, &index, end: end, isAdjacent: isAdjacent))
      } else {
        index += 1
        tokens.append(
          Token(kind: .sign, range: start..<index, sign: byte, isAdjacent: isAdjacent))
      }
    }
    return tokens
  }

  private static func word(
    _ text: [UInt8], _ index: inout Int, end: Int, isAdjacent: Bool
  ) -> Token {
    let start = index
    if isLetter(text[index]) {
      index += 1
      while index < end, isLetter(text[index]) || isInnerApostrophe(text, index, end) { index += 1 }
    } else {
      index += 1
    }
    var token = Token(kind: .word, range: start..<index, isAdjacent: isAdjacent)
    // No known word is longer, 's and an apostrophe of three bytes included.
    guard index - start <= 19 else { return token }
    (token.text, token.isPossessive) = lowercased(text, start..<index)
    if let lexeme = Lexicon.lookup(token.text) {
      token.lexeme = lexeme
      token.isKnown = true
    }
    return token
  }

  /// The word in lower case, without 's, its apostrophes straight; short strings are not allocated.
  private static func lowercased(_ text: [UInt8], _ range: Range<Int>) -> (String, Bool) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { buffer in
      var count = 0
      var index = range.lowerBound
      while index < range.upperBound {
        let isCurly = isCurlyApostrophe(text, index, range.upperBound)
        let byte = isCurly ? UInt8(ascii: "'") : text[index]
        buffer[count] = (65...90).contains(byte) ? byte | 32 : byte
        count += 1
        index += isCurly ? 3 : 1
      }
      let isPossessive =
        count > 3 && buffer[count - 1] == UInt8(ascii: "s")
        && buffer[count - 2] == UInt8(ascii: "'")
      if isPossessive { count -= 2 }
      return (String(decoding: buffer[..<count], as: UTF8.self), isPossessive)
    }
  }

  /// An apostrophe between letters, straight: the curly one is of bytes that count as letters.
  private static func isInnerApostrophe(_ text: [UInt8], _ index: Int, _ end: Int) -> Bool {
    text[index] == UInt8(ascii: "'") && index + 1 < end && isLetter(text[index + 1])
  }

  /// U+2019 in UTF-8.
  private static func isCurlyApostrophe(_ text: [UInt8], _ index: Int, _ end: Int) -> Bool {
    index + 2 < end && text[index] == 0xe2 && text[index + 1] == 0x80 && text[index + 2] == 0x99
  }

  private static func isDigit(_ byte: UInt8) -> Bool { byte &- 48 <= 9 }

  /// A letter of ASCII, or a part of any other character.
  private static func isLetter(_ byte: UInt8) -> Bool { (byte | 32) &- 97 <= 25 || byte >= 128 }

  private static func value(_ digits: ArraySlice<UInt8>) -> Int {
    digits.count > 9 ? -1 : digits.reduce(0) { $0 * 10 + Int($1 - 48) }
  }
}
