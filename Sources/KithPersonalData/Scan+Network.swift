extension Scan {
  /// An IPv6 or hardware address that begins here; IPv4 ones are found among the numbers.
  mutating func findNetworkAddress(at start: Int) {
    guard start >= addressesFrom, !before(start).isWord, before(start) != UInt8(ascii: ":"),
      at(start).isHexadecimal || at(start + 1) == UInt8(ascii: ":")
    else { return }
    if let end = hardwareAddress(at: start) {
      addressesFrom = end
      numbersFrom = max(numbersFrom, end)
      add(.macAddress, start..<end, isConfirmed: true)
    } else if isUnspecified(at: start) {
      add(.ipAddress, start..<prefixLength(at: start + 2), isConfirmed: true)
    } else if let (end, isOfThisNetwork) = versionSix(at: start) {
      addressesFrom = end
      numbersFrom = max(numbersFrom, end)
      if policy == .log, isOfThisNetwork { return }
      add(.ipAddress, start..<end, isConfirmed: true)
    }
  }

  /// Six pairs with `:` or `-`, or three groups of four with dots.
  private func hardwareAddress(at start: Int) -> Int? {
    func read(_ groups: Int, of size: Int, by sign: UInt8) -> Int? {
      var place = start
      for group in 0..<groups {
        if group > 0 {
          guard at(place) == sign else { return nil }
          place += 1
        }
        for _ in 0..<size {
          guard at(place).isHexadecimal else { return nil }
          place += 1
        }
      }
      guard !at(place).isWord, !(at(place) == sign && at(place + 1).isWord) else { return nil }
      return place
    }
    switch (at(start + 2), at(start + 4)) {
    case (UInt8(ascii: ":"), _): return read(6, of: 2, by: UInt8(ascii: ":"))
    case (UInt8(ascii: "-"), _): return read(6, of: 2, by: UInt8(ascii: "-"))
    case (_, UInt8(ascii: ".")):
      // Four digits and a dot may be numbers: one letter at least.
      guard let end = read(3, of: 4, by: UInt8(ascii: ".")),
        bytes[start..<end].contains(where: \.isASCIILetter)
          || bytes[start..<end].contains(UInt8(ascii: "0"))
      else { return nil }
      return end
    default: return nil
    }
  }

  /// `::` alone, which is much else too: an address where the text speaks of addresses.
  private func isUnspecified(at start: Int) -> Bool {
    guard policy == .message, at(start) == UInt8(ascii: ":"), at(start + 1) == UInt8(ascii: ":"),
      at(start + 2).isSpace || at(start + 2) == UInt8(ascii: "/")
    else { return false }
    return context(of: start..<(start + 2)).all.contains(.network)
  }

  /// The groups of an IPv6 address, as far as they were read.
  private struct SixGroups {
    var end: Int
    /// How many groups there are, the first and the last of them.
    var count = 0
    var first: UInt32 = 0
    var last: UInt32 = 0
    /// How many groups stand before `::`; nil where there is none.
    var gap: Int?
    /// Whether it may end here.
    var isComplete = false

    mutating func add(_ value: UInt32) {
      if count == 0 { first = value }
      count += 1
      last = value
      isComplete = true
    }
  }

  /// Up to eight groups with `:` between, one of them perhaps `::`; an IPv4 address may be the last
  /// two. Nil where there are none.
  private func sixGroups(at start: Int) -> SixGroups? {
    var read = SixGroups(end: start)
    if at(start) == UInt8(ascii: ":") {
      guard at(start + 1) == UInt8(ascii: ":") else { return nil }
      read.gap = 0
      read.end += 2
      read.isComplete = true
    }
    while read.count < 8 {
      let group = read.end
      var value: UInt32 = 0
      while read.end - group < 5, at(read.end).isHexadecimal {
        value = value << 4 | UInt32(hexadecimal: bytes[read.end])
        read.end += 1
      }
      if read.end == group { break }
      guard read.end - group <= 4 else { return nil }
      if at(read.end) == UInt8(ascii: "."), read.count <= 6 {
        guard let (end, four) = versionFour(at: group) else { return nil }
        read.add(four >> 16)
        read.add(four & 0xFFFF)
        read.end = end
        break
      }
      read.add(value)
      guard at(read.end) == UInt8(ascii: ":") else { break }
      if at(read.end + 1) == UInt8(ascii: ":") {
        guard read.gap == nil else { return nil }
        read.gap = read.count
        read.end += 2
      } else if at(read.end + 1).isHexadecimal, read.count < 8 {
        read.end += 1
        read.isComplete = false
      } else {
        break
      }
    }
    return read
  }

  /// RFC 4291's text forms, with a zone and a prefix length.
  private func versionSix(at start: Int) -> (end: Int, isOfThisNetwork: Bool)? {
    guard let read = sixGroups(at: start) else { return nil }
    let (gap, count) = (read.gap, read.count)
    var place = read.end
    guard read.isComplete, count > 0, gap == nil ? count == 8 : count < 8,
      !at(place).isWord, !(at(place) == UInt8(ascii: ":") && at(place + 1) == UInt8(ascii: ":")),
      !(at(place) == UInt8(ascii: ".") && at(place + 1).isWord)
    else { return nil }
    // `std::dead` is no address: something must be a number.
    guard bytes[start..<place].contains(where: \.isDigit) else { return nil }
    if at(place) == UInt8(ascii: "%") {
      let zone = wordAt(place + 1)
      if !zone.isEmpty { place = zone.upperBound }
    }
    place = prefixLength(at: place)
    let top = gap == 0 ? 0 : read.first
    let isOfThisNetwork =
      top & 0xFFC0 == 0xFE80 || top & 0xFE00 == 0xFC00
      || gap == 0 && count == 1 && read.last == 1
    return (place, isOfThisNetwork)
  }
  /// Four numbers up to 255 with dots between.
  func versionFour(at start: Int) -> (end: Int, value: UInt32)? {
    var place = start
    var value: UInt32 = 0
    for group in 0..<4 {
      if group > 0 {
        guard at(place) == UInt8(ascii: ".") else { return nil }
        place += 1
      }
      let begin = place
      var number: UInt32 = 0
      while place - begin < 4, at(place).isDigit {
        number = number * 10 + UInt32(bytes[place].digit)
        place += 1
      }
      guard place > begin, place - begin <= 3, number <= 255,
        place - begin == 1 || bytes[begin] != UInt8(ascii: "0")
      else { return nil }
      value = value << 8 | number
    }
    guard !at(place).isWord, !(at(place) == UInt8(ascii: ".") && at(place + 1).isDigit) else {
      return nil
    }
    return (place, value)
  }

  /// The end of `/24` behind an address, or where it would be.
  func prefixLength(at place: Int) -> Int {
    guard at(place) == UInt8(ascii: "/") else { return place }
    let digits = wordAt(place + 1)
    guard (1...3).contains(digits.count), bytes[digits].allSatisfy(\.isDigit) else { return place }
    return digits.upperBound
  }

  /// Whether an IPv4 address is of this machine or the network at hand: loopback, private,
  /// link-local, unspecified.
  static func isOfThisNetwork(_ address: UInt32) -> Bool {
    switch address >> 24 {
    case 0, 10, 127, 255: true
    case 169: address >> 16 & 255 == 254
    case 172: (16...31).contains(address >> 16 & 255)
    case 192: address >> 16 & 255 == 168
    default: false
    }
  }
}

extension UInt32 {
  fileprivate init(hexadecimal byte: UInt8) {
    self = byte.isDigit ? UInt32(byte) - 48 : UInt32(byte | 0x20) - 87
  }
}
