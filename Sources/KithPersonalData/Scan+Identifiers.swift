/// Words of letters and digits: IBAN, MBI, VIN, wallets, licences.
extension Scan {
  mutating func readIdentifier(_ word: Range<Int>, digits: Int) {
    guard word.lowerBound >= addressesFrom else { return }
    findIBAN(word)
    findMedicare(word)
    if word.count >= 25 { findWallet(word) }
    if word.count == 17, digits >= 3 { findVehicle(word) }
    if (6...16).contains(word.count), digits >= 4 { findByName(word, digits: digits) }
  }

  // MARK: IBAN

  /// A country's code and two digits, then as many letters and digits as the country has, in groups
  /// or in one piece.
  private mutating func findIBAN(_ word: Range<Int>) {
    let start = word.lowerBound
    guard word.count >= 4, bytes[start].isASCIILetter, bytes[start + 1].isASCIILetter,
      bytes[start + 2].isDigit, bytes[start + 3].isDigit,
      let length = IBANCountries.length(bytes[start].uppercased, bytes[start + 1].uppercased)
    else { return }
    // Lower case is taken as well, but not in turns with capitals.
    var remainder = Checksums.Remainder97()
    var place = start + 4
    var count = 4
    var separator: UInt8 = 0
    var hasLower = bytes[start].isLowercase || bytes[start + 1].isLowercase
    var hasUpper = bytes[start].isUppercase || bytes[start + 1].isUppercase
    while count < length {
      let byte = at(place)
      if byte.isDigit || byte.isASCIILetter {
        hasLower = hasLower || byte.isLowercase
        hasUpper = hasUpper || byte.isUppercase
        remainder.add(byte)
        count += 1
        place += 1
      } else {
        guard byte == 0x20 || byte == 0x2D, separator == 0 || separator == byte,
          at(place + 1).isDigit || at(place + 1).isASCIILetter
        else { return }
        separator = byte
        place += 1
      }
    }
    guard !at(place).isWord, !(hasLower && hasUpper) else { return }
    for byte in bytes[start..<(start + 4)] { remainder.add(byte) }
    guard remainder.value == 1 else { return }
    add(.iban, start..<place, isConfirmed: true)
  }

  // MARK: Medicare

  /// `1EG4-TE5-MK73`: digits and letters in fixed places, without S, L, O, I, B and Z; dashes 4-3-4
  /// or none.
  private mutating func findMedicare(_ word: Range<Int>) {
    let start = word.lowerBound
    guard word.count == 4 || word.count == 11, bytes[start].isDigit, bytes[start] != 0x30,
      before(start) != 0x2D
    else { return }
    let sign: UInt8? = word.count == 4 ? at(word.upperBound) : nil
    if let sign, sign != 0x2D, sign != 0x20 { return }
    // N A AN N A AN N A A N N
    var place = start
    for (position, kind) in Self.medicareKinds.enumerated() {
      if let sign, position == 4 || position == 7 {
        guard at(place) == sign else { return }
        place += 1
      }
      let byte = at(place)
      let isLetter = byte.isASCIILetter && !Self.medicareExcluded.contains(byte.uppercased)
      switch kind {
      case 0: guard byte.isDigit else { return }
      case 1: guard isLetter else { return }
      default: guard byte.isDigit || isLetter else { return }
      }
      place += 1
    }
    guard !at(place).isWord, !(at(place) == 0x2D && at(place + 1).isWord) else { return }
    add(.medicareBeneficiary, start..<place, isConfirmed: true)
  }

  private static let medicareKinds = [0, 1, 2, 0, 1, 2, 0, 1, 1, 0, 0]
  private static let medicareExcluded = Array("SLOIBZ".utf8)

  // MARK: Vehicles

  private mutating func findVehicle(_ word: Range<Int>) {
    var lower = 0
    var upper = 0
    for byte in bytes[word] {
      guard byte.isDigit || byte.isASCIILetter else { return }
      if byte.isLowercase { lower += 1 }
      if byte.isUppercase { upper += 1 }
    }
    guard lower == 0 || upper == 0, lower + upper >= 3 || context(of: word).all.contains(.vehicle),
      Checksums.vehicle(bytes[word]), !isPartOfKey(word)
    else { return }
    // A key in hexadecimal may have the sum.
    if lower > 0 || bytes[word].allSatisfy(\.isHexadecimal) {
      guard context(of: word).all.contains(.vehicle) else { return }
    }
    add(.vehicle, word, isConfirmed: true)
  }

  // MARK: Wallets

  mutating func findWallet(_ word: Range<Int>) {
    guard word.count <= 90, before(word.lowerBound) != UInt8(ascii: "_") else { return }
    let text = bytes[word]
    let start = word.lowerBound
    let (first, second) = (bytes[start].lowercased, bytes[start + 1].lowercased)
    if word.count == 42, first == UInt8(ascii: "0"), second == UInt8(ascii: "x") {
      let digits = text.dropFirst(2)
      if digits.allSatisfy(\.isHexadecimal), Checksums.ethereum(digits) {
        add(.walletAddress, word, isConfirmed: true)
      }
      return
    }
    // bc1, tb1, ltc1
    let prefix =
      second == UInt8(ascii: "c") && first == UInt8(ascii: "b")
        || second == UInt8(ascii: "b") && first == UInt8(ascii: "t")
      ? 2
      : first == UInt8(ascii: "l") && second == UInt8(ascii: "t")
        && bytes[start + 2].lowercased == UInt8(ascii: "c") ? 3 : 0
    if prefix > 0, bytes[start + prefix] == UInt8(ascii: "1") {
      if Checksums.segregatedWitness(text, prefix: prefix) {
        add(.walletAddress, word, isConfirmed: true)
      }
      return
    }
    guard (25...35).contains(word.count) else { return }
    switch bytes[start] {
    // Bitcoin 1 and 3, Litecoin L and M, Tron T, Dogecoin D.
    case UInt8(ascii: "1"), UInt8(ascii: "3"), UInt8(ascii: "L"), UInt8(ascii: "M"),
      UInt8(ascii: "T"), UInt8(ascii: "D"):
      guard let version = Checksums.base58CheckVersion(text),
        [0x00, 0x05, 0x30, 0x32, 0x41, 0x1E].contains(version)
      else { return }
      add(.walletAddress, word, isConfirmed: true)
    default: return
    }
  }

  // MARK: What only its name tells

  /// Passports, driver's licences and DEA registrations: letters and digits that could be anything.
  private mutating func findByName(_ word: Range<Int>, digits: Int) {
    let start = word.lowerBound
    let letters = word.count - digits
    guard letters <= 4, bytes[start].isASCIILetter, !isPartOfKey(word) else { return }
    let isDEA =
      word.count == 9 && bytes[start].isASCIILetter
      && (bytes[start + 1].isASCIILetter || bytes[start + 1] == UInt8(ascii: "9"))
      && bytes[(start + 2)..<word.upperBound].allSatisfy(\.isDigit)
      && Self.deaLetters.contains(bytes[start].uppercased)
      && Checksums.deaRegistration(bytes[(start + 2)..<word.upperBound].map { $0 - 48 }[...])
    let isPassport =
      word.count == 9 && letters == 1 && bytes[(start + 1)..<word.upperBound].allSatisfy(\.isDigit)
    if isAnswer(word) {
      if isDEA { add(.deaRegistration, word, isConfirmed: true) }
      if isPassport { add(.passport, word) }
      return
    }
    let around = context(of: word)
    if isDEA, around.all.contains(.prescriber) { add(.deaRegistration, word, isConfirmed: true) }
    if around.nearest.contains(.passport), letters <= 2 {
      add(.passport, word)
    } else if around.nearest.contains(.license) {
      add(.driversLicense, word)
    } else if around.nearest.contains(.account), letters <= 2, policy == .message {
      add(.bankAccount, word)
    }
  }

  private static let deaLetters = Array("ABCDEFGHJKLMPRSTUX".utf8)
}
