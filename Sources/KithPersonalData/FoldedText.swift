/// A text as its detectors read it: one ASCII byte for each character that counts, with a way back
/// to the bytes it came from.
///
/// Digits of every script, full-width forms, spaces and dashes become their ASCII kin; what cannot
/// be seen (zero-width characters, combining marks, variation selectors) is left out, so that it
/// hides nothing. Any other letter is one ``letter``, anything else one ``symbol``.
struct FoldedText {
  /// Stands for a letter beyond ASCII.
  static let letter: UInt8 = 0x80
  /// Stands for anything else beyond ASCII.
  static let symbol: UInt8 = 0x81

  let bytes: [UInt8]
  /// A byte of the text and where it is in the original, wherever that is not one behind the byte
  /// before it; ascending.
  private var starts: [(byte: Int, original: Int)] = []
  /// A byte of the text and where its character ends in the original, wherever that is not one
  /// behind its start; ascending.
  private var ends: [(byte: Int, original: Int)] = []

  init(_ original: [UInt8]) {
    guard var place = original.firstIndex(where: { $0 >= 0x80 }) else {
      bytes = original
      return
    }
    var bytes: [UInt8] = []
    bytes.reserveCapacity(original.count)
    bytes += original[..<place]
    while place < original.count {
      let (scalar, length) = Self.scalar(in: original, at: place)
      place += length
      switch Self.meaning(of: scalar) {
      case .byte(let byte):
        bytes.append(byte)
        ends.append((bytes.count - 1, place))
      case .mark:
        // It goes with the character that it is drawn on.
        if let last = ends.last, last.byte == bytes.count - 1 { ends.removeLast() }
        if !bytes.isEmpty { ends.append((bytes.count - 1, place)) }
      case .nothing: break
      }
      if let last = starts.last, last.byte == bytes.count { starts.removeLast() }
      starts.append((bytes.count, place))
      let next = original[place...].firstIndex { $0 >= 0x80 } ?? original.count
      bytes += original[place..<next]
      place = next
    }
    self.bytes = bytes
  }

  /// The bytes of the original that a part came from.
  func original(_ range: Range<Int>) -> Range<Int> {
    guard !starts.isEmpty, !range.isEmpty else { return range }
    let last = range.upperBound - 1
    let end = Self.last(in: ends, upTo: last)
    guard let end, end.byte == last else { return start(range.lowerBound)..<(start(last) + 1) }
    return start(range.lowerBound)..<end.original
  }

  private func start(_ byte: Int) -> Int {
    guard let last = Self.last(in: starts, upTo: byte) else { return byte }
    return last.original + byte - last.byte
  }

  private static func last(
    in places: [(byte: Int, original: Int)], upTo byte: Int
  ) -> (byte: Int, original: Int)? {
    var low = 0
    var high = places.count
    while low < high {
      let middle = (low + high) / 2
      if places[middle].byte <= byte { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? places[low - 1] : nil
  }

  private enum Meaning {
    case byte(UInt8)
    case mark
    case nothing
  }

  /// The scalar at a place and its length; what is no UTF-8 is read byte by byte as U+FFFD.
  private static func scalar(in bytes: [UInt8], at place: Int) -> (UInt32, Int) {
    let first = bytes[place]
    if first < 0x80 { return (UInt32(first), 1) }
    let length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2
    guard first >= 0xC2, first < 0xF5, place + length <= bytes.count else { return (0xFFFD, 1) }
    var value = UInt32(first) & (0x7F >> UInt32(length))
    for byte in bytes[(place + 1)..<(place + length)] {
      guard byte & 0xC0 == 0x80 else { return (0xFFFD, 1) }
      value = value << 6 | UInt32(byte & 0x3F)
    }
    return (value, length)
  }

  private static func meaning(of scalar: UInt32) -> Meaning {
    switch scalar {
    case 0x80...0x9F: return .byte(symbol)
    case 0xA0: return .byte(UInt8(ascii: " "))
    case 0xAD, 0x34F, 0x61C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F, 0x200B...0x200F,
      0x202A...0x202E, 0x2060...0x206F, 0x3164, 0xFEFF, 0xFFA0, 0xE0000...0xE0FFF:
      return .nothing
    case 0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE00...0xFE0F,
      0xFE20...0xFE2F:
      return .mark
    // Whatever the currency, it is an amount that follows.
    case 0xA2...0xA5, 0x20A0...0x20CF: return .byte(UInt8(ascii: "$"))
    // Superscripts of Latin-1.
    case 0xB2, 0xB3: return .byte(UInt8(scalar - 0xB2) + UInt8(ascii: "2"))
    case 0xB9: return .byte(UInt8(ascii: "1"))
    case 0xA1...0xBF:
      return .byte(scalar == 0xAA || scalar == 0xB5 || scalar == 0xBA ? letter : symbol)
    case 0x2000...0x200A, 0x202F, 0x205F, 0x3000: return .byte(UInt8(ascii: " "))
    case 0x2028, 0x2029: return .byte(UInt8(ascii: "\n"))
    case 0x2010...0x2015, 0x2043, 0x2212, 0xFE58, 0xFE63, 0x058A, 0x30FC:
      return .byte(UInt8(ascii: "-"))
    case 0x2024, 0x3002, 0xFF61, 0xFE52: return .byte(UInt8(ascii: "."))
    case 0x2044, 0x2215: return .byte(UInt8(ascii: "/"))
    case 0x2018, 0x2019: return .byte(UInt8(ascii: "'"))
    case 0xFE6B: return .byte(UInt8(ascii: "@"))
    case 0xFF01...0xFF5E: return .byte(UInt8(scalar - 0xFF01) + UInt8(ascii: "!"))
    case 0x2070, 0x2074...0x2079: return .byte(UInt8(scalar - 0x2070) + UInt8(ascii: "0"))
    case 0x2080...0x2089: return .byte(UInt8(scalar - 0x2080) + UInt8(ascii: "0"))
    case 0x2460...0x2468: return .byte(UInt8(scalar - 0x2460) + UInt8(ascii: "1"))
    case 0x24EA, 0x24FF: return .byte(UInt8(ascii: "0"))
    case 0x2776...0x277E: return .byte(UInt8(scalar - 0x2776) + UInt8(ascii: "1"))
    case 0x1D7CE...0x1D7FF: return .byte(UInt8((scalar - 0x1D7CE) % 10) + UInt8(ascii: "0"))
    default: break
    }
    if scalar >= 0x660, let digit = decimalDigit(scalar) { return .byte(digit) }
    let isSymbol =
      (0x2000...0x2BFF).contains(scalar) || (0x2E00...0x303F).contains(scalar)
      || (0xFE10...0xFE6F).contains(scalar) || (0xFFE0...0xFFFF).contains(scalar)
      || (0x1F000...0x1FFFF).contains(scalar) || scalar == 0xD7 || scalar == 0xF7
    return .byte(isSymbol ? symbol : letter)
  }

  /// The zeros of the scripts that have digits of their own (Unicode's Nd), ascending.
  private static let zeros: [UInt32] = [
    0x660, 0x6F0, 0x7C0, 0x966, 0x9E6, 0xA66, 0xAE6, 0xB66, 0xBE6, 0xC66, 0xCE6, 0xD66, 0xDE6,
    0xE50, 0xED0, 0xF20, 0x1040, 0x1090, 0x17E0, 0x1810, 0x1946, 0x19D0, 0x1A80, 0x1A90, 0x1B50,
    0x1BB0, 0x1C40, 0x1C50, 0xA620, 0xA8D0, 0xA900, 0xA9D0, 0xA9F0, 0xAA50, 0xABF0, 0x104A0,
    0x10D30, 0x11066, 0x110F0, 0x11136, 0x111D0, 0x112F0, 0x11450, 0x114D0, 0x11650, 0x116C0,
    0x11730, 0x118E0, 0x11950, 0x11C50, 0x11D50, 0x11DA0, 0x16A60, 0x16AC0, 0x16B50, 0x1E140,
    0x1E2F0, 0x1E950, 0x1FBF0,
  ]

  private static func decimalDigit(_ scalar: UInt32) -> UInt8? {
    var low = 0
    var high = zeros.count
    while low < high {
      let middle = (low + high) / 2
      if zeros[middle] <= scalar { low = middle + 1 } else { high = middle }
    }
    guard low > 0, scalar - zeros[low - 1] < 10 else { return nil }
    return UInt8(scalar - zeros[low - 1]) + UInt8(ascii: "0")
  }
}
