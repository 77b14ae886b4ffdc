/// What a byte of a folded text is.
extension UInt8 {
  @inline(__always) var isDigit: Bool { self &- 48 < 10 }
  @inline(__always) var isASCIILetter: Bool { (self | 0x20) &- 97 < 26 }
  var isUppercase: Bool { self &- 65 < 26 }
  var isLowercase: Bool { self &- 97 < 26 }
  /// Part of a word: a letter of any script or a digit.
  @inline(__always) var isWord: Bool {
    // Bits of the ASCII that is: one look instead of three.
    let bits: UInt64 = self < 64 ? 0x03FF_0000_0000_0000 : 0x07FF_FFFE_07FF_FFFE
    return self < 128 ? bits >> UInt64(self & 63) & 1 == 1 : self == FoldedText.letter
  }
  var isSpace: Bool { self == 0x20 || self == 0x0A || self == 0x0D || self == 0x09 }
  var isHexadecimal: Bool { isDigit || (self | 0x20) &- 97 < 6 }
  /// The value of a digit.
  var digit: Int { Int(self) - 48 }
  var lowercased: UInt8 { isUppercase ? self | 0x20 : self }
  var uppercased: UInt8 { isLowercase ? self & 0xDF : self }
}
