/// What begins with a digit.
extension Scan {
  /// What stands between two groups of digits.
  enum Separator: Equatable {
    /// The beginning or end of the run.
    case none
    case space
    case sign(UInt8)
    /// More than one character, `) ` or ` - `.
    case several

    static let hyphen = Separator.sign(UInt8(ascii: "-"))
    static let dot = Separator.sign(UInt8(ascii: "."))
    static let slash = Separator.sign(UInt8(ascii: "/"))
  }

  /// Reads the run of digits that begins here and asks what is in it.
  mutating func readNumbers(at start: Int) {
    beginRun()
    var place = start
    while true {
      let begin = place
      while place < bytes.count, bytes[place].isDigit {
        run.digits.append(bytes[place] - 48)
        place += 1
      }
      run.groups.append(begin..<place)
      run.firstDigit.append(run.digits.count - (place - begin))
      var next = place
      while next - place < 3, next < bytes.count, Self.isSeparator(bytes[next]) { next += 1 }
      guard next > place, next < bytes.count, bytes[next].isDigit else { break }
      place = next
    }
    run.firstDigit.append(run.digits.count)
    numbersFrom = place
    let isGlued = before(start).isWord
    if run.count >= 9, run.groups.allSatisfy({ $0.count == 1 }) {
      readSpelledOut()
      return
    }
    // Of a number that letters run into, only the beginning is looked at.
    for group in 0..<(isGlued ? 1 : run.count) {
      // How many digits there are from here on: most numbers are too short for most types.
      let left = run.digits.count - run.firstDigit[group]
      if !isGlued {
        findDate(at: group)
        if run.count >= 4 { findVersionFour(at: group) }
        if left >= 12 { findCard(at: group) }
        // A card that is all there is: nothing else would stand beside it.
        if let last = candidates.last, last.isConfirmed, last.range == run.start..<run.end {
          return
        }
      }
      if left >= 9 { findSocialSecurity(at: group) }
      if left >= 7 { findPhone(at: group) }
      if !isGlued {
        if run.count >= 2, run.digits.count >= 8 { findGroupedIdentifiers(at: group) }
        if run.size(group) >= 3, isIsolated(group) { readSingle(group) }
        findAddress(at: group)
      }
    }
  }

  /// Whether all of the run has been found to be something: then its words need not be asked for.
  var isTaken: Bool {
    guard let last = candidates.last else { return false }
    return last.range.lowerBound <= run.start && last.range.upperBound >= run.end
  }

  private static func isSeparator(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: " "), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "/"),
      UInt8(ascii: "("), UInt8(ascii: ")"):
      true
    default: false
    }
  }

  /// What stands behind a group.
  func separator(behind group: Int) -> Separator {
    guard group >= 0, group + 1 < run.count else { return .none }
    let start = run.groups[group].upperBound
    guard run.groups[group + 1].lowerBound == start + 1 else { return .several }
    return bytes[start] == 0x20 ? .space : .sign(bytes[start])
  }

  func separator(before group: Int) -> Separator { separator(behind: group - 1) }

  /// Whether a group goes on as letters.
  func runsIntoWord(_ group: Int) -> Bool { at(run.groups[group].upperBound).isWord }

  /// Whether a group stands for itself: nothing but spaces beside it in its run, and no letters.
  private func isIsolated(_ group: Int) -> Bool {
    func isApart(_ separator: Separator) -> Bool {
      separator == .none || separator == .space || separator == .several
    }
    return isApart(separator(before: group)) && isApart(separator(behind: group))
      && !runsIntoWord(group)
  }

  // MARK: Cards

  private mutating func findCard(at group: Int) {
    let before = separator(before: group)
    guard before != .dot, self.before(run.groups[group].lowerBound) != UInt8(ascii: "+"),
      !isParcelNumber || around.nearest.contains(.card)
    else { return }
    var last = group
    var count = run.size(group)
    var best: (end: Int, isUniform: Bool)?
    while count <= 19 {
      if count >= 12, isCardShape(group..<last + 1), !runsIntoWord(last),
        separator(behind: last) != .dot
      {
        let digits = run.digits(group..<last + 1)
        // New ranges are issued every year: where the text says that it is a card, the sum is
        // enough.
        if Checksums.luhn(digits), digits.contains(where: { $0 != digits[digits.startIndex] }),
          Checksums.isCardRange(digits) || around.nearest.contains(.card)
        {
          best = (last, isUniform(group..<last + 1))
        }
      }
      let next = separator(behind: last)
      // `4111  1111  1111  1111`, `4111 - 1111 - ...`: only between groups as they stand on a card.
      let isWide = next == .several && run.size(last) == 4 && run.size(last + 1) == 4
      guard isWide || next == .space || next == .hyphen || next == .dot || next == .slash else {
        break
      }
      last += 1
      count += run.size(last)
    }
    guard let best else { return }
    let range = run.bytes(group..<best.end + 1)
    guard !isPartOfKey(range), !isInBlob(range) else { return }
    let length = run.digits(group..<best.end + 1).count
    // Twelve and thirteen digits are common: a parcel's number is not a card's because one in ten
    // has the sum. Fifteen from 1 on are an airline's.
    let isWeak = length < 14 || run.digits[run.firstDigit[group]] == 1
    if isWeak, !around.nearest.isDisjoint(with: [.thing, .phone]) { return }
    if isWeak, policy == .log, !around.nearest.contains(.card) { return }
    add(.paymentCard, range, isConfirmed: best.isUniform)
  }

  /// Whether the run is in fours and longer than any card's: `9261 2903 3971 7342 1234 56`.
  private var isParcelNumber: Bool {
    (5...8).contains(run.count) && run.digits.count > 19 && isUniform(0..<run.count)
      && (0..<run.count - 1).allSatisfy { run.size($0) == 4 }
  }

  /// One group, groups as on a card, or groups that are the whole run.
  private func isCardShape(_ groups: Range<Int>) -> Bool {
    let (first, last) = (groups.lowerBound, groups.upperBound - 1)
    if first == last { return true }
    if run.size(first) == 4 {
      let areFours = (first..<last).allSatisfy { run.size($0) == 4 }
      if areFours, run.size(last) <= 5 { return true }
      if last - first == 2, run.size(first + 1) == 6, run.size(last) == 4 || run.size(last) == 5 {
        return true
      }
    }
    return groups == 0..<run.count && groups.count <= 5 && isUniform(groups)
      && groups.allSatisfy { run.size($0) >= 2 }
  }

  private func isUniform(_ groups: Range<Int>) -> Bool {
    guard groups.count > 1 else { return true }
    let first = separator(behind: groups.lowerBound)
    return groups.dropLast().allSatisfy { separator(behind: $0) == first }
  }

  /// Whether a number is in a long text of letters in both cases and digits without a space:
  /// base64.
  private func isInBlob(_ range: Range<Int>) -> Bool {
    func isBlob(_ byte: UInt8) -> Bool {
      byte.isDigit || byte.isASCIILetter || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "/")
        || byte == UInt8(ascii: "=")
    }
    var start = range.lowerBound
    while start > 0, range.lowerBound - start < 64, isBlob(bytes[start - 1]) { start -= 1 }
    var end = range.upperBound
    while end < bytes.count, end - range.upperBound < 64, isBlob(bytes[end]) { end += 1 }
    guard end - start - range.count >= 8 else { return false }
    var turns = 0
    for place in (start + 1)..<end
    where bytes[place].isUppercase && bytes[place - 1].isLowercase
      || bytes[place].isDigit && bytes[place - 1].isASCIILetter
    {
      turns += 1
    }
    return turns > 1
  }

  // MARK: Social Security

  private mutating func findSocialSecurity(at group: Int) {
    guard run.size(group) == 3, run.size(group + 1) == 2, run.size(group + 2) == 4,
      !runsIntoWord(group + 2)
    else { return }
    let sign = separator(behind: group)
    guard sign == separator(behind: group + 1) else { return }
    switch sign {
    case .hyphen: break
    case .dot:
      guard !around.all.contains(.version) else { return }
    case .space:
      // Three numbers among others are no Social Security number.
      guard
        separator(before: group) == .none && separator(behind: group + 2) == .none
          || around.nearest.contains(.socialSecurity)
      else { return }
    default: return
    }
    guard separator(before: group) != sign, separator(behind: group + 2) != sign else { return }
    let range = run.bytes(group..<group + 3)
    let prefix = before(range.lowerBound)
    if prefix == UInt8(ascii: "+")
      || prefix == UInt8(ascii: "-") && before(range.lowerBound - 1).isWord
    {
      return
    }
    addSocialSecurity(run.digits(group..<group + 3), range)
  }

  /// `isNamed` where format or words say what it is: otherwise only what can have been issued is
  /// one, and it is not confirmed.
  private mutating func addSocialSecurity(
    _ digits: ArraySlice<UInt8>, _ range: Range<Int>, isNamed: Bool = true
  ) {
    let value = digits.reduce(0) { $0 * 10 + Int($1) }
    if Self.isTaxpayerNumber(value) {
      add(.taxpayerNumber, range, isConfirmed: isNamed)
    } else if isNamed || Self.isSocialSecurityNumber(value) {
      add(
        .socialSecurityNumber, range,
        isConfirmed: isNamed && Self.isSocialSecurityNumber(value))
    }
  }

  /// Whether a number may have been issued, and was not an advertiser's.
  static func isSocialSecurityNumber(_ value: Int) -> Bool {
    let (area, group, serial) = (value / 1_000_000, value / 10_000 % 100, value % 10_000)
    return area != 0 && area != 666 && area < 900 && group != 0 && serial != 0
      && value != 078_05_1120 && value != 219_09_9999
  }

  /// Whether a number is an ITIN: area 9xx, groups 50 to 65, 70 to 88, 90 to 92, 94 to 99.
  static func isTaxpayerNumber(_ value: Int) -> Bool {
    // 987-65-4320 to -4329 were made up for advertisements, as Social Security numbers.
    guard value / 1_000_000 >= 900, value / 10 != 98_765_432 else { return false }
    switch value / 10_000 % 100 {
    case 50...65, 70...88, 90...92, 94...99: return true
    default: return false
    }
  }

  // MARK: Addresses of machines

  private mutating func findVersionFour(at group: Int) {
    guard (1...3).contains(run.size(group)), separator(behind: group) == .dot,
      separator(before: group) != .dot,
      before(run.groups[group].lowerBound) != UInt8(ascii: "."),
      let (end, address) = versionFour(at: run.groups[group].lowerBound),
      !around.nearest.contains(.version) || around.distance > 2
    else { return }
    if policy == .log, Self.isOfThisNetwork(address) { return }
    add(.ipAddress, run.groups[group].lowerBound..<prefixLength(at: end), isConfirmed: true)
  }

  // MARK: Numbers in one piece, and in groups of their own

  private mutating func findGroupedIdentifiers(at group: Int) {
    let sizes = (run.size(group), run.size(group + 1), run.size(group + 2))
    let isWhole =
      separator(before: group) == .none || separator(before: group) == .space
    guard isWhole else { return }
    func ends(at last: Int) -> Bool {
      let behind = separator(behind: last)
      return (behind == .none || behind == .space) && !runsIntoWord(last)
    }
    if sizes == (4, 4, 1), separator(behind: group) == .hyphen,
      separator(behind: group + 1) == .hyphen, ends(at: group + 2),
      Checksums.routing(run.digits(group..<group + 3))
    {
      add(.bankRouting, run.bytes(group..<group + 3), isConfirmed: true)
    }
    if sizes == (4, 3, 3), separator(behind: group) == .hyphen,
      separator(behind: group + 1) == .hyphen, ends(at: group + 2),
      Checksums.nationalProvider(run.digits(group..<group + 3))
    {
      add(.nationalProvider, run.bytes(group..<group + 3), isConfirmed: true)
    }
    guard !isTaken else { return }
    // However it is grouped, when the text says what it is, or is an answer.
    let isNamed = around.nearest.contains(.socialSecurity)
    if isNamed || around.nearest.isEmpty && isAnswer(run.start..<run.end), run.size(group) < 9 {
      var last = group
      while last + 1 < run.count, last - group < 3,
        run.firstDigit[last + 1] - run.firstDigit[group] < 9
      {
        last += 1
      }
      let digits = run.digits(group..<last + 1)
      let isTwoGroups = last == group + 1 && separator(behind: group) == .hyphen
      if digits.count == 9, ends(at: last), isNamed || isTwoGroups,
        group == 0 || separator(before: group) == .space
      {
        addSocialSecurity(digits, run.bytes(group..<last + 1), isNamed: isNamed)
      }
    }
    if around.nearest.contains(.account), policy == .message, group == 0,
      (8...17).contains(run.digits.count), run.count <= 5, ends(at: run.count - 1),
      run.groups.allSatisfy({ $0.count >= 2 })
    {
      add(.bankAccount, run.bytes(0..<run.count))
    }
  }

  private mutating func readSingle(_ group: Int) {
    let range = run.groups[group]
    let digits = run.digits(group..<group + 1)
    guard before(range.lowerBound) != UInt8(ascii: "$"),
      !around.next.contains(.unit)
    else { return }
    let nearest = around.nearest
    if isSecret(range) { return }
    switch digits.count {
    case 9:
      let value = digits.reduce(0) { $0 * 10 + Int($1) }
      if nearest.contains(.socialSecurity) {
        addSocialSecurity(digits, range)
      } else if Checksums.routing(digits),
        !nearest.isDisjoint(with: [.routing, .account]) || isAnswer(range)
      {
        add(.bankRouting, range, isConfirmed: true)
      } else if nearest.isEmpty, isAnswer(range), Self.isSocialSecurityNumber(value) {
        addSocialSecurity(digits, range)
      }
    case 10:
      if Checksums.nationalProvider(digits), nearest.contains(.provider) || isAnswer(range) {
        add(.nationalProvider, range, isConfirmed: true)
      }
    default: break
    }
    if nearest.contains(.account), (6...17).contains(digits.count),
      !around.all.contains(.ending), !(digits.count == 9 && Checksums.routing(digits))
    {
      add(.bankAccount, range)
    }
    if nearest.contains(.passport), digits.count == 9 { add(.passport, range) }
    if nearest.contains(.license), (6...14).contains(digits.count),
      policy == .message
    {
      add(.driversLicense, range)
    }
  }

  /// One-time codes, PINs and a card's security code.
  private mutating func isSecret(_ range: Range<Int>) -> Bool {
    if around.all.contains(.securityCode), range.count == 3 || range.count == 4 {
      add(.cardSecurityCode, range)
      return true
    }
    guard policy == .message, around.all.contains(.code), (4...8).contains(range.count),
      around.nearest.isDisjoint(with: [.phone, .socialSecurity, .routing]) || around.distance > 1
    else { return false }
    // A year, or a house's number, is no code.
    let value = run.digits.isEmpty ? 0 : bytes[range].reduce(0) { $0 * 10 + $1.digit }
    if range.count == 4, (1900...2099).contains(value) { return false }
    add(.oneTimeCode, range)
    return true
  }

  // MARK: One digit at a time

  /// A number that was spoken: `4 1 5 5 5 5 0 1 8 2`.
  private mutating func readSpelledOut() {
    let digits = run.digits[...]
    let range = run.start..<run.end
    guard digits.count <= 19, !runsIntoWord(run.count - 1) else { return }
    if Checksums.isCardRange(digits), Checksums.luhn(digits) {
      add(.paymentCard, range, isConfirmed: true)
    } else if digits.count == 9 {
      if around.nearest.contains(.socialSecurity) {
        addSocialSecurity(digits, range)
      } else if !around.nearest.isDisjoint(with: [.routing, .account]), Checksums.routing(digits) {
        add(.bankRouting, range, isConfirmed: true)
      }
    } else if around.nearest.contains(.account) {
      add(.bankAccount, range)
    } else if Self.isNorthAmerican(
      digits.count == 11 && digits.first == 1 ? digits.dropFirst() : digits)
    {
      add(.phoneNumber, range)
    }
  }
}
