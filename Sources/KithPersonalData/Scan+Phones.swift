extension Scan {
  /// Whether ten digits can be a number of the North American plan: area and exchange begin with 2
  /// to 9 and are not N11.
  static func isNorthAmerican(_ digits: ArraySlice<UInt8>) -> Bool {
    guard digits.count == 10 else { return false }
    let base = digits.startIndex
    return digits[base] >= 2 && digits[base + 3] >= 2
      && !(digits[base + 1] == 1 && digits[base + 2] == 1)
      && !(digits[base + 4] == 1 && digits[base + 5] == 1)
  }

  mutating func findPhone(at group: Int) {
    // Nothing but zeros is what a field holds that nobody has filled in.
    guard run.digits[run.firstDigit[group]...].contains(where: { $0 != 0 }) else { return }
    let start = run.groups[group].lowerBound
    if isBehindPlus(start) {
      findInternational(at: group)
      return
    }
    findWithAreaCode(at: group)
    guard group == 0, !before(start).isWord, !isTaken else { return }
    findByContext()
  }

  private func isBehindPlus(_ start: Int) -> Bool {
    before(start) == UInt8(ascii: "+")
      || before(start) == UInt8(ascii: "(") && before(start - 1) == UInt8(ascii: "+")
  }

  /// `+` and up to fifteen digits, E.164.
  private mutating func findInternational(at group: Int) {
    guard run.digits[run.firstDigit[group]] != 0 else { return }
    let isNorthAmerican = run.digits[run.firstDigit[group]] == 1
    var last = group
    func count() -> Int { run.firstDigit[last + 1] - run.firstDigit[group] }
    while last + 1 < run.count {
      let next = count() + run.size(last + 1)
      if isNorthAmerican ? next > 11 : next > 15 { break }
      // Whatever comes behind a space when there are digits enough is another number.
      if !isNorthAmerican, count() >= 10, separator(behind: last) == .space, next > 13 { break }
      last += 1
    }
    let total = count()
    guard isNorthAmerican ? total == 11 : (8...15).contains(total) else { return }
    var begin = run.groups[group].lowerBound - 1
    if before(begin) == UInt8(ascii: "(") { begin -= 1 }
    if bytes[begin] == UInt8(ascii: "("), bytes[begin + 1] != UInt8(ascii: "+"),
      before(begin) == UInt8(ascii: "+")
    {
      begin -= 1
    }
    // An opening bracket without its end is not part of it.
    if bytes[begin] == UInt8(ascii: "("),
      !bytes[begin..<run.groups[last].upperBound].contains(UInt8(ascii: ")"))
    {
      begin += 1
    }
    guard !before(begin).isWord else { return }
    addPhone(begin, through: last, isConfirmed: true)
  }

  /// Three, three and four digits, in one piece or apart, with or without what is dialled before.
  private mutating func findWithAreaCode(at group: Int) {
    let first = run.firstDigit[group]
    var last = group
    while last + 1 < run.count, last - group < 3, run.firstDigit[last + 1] - first < 10 {
      last += 1
    }
    let digits = run.digits(group..<last + 1)
    let begin = run.groups[group].lowerBound
    // One piece, with the 1 before it.
    if last == group, digits.count == 11, digits.first == 1 {
      guard Self.isNorthAmerican(digits.dropFirst()), isPlausible(group, through: last)
      else { return }
      addPhone(begin, through: last)
      return
    }
    guard digits.count == 10 else { return }
    let isBare = last == group
    guard isBare || isGroupedAsPhone(group, through: last, digits) else { return }
    let isIssued = Self.isNorthAmerican(digits)
    let isSpaced = !isBare && (group..<last).allSatisfy { separator(behind: $0) == .space }
    let needsWords = isBare || isSpaced || run.size(group) == 6
    let hasPhone = needsWords && around.nearest.contains(.phone)
    if needsWords {
      guard isIssued || hasPhone && digits[digits.startIndex] != 0 else { return }
      guard !around.next.contains(.unit), hasPhone || isPlausible(group, through: last) else {
        return
      }
    }
    // Not a part of something longer.
    let behind = separator(behind: last)
    if behind != .none, behind != .several, !(behind == .space) || isSpaced && !hasPhone { return }
    if isBare, before(begin).isWord { return }
    if isBare, isPartOfKey(run.groups[group]) { return }
    guard
      let start = startOfPhone(at: group, isBare: isBare, mayFollow: !isSpaced || hasPhone)
    else { return }
    addPhone(start, through: last)
  }

  /// Whether ten digits that stand apart are grouped as telephone numbers are.
  private func isGroupedAsPhone(
    _ group: Int, through last: Int, _ digits: ArraySlice<UInt8>
  ) -> Bool {
    let sizes = (run.size(group), run.size(group + 1), run.size(group + 2), last - group)
    return
      (sizes == (3, 3, 4, 2) || sizes.0 == 3 && sizes.1 == 7 || sizes == (3, 3, 2, 3)
      || sizes.0 == 6 && sizes.1 == 4) && digits[digits.startIndex] >= 2
      && digits[digits.startIndex + 3] >= 2
  }

  /// Where a number with an area code begins, with what is dialled first: 1, 001, 011 and a
  /// country, a country alone. Nil when it is a part of something longer.
  ///
  /// - Parameter mayFollow: whether a longer number may stand before it, with a space between.
  private func startOfPhone(at group: Int, isBare: Bool, mayFollow: Bool) -> Int? {
    var start = run.groups[group].lowerBound
    let before = separator(before: group)
    var isWhole =
      switch before {
      case .none, .several: true
      case .space: mayFollow || run.size(group - 1) <= 3
      default: false
      }
    if group > 0, run.size(group - 1) <= 3, before != .dot || run.value(group - 1) == 1,
      separator(before: group - 1) == .none || separator(before: group - 1) == .space
        || isBehindPlus(run.groups[group - 1].lowerBound)
    {
      let isTight = before != .space && before != .none
      if run.value(group - 1) == 1 || isTight && !isBare && before != .several {
        start = run.groups[group - 1].lowerBound
        isWhole = !isBehindPlus(start)
      }
    }
    return isWhole ? start : nil
  }

  /// Whether a number that could be anything is taken for a telephone number.
  private mutating func isPlausible(_ group: Int, through last: Int) -> Bool {
    let range = run.bytes(group..<last + 1)
    let other: ContextMeaning = [
      .thing, .account, .routing, .provider, .license, .passport, .version, .vehicle, .card,
    ]
    guard around.nearest.isDisjoint(with: other) || around.nearest.contains(.phone),
      !around.next.contains(.unit), before(range.lowerBound) != UInt8(ascii: "$"),
      before(range.lowerBound) != UInt8(ascii: "#"), !isPartOfKey(range)
    else { return false }
    return true
  }

  /// Numbers of other plans and local ones, where the text says that they are telephone numbers.
  private mutating func findByContext() {
    let total = run.digits.count
    let range = run.start..<run.end
    guard (7...17).contains(total), !runsIntoWord(run.count - 1) else { return }
    let isCalled = around.nearest.contains(.phone)
    // 00 or 011 and the country.
    let isAbroad =
      run.digits.count > 9
      && (run.digits[0] == 0 && run.digits[1] == 0
        || run.digits[0] == 0 && run.digits[1] == 1 && run.digits[2] == 1)
    if isAbroad, (10...17).contains(total), isCalled || run.count >= 3,
      run.groups.contains(where: { $0.count >= 3 })
    {
      addPhone(run.start, through: run.count - 1)
      return
    }
    let isNational =
      run.digits[0] == 0 && (9...12).contains(total) && run.size(0) <= 5 && run.count <= 6
    if isNational, isCalled || run.count >= 3 && isAnswer(range) {
      addPhone(run.start, through: run.count - 1)
      return
    }
    guard isCalled else { return }
    if run.count == 2, run.size(0) == 3, run.size(1) == 4, run.digits[0] >= 2,
      separator(behind: 0) == .hyphen || separator(behind: 0) == .dot
    {
      addPhone(run.start, through: 1)
    } else if run.count <= 6, (8...13).contains(total), around.distance <= 4, policy == .message,
      !around.next.contains(.unit), before(run.start) != UInt8(ascii: "$"),
      run.groups.allSatisfy({ $0.count >= 2 }), findsDate(at: 0) == nil,
      run.count == 1
        || run.groups.dropLast().indices.allSatisfy({ separator(behind: $0) != .slash })
    {
      addPhone(run.start, through: run.count - 1)
    }
  }

  private mutating func addPhone(_ start: Int, through last: Int, isConfirmed: Bool = false) {
    var begin = start
    if before(begin) == UInt8(ascii: "("),
      bytes[begin..<run.groups[last].upperBound].contains(UInt8(ascii: ")"))
    {
      begin -= 1
    }
    let end = run.groups[last].upperBound
    let extended = extensionEnd(from: end)
    guard extended != nil || !at(end).isWord else { return }
    add(.phoneNumber, begin..<(extended ?? end), isConfirmed: isConfirmed)
    if let extended { numbersFrom = max(numbersFrom, extended) }
  }

  /// The end of `x12`, `ext. 12`, `#12` behind a number.
  private func extensionEnd(from end: Int) -> Int? {
    var place = end
    if at(place) == UInt8(ascii: ",") { place += 1 }
    while place - end < 3, at(place) == 0x20 { place += 1 }
    let word = letters(at: place)
    if equals(word, "x") || equals(word, "ext") || equals(word, "extn") || equals(word, "extension")
    {
      place = word.upperBound
      if at(place) == UInt8(ascii: ".") || at(place) == UInt8(ascii: ":") { place += 1 }
    } else if at(place) == UInt8(ascii: "#") {
      place += 1
    } else {
      return nil
    }
    if at(place) == 0x20 { place += 1 }
    let digits = place
    while at(place).isDigit, place - digits < 7 { place += 1 }
    guard place > digits, place - digits <= 6, !at(place).isWord else { return nil }
    return place
  }

  /// The letters that begin at a place.
  func letters(at place: Int) -> Range<Int> {
    let place = min(place, bytes.count)
    var end = place
    while end < bytes.count, end - place < 24, bytes[end].isASCIILetter { end += 1 }
    return place..<end
  }
}
