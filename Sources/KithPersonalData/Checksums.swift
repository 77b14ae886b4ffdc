import Crypto

/// The sums by which numbers tell that they are what they look like.
enum Checksums {
  /// Luhn's: from the right every second digit doubled, less nine when above nine; the sum is a
  /// multiple of ten.
  static func luhn(_ digits: some BidirectionalCollection<UInt8>, plus extra: Int = 0) -> Bool {
    var sum = extra
    var isSecond = false
    for digit in digits.reversed() {
      var value = Int(digit)
      if isSecond {
        value *= 2
        if value > 9 { value -= 9 }
      }
      sum += value
      isSecond.toggle()
    }
    return sum % 10 == 0
  }

  /// The issuers' ranges with their lengths.
  static func isCardRange(_ digits: ArraySlice<UInt8>) -> Bool {
    let count = digits.count
    guard count >= 12, count <= 19 else { return false }
    let four = digits.prefix(4).reduce(0) { $0 * 10 + Int($1) }
    let two = four / 100
    switch two {
    case 40...49: return count == 13 || count == 16 || count == 18 || count == 19
    case 51...55: return count == 16
    // Mastercard's second range; Mir.
    case 22...27: return (2221...2720).contains(four) ? count == 16 : four < 2205 && count >= 16
    case 34, 37: return count == 15
    // Diners Club.
    case 30: return (four < 3060 || four == 3095) && count >= 14
    case 36, 38, 39: return count >= 14
    case 35: return (3528...3589).contains(four) && count >= 16
    // JCB's old range; UATP, the airlines'.
    case 21: return four == 2131 && count == 15
    case 10...19: return count == 15
    // UnionPay and RuPay.
    case 81, 82: return count >= 16
    // Maestro, Discover, UnionPay.
    case 50, 56...69: return true
    default: return false
    }
  }

  /// An ABA routing number: 3, 7, 1 in turn, and the first two digits of the Federal Reserve's
  /// districts.
  static func routing(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.count == 9, digits.contains(where: { $0 != 0 }) else { return false }
    let base = digits.startIndex
    let sum = (0..<9).reduce(0) { $0 + Int(digits[base + $1]) * [3, 7, 1][$1 % 3] }
    let prefix = Int(digits[base]) * 10 + Int(digits[base + 1])
    switch prefix {
    case 0...12, 21...32, 61...72, 80: return sum % 10 == 0
    default: return false
    }
  }

  /// A US national provider identifier: Luhn's sum over it behind 80840, which adds 24.
  static func nationalProvider(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.count == 10, let first = digits.first, first == 1 || first == 2 else {
      return false
    }
    return luhn(digits, plus: 24)
  }

  /// ISO 7064's remainder of 97 over characters of an IBAN in order, letters as two digits.
  struct Remainder97 {
    private(set) var value = 0

    mutating func add(_ character: UInt8) {
      value =
        character.isDigit
        ? (value * 10 + character.digit) % 97
        : (value * 100 + Int(character.uppercased) - 55) % 97
    }
  }

  /// A VIN's ninth character, by ISO 3779 as North America has it.
  static func vehicle(_ characters: ArraySlice<UInt8>) -> Bool {
    guard characters.count == 17 else { return false }
    let weights = [8, 7, 6, 5, 4, 3, 2, 10, 0, 9, 8, 7, 6, 5, 4, 3, 2]
    let letters = [1, 2, 3, 4, 5, 6, 7, 8, 0, 1, 2, 3, 4, 5, 0, 7, 0, 9, 2, 3, 4, 5, 6, 7, 8, 9]
    var sum = 0
    for (place, character) in characters.enumerated() {
      let value = character.isDigit ? character.digit : letters[Int(character.uppercased) - 65]
      if !character.isDigit, value == 0 { return false }
      sum += value * weights[place]
    }
    let check = characters[characters.startIndex + 8].uppercased
    return sum % 11 == 10 ? check == UInt8(ascii: "X") : check.isDigit && check.digit == sum % 11
  }

  /// A DEA number's seven digits: first, third and fifth, and twice the others, end in the last.
  static func deaRegistration(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.count == 7 else { return false }
    let value = digits.map(Int.init)
    let sum = value[0] + value[2] + value[4] + 2 * (value[1] + value[3] + value[5])
    return sum % 10 == value[6]
  }

  // MARK: Wallets

  /// The version byte and payload of a Base58Check text of 25 bytes; nil when its checksum does not
  /// hold.
  static func base58CheckVersion(_ text: ArraySlice<UInt8>) -> UInt8? {
    // Big-endian, 25 bytes; the most significant must come out as they should.
    var bytes = [UInt8](repeating: 0, count: 25)
    for character in text {
      guard let value = base58Value(character) else { return nil }
      var carry = value
      for place in stride(from: 24, through: 0, by: -1) {
        carry += Int(bytes[place]) * 58
        bytes[place] = UInt8(truncatingIfNeeded: carry)
        carry >>= 8
      }
      guard carry == 0 else { return nil }
    }
    // Each leading 1 is a leading zero byte, and there are no others.
    let ones = text.prefix { $0 == UInt8(ascii: "1") }.count
    guard bytes.prefix(while: { $0 == 0 }).count == ones else { return nil }
    let digest = SHA256.hash(data: Array(SHA256.hash(data: bytes[..<21])))
    return Array(digest.prefix(4)) == Array(bytes[21...]) ? bytes[0] : nil
  }

  private static func base58Value(_ character: UInt8) -> Int? {
    switch character {
    case 0x31...0x39: Int(character) - 0x31
    case 0x41...0x48: Int(character) - 0x41 + 9
    case 0x4A...0x4E: Int(character) - 0x4A + 17
    case 0x50...0x5A: Int(character) - 0x50 + 22
    case 0x61...0x6B: Int(character) - 0x61 + 33
    case 0x6D...0x7A: Int(character) - 0x6D + 44
    default: nil
    }
  }

  /// A segregated-witness address, BIP 173 and BIP 350; `prefix` is how many characters stand
  /// before its 1.
  static func segregatedWitness(_ text: ArraySlice<UInt8>, prefix: Int) -> Bool {
    let hasUpper = text.contains { $0.isUppercase }
    let hasLower = text.contains { $0.isLowercase }
    guard !(hasUpper && hasLower), text.count <= 90 else { return false }
    let lower = text.map(\.lowercased)
    var values: [UInt8] = []
    for character in lower[(prefix + 1)...] {
      guard let value = bech32.firstIndex(of: character) else { return false }
      values.append(UInt8(value))
    }
    guard values.count >= 8, let version = values.first, version <= 16 else { return false }
    var state: UInt32 = 1
    func step(_ value: UInt8) {
      let generators: [UInt32] = [0x3B6A_57B2, 0x2650_8E6D, 0x1EA1_19FA, 0x3D42_33DD, 0x2A14_62B3]
      let top = state >> 25
      state = (state & 0x1FF_FFFF) << 5 ^ UInt32(value)
      for bit in 0..<5 where top >> UInt32(bit) & 1 == 1 { state ^= generators[bit] }
    }
    for character in lower[..<prefix] { step(character >> 5) }
    step(0)
    for character in lower[..<prefix] { step(character & 31) }
    for value in values { step(value) }
    guard state == (version == 0 ? 1 : 0x2BC8_30A3) else { return false }
    // The witness program, between the version and the six characters of the checksum.
    let bits = (values.count - 7) * 5
    let program = bits / 8
    return bits % 8 < 5
      && (version == 0 ? program == 20 || program == 32 : (2...40).contains(program))
  }

  private static let bech32 = Array("qpzry9x8gf2tvdw0s3jn54khce6mua7l".utf8)

  /// EIP-55: a letter of the 40 is a capital where the Keccak-256 of the lower-case text says so;
  /// texts of one case have no sum.
  static func ethereum(_ text: ArraySlice<UInt8>) -> Bool {
    guard text.contains(where: \.isUppercase), text.contains(where: \.isLowercase) else {
      return true
    }
    let digest = Keccak.hash256(text.map(\.lowercased))
    for (place, character) in text.enumerated() where !character.isDigit {
      let half = place % 2 == 0 ? digest[place / 2] >> 4 : digest[place / 2] & 15
      guard (half >= 8) == character.isUppercase else { return false }
    }
    return true
  }
}
