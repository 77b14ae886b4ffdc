/// Dates, which are personal where they are somebody's birth.
extension Scan {
  mutating func findDate(at group: Int) {
    guard let range = findsDate(at: group), around.all.contains(.birth) else { return }
    add(.dateOfBirth, range, isConfirmed: true)
  }

  /// The date whose first digits are this group: `1952-04-08`, `4/8/52`, `April 8th, 1952`,
  /// `8 April 1952`, `05-MAY-1952`.
  func findsDate(at group: Int) -> Range<Int>? {
    let range = run.groups[group]
    let first = run.size(group)
    guard first <= 4, first != 3 else { return nil }
    let sign = separator(behind: group)
    if run.size(group + 1) > 0, run.size(group + 1) <= 2, run.size(group + 2) > 0,
      sign == separator(behind: group + 1), sign == .hyphen || sign == .slash || sign == .dot,
      separator(before: group) != sign, separator(behind: group + 2) != sign
    {
      let values = (run.value(group), run.value(group + 1), run.value(group + 2))
      let third = run.size(group + 2)
      let isDate =
        first == 4
        ? third <= 2 && isYear(values.0) && isMonth(values.1) && isDay(values.2)
        : (third == 4 && isYear(values.2) || third == 2)
          && (isMonth(values.0) && isDay(values.1) || isDay(values.0) && isMonth(values.1))
      if isDate { return run.bytes(group..<group + 3) }
    }
    guard first <= 2, isDay(run.value(group)) else { return nil }
    // The month before: the year behind is a group of this run, or of the next one, behind a comma.
    let previous = wordBefore(dateGap(before: range.lowerBound))
    if isMonthName(previous) {
      var end = range.upperBound
      let suffix = letters(at: end)
      if suffix.count == 2 { end = suffix.upperBound }
      if let year = year(from: end) { end = year }
      return previous.lowerBound..<end
    }
    // The month behind.
    var place = range.upperBound
    let suffix = letters(at: place)
    if suffix.count == 2 { place = suffix.upperBound }
    while place - range.upperBound < 5,
      at(place) == 0x20 || at(place) == UInt8(ascii: "-") || at(place) == UInt8(ascii: ".")
    {
      place += 1
    }
    var month = letters(at: place)
    if equals(month, "of") { month = letters(at: month.upperBound + 1) }
    guard isMonthName(month) else { return nil }
    return range.lowerBound..<(year(from: month.upperBound) ?? month.upperBound)
  }

  private func dateGap(before place: Int) -> Int {
    var end = place
    while end > 0, place - end < 3,
      bytes[end - 1] == 0x20 || bytes[end - 1] == 0x2E || bytes[end - 1] == 0x2D
    {
      end -= 1
    }
    return end
  }

  /// The end of a year that follows, past a comma, spaces, a hyphen or an apostrophe.
  private func year(from start: Int) -> Int? {
    var place = start
    while place - start < 4,
      at(place) == 0x20 || at(place) == 0x2C || at(place) == 0x2D || at(place) == 0x2E
        || at(place) == 0x27
    {
      place += 1
    }
    let digits = wordAt(place)
    guard digits.count == 4 || digits.count == 2, place > start,
      bytes[digits].allSatisfy(\.isDigit)
    else { return nil }
    if digits.count == 4, !isYear(bytes[digits].reduce(0) { $0 * 10 + $1.digit }) { return nil }
    return digits.upperBound
  }

  private func isYear(_ value: Int) -> Bool { (1880...2099).contains(value) }
  private func isMonth(_ value: Int) -> Bool { (1...12).contains(value) }
  private func isDay(_ value: Int) -> Bool { (1...31).contains(value) }

  private func isMonthName(_ word: Range<Int>) -> Bool {
    guard word.count >= 3, word.count <= 9,
      Self.initials.contains(bytes[word.lowerBound].lowercased)
    else { return false }
    return Self.months.contains { equals(word, $0.0) || equals(word, $0.1) } || equals(word, "sept")
  }

  private static let initials = Array("jfmasond".utf8)

  private static let months: [(StaticString, StaticString)] = [
    ("january", "jan"), ("february", "feb"), ("march", "mar"), ("april", "apr"), ("may", "may"),
    ("june", "jun"), ("july", "jul"), ("august", "aug"), ("september", "sep"),
    ("october", "oct"), ("november", "nov"), ("december", "dec"),
  ]
}
